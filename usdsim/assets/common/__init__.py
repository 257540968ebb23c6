"""Asset base: configuration, spawning, matching, roots, bodies and materials."""
