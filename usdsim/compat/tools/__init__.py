"""Tools of Isaac Lab's ``utils``: buffers, files, interpolation, seeds, spaces, lazy names."""
