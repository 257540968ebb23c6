"""Commands that run for long: jobs over many files or episodes, training and playing policies."""
