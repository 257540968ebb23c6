"""Joint wrenches: forces and torques that joints transmit, on the CPU and on Warp devices."""
