"""Contact sensors."""
