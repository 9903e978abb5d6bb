"""Mechanisms with loops: a spanning tree, the joints that were cut, and methods that hold the loops closed."""
