"""usdsim.core."""
