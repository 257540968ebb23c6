"""Elements of a model: bodies, links, joints, geoms, sites, tendons and actuators."""
