"""Joint wrench sensors."""
