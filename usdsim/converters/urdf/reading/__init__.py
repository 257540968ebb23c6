"""Reading URDF: files and macros to a robot as data, forgiving where the file is wrong."""

__all__: list[str] = []
