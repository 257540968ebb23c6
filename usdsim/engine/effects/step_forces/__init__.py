"""Forces of one step, beside those that programs apply, on the CPU and on Warp devices."""
