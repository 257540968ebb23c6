"""Converting and comparing files from the command line."""
