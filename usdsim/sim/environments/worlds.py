"""Environment worlds: a stage with environments becomes an engine with a world for each."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pxr import Usd

from usdsim.core.errors import CompileError, InvalidValueError, StageError
from usdsim.engine import CompiledModel, Engine, FailurePolicy, compile_scene
from usdsim.engine.create import check_device, create_engine
from usdsim.parser import parse_stage
from usdsim.parser.description import SceneDescription
from usdsim.parser.quantities import DIALECTS
from usdsim.parser.report import Report
from usdsim.usd.signatures import ContentGroup
from usdsim.usd.stage import stage_name

from .differences import Comparison, Difference, Rows, parameter
from .families import Reading, Values, read_family
from .finding import Environments, find_environments
from .placement import Placement
from .variants import EnvironmentReader

__all__ = ["Worlds", "build_worlds"]

Prepare = Callable[[SceneDescription], SceneDescription]


@dataclass(frozen=True, eq=False)
class Worlds:
    """A running engine and where it came from."""

    engine: Engine
    environments: Environments
    """Empty if the stage has none; there is one world then."""
    report: Report
    """Report of the parser."""

    @property
    def origins(self) -> NDArray[np.float64]:
        """Origins of the environments in world [m], shape (num_envs, 3)."""
        return self.environments.origins if len(self.environments) else np.zeros((1, 3))


def build_worlds(
    stage: Usd.Stage,
    *,
    prepare: Prepare | None = None,
    device: str = "cpu",
    threads: int = 0,
    on_failure: FailurePolicy = "raise",
    strict: bool = False,
    precedence: Sequence[str] = DIALECTS,
    device_options: Mapping[str, Any] | None = None,
) -> Worlds:
    """Simulate every environment of a stage in a world of its own.

    The first environment and everything outside environments are compiled once. Where the others
    lie, and what else differs in numbers, becomes parameters of their worlds, so that coordinates
    of the engine are those of the stage. Prims outside environments are in every world.

    Args:
        stage: the stage; without environments, it is one world.
        prepare: changes a scene before it is compiled. It is called with the first environment's
            scene; where others have different content, then with theirs, under the same prim
            paths, and with the first one's once more. Of many that differ in numbers alone, it
            sees some, and mixtures of them.
        device: where to simulate; see `create_engine`.
        threads: number of threads on the CPU.
        on_failure: what happens when a world diverges.
        strict: refuse stages on which anything authored has no effect.
        precedence: which dialect wins where several state one quantity.
        device_options: more options of `create_engine`.

    Raises:
        StageError: environments differ in more than numbers.
        ParseError: the stage is physically invalid.
        CompileError: the engine refuses the scene.
    """
    check_device(device)
    environments = find_environments(stage)
    options = {"strict": strict, "precedence": precedence, "allow_empty": True}
    ready, count = prepare or _as_it_is, max(len(environments), 1)
    reader = EnvironmentReader(stage, environments, options) if len(environments) else None
    parsed = reader.read(0) if reader is not None else parse_stage(stage, **options)  # type: ignore[arg-type]
    compiled = compile_scene(ready(parsed.scene))
    source = stage_name(stage)
    parsed.report.depart(compiled.departures, strict=strict, source=source)
    differences: list[Difference] = []
    if reader is not None:
        differences = _compared(reader, compiled, environments.paths, ready, parsed.report)
        if differences:
            ready(parsed.scene)
    more = device_options or {}
    engine = create_engine(
        compiled, count, device=device, threads=threads, on_failure=on_failure, **more
    )
    if len(environments) > 1:
        placement = Placement(compiled, environments.paths[0], *environments.from_first())
        _set_parameters(engine, placement, differences)
        _set_initial(engine, placement, differences)
    engine.reset()
    return Worlds(engine, environments, parsed.report)


def _as_it_is(scene: SceneDescription) -> SceneDescription:
    return scene


def _compared(
    reader: EnvironmentReader,
    base: CompiledModel,
    paths: Sequence[str],
    ready: Prepare,
    report: Report,
) -> list[Difference]:
    """Compare environments of other content; `report` gets what parsing has to say about them."""
    groups = reader.groups[1:]
    if not groups:
        return []
    comparison = Comparison(base, paths[0])

    def read(index: int, values: Values) -> Reading:
        path = paths[index]
        parsed = reader.read(index, values)
        try:
            compiled = compile_scene(ready(parsed.scene))
        except CompileError as error:
            message = str(error).replace(paths[0] + "/", path + "/")
            raise CompileError(message) from error
        findings = [f for f in parsed.report.findings if f.path.startswith(path + "/")]
        difference = comparison.compare(compiled, [index], path)
        return Reading(compiled, comparison.numbers(compiled), difference, findings)

    families: dict[Hashable, list[ContentGroup]] = {}
    for group in groups:
        families.setdefault(group.form, []).append(group)
    found: list[Difference] = []
    for family in families.values():
        # Vertices count from where they are in the first environment.
        together = None if base.deformables else read_family(reader.stage, paths, family, read)
        if together is not None:
            found.append(together.difference)
            report.findings += together.findings
        for group in family if together is None else together.rest:
            alone = read(group.members[0], {})
            found.append(replace(alone.difference, worlds=np.array(group.members, np.intp)))
            report.findings += alone.findings
    return found


def _set_parameters(
    engine: Engine, placement: Placement, differences: Sequence[Difference]
) -> None:
    """Set the parameters of worlds to the numbers of their environments, field by field."""
    placed = dict(placement.rows())
    changed: dict[str, list[Difference]] = {}
    for difference in differences:
        for field in difference.parameters:
            changed.setdefault(field, []).append(difference)
        limits, dofs = difference.limits
        if len(dofs):
            engine.set_velocity_limits(limits, difference.worlds, dofs)
    for field in dict.fromkeys((*placed, *changed)):
        change = _FieldChange(field, changed.get(field, []))
        if field in placed:
            change.write_placed(engine, placement, placed[field])
        else:
            change.write(engine)
    for difference in differences:
        values, geoms = difference.surfaces
        if len(geoms):
            surfaces = engine.surfaces[np.ix_(difference.worlds, geoms)]
            surfaces[..., [0, 2]] = values
            engine.set_surfaces(surfaces, difference.worlds, geoms)


@dataclass(frozen=True, eq=False)
class _FieldChange:
    """Change of one model field in the worlds of environments that differ in it."""

    field: str
    differences: Sequence[Difference]

    def write(self, engine: Engine) -> None:
        """Write the field in the worlds that differ."""
        worlds = np.unique(np.concatenate([d.worlds for d in self.differences]))
        rows = self._union([])
        self._write(engine, self._values(engine.compiled, rows, worlds), worlds, rows)

    def write_placed(self, engine: Engine, placement: Placement, placed: Rows) -> None:
        """Write the field in all worlds, its `placed` rows moved to where environments lie."""
        worlds, rows = np.arange(engine.num_envs), self._union([placed])
        values = self._values(engine.compiled, rows, worlds)
        moved = slice(None) if rows is None or placed is None else np.isin(rows, placed)
        values[:, moved] = placement.move(self.field, values[:, moved])
        self._write(engine, values, worlds, rows)

    def _union(self, more: Sequence[Rows]) -> Rows:
        """Rows in which environments differ, and more; None: all of the field."""
        parts = [*(difference.parameters[self.field][0] for difference in self.differences), *more]
        if any(part is None for part in parts):
            return None
        return np.unique(np.concatenate([part for part in parts if part is not None]))

    def _values(self, base: CompiledModel, rows: Rows, worlds: NDArray[np.intp]) -> NDArray[Any]:
        """Rows of the field in some worlds, as if all lay in the place of the first."""
        shared = parameter(base.mj, self.field)
        values = np.repeat((shared if rows is None else shared[rows])[None], len(worlds), axis=0)
        for difference in self.differences:
            changed, numbers = difference.parameters[self.field]
            at = np.searchsorted(worlds, difference.worlds)
            if changed is None:
                values[at] = numbers
            else:
                columns = changed if rows is None else np.searchsorted(rows, changed)
                values[np.ix_(at, columns)] = numbers
        return values

    def _write(
        self, engine: Engine, values: NDArray[Any], worlds: NDArray[np.intp], rows: Rows
    ) -> None:
        everywhere = len(worlds) == engine.num_envs
        try:
            engine.set_param(self.field, values, None if everywhere else worlds, rows)
        except InvalidValueError as error:
            paths = ", ".join(difference.path for difference in self.differences[:3])
            raise StageError(f"{paths or 'An environment'}: {error}") from error


def _set_initial(engine: Engine, placement: Placement, differences: Sequence[Difference]) -> None:
    """Set the initial state of worlds to where their environments are."""
    changed = {field for difference in differences for field in difference.initial}
    if not (changed or placement.moves):
        return
    initial = vars(engine.compiled.initial)
    first = {name: np.repeat(value[None], engine.num_envs, 0) for name, value in initial.items()}
    for difference in differences:
        for field, value in difference.initial.items():
            first[field][difference.worlds] = value
    for field, values in first.items():
        if values.size and (field in changed or placement.moves):
            moved = placement.initial(field, values, first["qpos"])
            if (moved != initial[field]).any():
                engine.initial.write(field, moved)
