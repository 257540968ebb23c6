"""`SceneData`: the state of one or many worlds, its views, snapshots and files."""
