"""Speed limits of links: bodies that joints hold, on the CPU and on Warp devices."""
