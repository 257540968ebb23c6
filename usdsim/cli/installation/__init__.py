"""Commands about the installation itself: its state, its schemas, completion of the shell."""
