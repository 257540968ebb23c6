"""Effects around a step that the engine lacks: limits, friction, impacts, breaking, wrenches."""
