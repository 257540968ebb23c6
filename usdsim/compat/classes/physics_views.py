"""Physics views: bodies by pattern and gravity, as ``sim.physics_sim_view`` offers them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from usdsim.assets.common.matching import matching_prims
from usdsim.assets.common.root_view import RootView
from usdsim.assets.rigid.data import RigidObjectData
from usdsim.core.errors import StageError
from usdsim.engine.colliding import colliding
from usdsim.sim import SimulationContext
from usdsim.views import AssetLayout
from usdsim.views.layout import FIXED, root_rows
from usdsim.views.selection import Indices
from usdsim.views.usable import UsableArray
from usdsim.views.values import Values

__all__ = ["PhysicsSimView", "RigidBodyView"]


class RigidBodyView(RootView):
    """Bodies that a pattern matches, in all environments, with the getters of rigid objects.

    Bodies that hang on others by joints are read only.
    """

    def get_transforms(self) -> UsableArray:
        """Poses of the links in world, shape (count, 7)."""
        return self.read("body_link_pose_w")

    def get_velocities(self) -> UsableArray:
        """Velocities of the centres of mass in world, linear first, shape (count, 6)."""
        return self.read("body_com_vel_w")

    def put(self, field: str, values: Values, indices: Indices = None) -> None:
        """Write a row of the field table; see `RootView.put`.

        Raises:
            StageError: it is about poses or velocities, and a body hangs on another by a joint.
        """
        if field.startswith("root_") and (self.layout.root_dofs < -1).any():
            raise StageError(
                f"The {self.layout.title} hang on others by joints. Write the state of the joints."
            )
        super().put(field, values, indices)


def _layout(simulation: SimulationContext, prims: Sequence[str], title: str) -> AssetLayout:
    """Engine elements of bodies."""
    compiled, names = simulation.engine.compiled, simulation.engine.compiled.names
    model, known = compiled.mj, {path: i for i, path in enumerate(names.paths("body"))}
    bodies = [[known[prim]] for prim in prims]
    try:
        roots = root_rows(compiled, bodies)
    except StageError:
        whole = np.array(bodies, np.int32)
        fixed, none = np.full_like(whole, FIXED), np.full_like(whole, -2)
        roots = {"roots": whole, "root_kinds": fixed, "root_qpos": none, "root_dofs": none}
    shapes = [np.flatnonzero(colliding(model) & (model.geom_bodyid == body)) for (body,) in bodies]
    count = min(len(row) for row in shapes)
    return AssetLayout(
        title=title,
        num_worlds=simulation.num_envs,
        bodies=np.array(bodies, np.int32),
        body_names=("body",),
        root_names=("body",),
        geoms=np.array([row[:count] for row in shapes], np.int32),
        geom_names=tuple(f"shape_{i}" for i in range(count)),
        **roots,
    )


class PhysicsSimView:
    """The views of a running simulation.

    Args:
        simulation: the simulation.
    """

    def __init__(self, simulation: SimulationContext):
        self._simulation = simulation

    def create_rigid_body_view(self, pattern: str | Sequence[str]) -> RigidBodyView:
        """Bodies that patterns match.

        Args:
            pattern: prim paths, in which ``*`` stands for any part of a name. One that names an
                environment is taken for all of them.

        Raises:
            StageError: the simulation was not started, or a pattern matches no body.
        """
        simulation, engine = self._simulation, self._simulation.engine
        patterns = [pattern] if isinstance(pattern, str) else list(pattern)
        bodies, prims = set(engine.compiled.names.paths("body")), []
        for each in patterns:
            expression = each.replace(".*", "*").replace("*", ".*")
            for env in simulation.env_paths:
                if expression.startswith(f"{env}/"):
                    expression = "{ENV_REGEX_NS}" + expression[len(env) :]
                    break
            found = matching_prims(engine.compiled.scene, expression, simulation.env_paths)
            prims += [prim for prim in found if prim in bodies]
        title = f"bodies {', '.join(patterns)!r}"
        if not prims:
            raise StageError(f"No rigid body matches the {title}. Correct the pattern.")
        view = RigidBodyView(engine, _layout(simulation, prims, title), RigidObjectData)
        engine.track_acceleration()
        data = RigidObjectData(view, np.eye(13)[[6]])
        data.is_primed = True
        view.attach(data, prims, simulation.env_paths)
        return view

    def get_gravity(self) -> tuple[float, float, float]:
        """Gravity of the first environment, world [m/s^2]."""
        x, y, z = (float(g) for g in self._simulation.engine.param("opt.gravity")[0])
        return x, y, z

    def set_gravity(self, gravity: ArrayLike) -> None:
        """Give all environments a gravity.

        Args:
            gravity: in world [m/s^2], shape (3,).
        """
        engine = self._simulation.engine
        values = np.broadcast_to(np.asarray(gravity, float), (engine.num_envs, 3))
        engine.set_param("opt.gravity", values)

    def update_articulations_kinematic(self) -> None:
        """Nothing: poses of links are always those of the joints."""

    def __getattr__(self, name: str) -> Any:
        """Attributes of the engine."""
        return getattr(self._simulation.engine, name)
