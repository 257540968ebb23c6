"""Interactive scenes: many environments with assets and sensors."""
