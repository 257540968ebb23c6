"""usdsim.core.dialects."""
