"""Joint effects around a step: velocity limits, friction, breaking, accelerations, wrenches."""
