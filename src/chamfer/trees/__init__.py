"""Dendrograms: cuts, scores, layout, files."""
