"""Sources of query plans: quantities of many elements at once, for `SceneModel.compile_query`."""

from usdsim.scene.queries import read_sources
from usdsim.scene.queries.plan import PlanField as QueryField
from usdsim.scene.queries.programs import QueryProgram
from usdsim.scene.queries.read_plan import QueryPlan
from usdsim.scene.queries.read_sources import *
from usdsim.scene.queries.sources import QuerySource

__all__ = [*read_sources.__all__, "QueryField", "QueryPlan", "QueryProgram", "QuerySource"]
