"""Simulation targets: what MuJoCo, Newton and PhysX read beside the standard attributes."""
