"""Tables of the attributes that MuJoCo, Newton and PhysX keep on USD prims, one row each."""

__all__: list[str] = []
