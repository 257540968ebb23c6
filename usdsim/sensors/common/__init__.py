"""The base of sensors: sampling, matching and kernels that all share."""
