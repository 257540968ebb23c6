"""Physics scenes: their settings, what each of them simulates, and its gravity."""
