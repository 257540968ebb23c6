"""Core interface of Isaac Sim: worlds, views of prims, shapes and materials.

Quaternions are wxyz in all of it, as they are there, and arrays those of the world's backend.
"""
