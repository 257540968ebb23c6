"""Ray casting of drawable parts, in kernels for the CPU and devices."""
