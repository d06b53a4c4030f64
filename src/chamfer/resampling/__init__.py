"""What other trees say about a tree: those of random references, of halves of the points, of samples."""
