"""Triangle meshes: hulls, convexity, facets, welding and other operations on them."""

__all__: list[str] = []
