"""Benchmarks: what Isaac Lab's benchmark scripts collect, and the files they write."""
