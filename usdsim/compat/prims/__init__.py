"""Prims under the names of Isaac Lab: made, found, placed and labelled."""
