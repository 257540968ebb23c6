"""Compiled reading and writing of many quantities at once."""
