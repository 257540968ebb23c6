"""Root poses and velocities: writers on the host and on devices."""
