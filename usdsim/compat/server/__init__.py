"""Files of Isaac Lab's server: where they are, and what stands in for those that are not there."""
