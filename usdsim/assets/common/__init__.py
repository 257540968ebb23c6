"""The base of assets: configuration, spawning, matching, roots, bodies and materials."""
