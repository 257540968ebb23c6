"""CPU engine: worlds stepped on a pool of threads."""
