"""Running a stage or robot file from the command line: simulate, demo, and what they share."""
