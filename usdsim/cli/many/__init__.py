"""Many files or episodes at once: jobs, and the sources of a batch."""
