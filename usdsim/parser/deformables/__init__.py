"""Deformable bodies of a stage: meshes, materials and attachments."""
