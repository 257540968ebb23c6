"""Surface grippers: suction cups and magnets that hold what is in front of them."""
