"""Authoring of configurations: tables, plans, and writing them to prims."""
