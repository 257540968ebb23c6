"""usdsim.math."""
