"""Learning on the command line: `usdsim train` and `usdsim play`."""
