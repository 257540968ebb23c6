"""Model parameters per world: domains, overrides and where the engine keeps them."""
