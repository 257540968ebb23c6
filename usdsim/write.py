"""Sources of write plans: quantities of many elements at once, for `SceneModel.compile_write`."""

from usdsim.scene.queries import write_sources
from usdsim.scene.queries.plan import PlanField as WriteField
from usdsim.scene.queries.programs import WriteProgram
from usdsim.scene.queries.sources import WriteSource
from usdsim.scene.queries.write_plan import WritePlan
from usdsim.scene.queries.write_sources import *

__all__ = [*write_sources.__all__, "WriteField", "WritePlan", "WriteProgram", "WriteSource"]
