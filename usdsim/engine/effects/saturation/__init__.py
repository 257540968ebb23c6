"""Saturation of stiff drives, on the CPU and on Warp devices."""
