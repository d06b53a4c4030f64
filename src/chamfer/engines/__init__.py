"""Engines: how the closest pair of clusters is found."""
