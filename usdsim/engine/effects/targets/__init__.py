"""Sampled targets: controls that follow the samples of the stage."""
