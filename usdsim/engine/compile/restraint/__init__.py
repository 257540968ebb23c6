"""Restraint of bodies: damping of their velocities, and axes that are locked."""
