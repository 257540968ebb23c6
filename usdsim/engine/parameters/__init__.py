"""Model parameters per world, on the CPU and on Warp devices."""
