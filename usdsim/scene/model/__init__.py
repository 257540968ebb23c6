"""`SceneModel`: structure, parameters and the operations on data."""
