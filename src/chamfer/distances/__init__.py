"""Distances between points, and lower bounds of them."""
