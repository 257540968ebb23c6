"""Gyroscopic torque that some bodies do not feel, on the CPU and on Warp devices."""
