"""Accelerations of degrees of freedom over the last step, on the CPU and on Warp devices."""
