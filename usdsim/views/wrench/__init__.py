"""External forces and torques on bodies: the composer and its kernels."""
