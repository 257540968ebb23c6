"""Datasets of episodes: rows in Parquet files, and exports to HDF5, LeRobot's format and Zarr."""
