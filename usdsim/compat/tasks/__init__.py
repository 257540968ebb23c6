"""Tasks of Gymnasium by name: registrations, presets of their configurations, command lines."""
