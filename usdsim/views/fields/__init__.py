"""Field table: quantities that can be written to an asset, and where each goes."""
