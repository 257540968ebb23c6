"""Speed limits of free bodies, on the CPU and on Warp devices."""
