"""Kinematic bodies: motion that is given, and what it does to what they touch."""
