"""Restitution by impulses within the recorded step of a Warp device."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mujoco_warp as mjw
import numpy as np
import warp as wp
from numpy.typing import NDArray

from usdsim.engine.compile.pipeline import CompiledModel
from usdsim.engine.effects.kinematics.motion import KinematicMotion
from usdsim.engine.effects.sticking.warp import WarpSticking
from usdsim.engine.effects.velocity_limits.kernels import move_back
from usdsim.engine.graphs import when
from usdsim.engine.warp.worlds import WarpWorlds

from . import kernels, report_kernels
from .cpu import MOST, Impacts
from .reports import SentBack

__all__ = ["WarpImpacts"]

_SCRATCH = ("block", "before", "after", "impulse", "limits", "moved")


class WarpImpacts(Impacts):
    """Rebounds that take place after the kinematics of a step; see `Impacts`.

    Where more contacts of a world meet at once than there is room for, which of them are sent
    back is not said; the others follow a step later.
    """

    def __init__(
        self,
        compiled: CompiledModel,
        worlds: WarpWorlds,
        motion: KinematicMotion,
        sticking: WarpSticking,
    ):
        self._worlds, self._motion, self._held = worlds, motion, sticking
        self._any = wp.zeros(1, dtype=wp.int32, device=worlds.device)
        self._hit = wp.zeros(worlds.num_envs, dtype=wp.bool, device=worlds.device)
        self._arrays: dict[str, Any] = {}
        self._forgotten = np.zeros(worlds.num_envs, np.bool_)
        super().__init__(compiled, worlds.num_envs, sticking)

    def _store(self, values: NDArray[np.float64]) -> None:
        super()._store(values)
        if self._arrays:
            self._arrays["restitution"].assign(values.astype(np.float32))
        elif self.active:
            self._worlds.generation += 1
            self._make_room(values)

    def _make_room(self, values: NDArray[np.float64]) -> None:
        surfaces, worlds = self._compiled.surfaces, self._worlds
        n, nv, device = worlds.num_envs, self._compiled.mj.nv, worlds.device

        def room(*shape: int, dtype: Any = wp.float32) -> wp.array:
            return wp.zeros(shape, dtype=dtype, device=device)

        rows, table = 3 * MOST, self._motion.table
        self._arrays = {
            "rows": wp.array(self._motion.rows.astype(np.int32), dtype=wp.int32, device=device),
            "bodies": wp.array(table.bodies.astype(np.int32), dtype=wp.int32, device=device),
            "motion": room(n, max(len(table), 1), dtype=wp.spatial_vector),
            "restitution": wp.array(values.astype(np.float32), dtype=wp.float32, device=device),
            "bouncing": wp.array(surfaces.bouncing, dtype=wp.bool, device=device),
            "modes": wp.array(surfaces.modes.astype(np.int32), dtype=wp.int32, device=device),
            "forward": wp.array([-1.0], dtype=wp.float32, device=device),
            "count": room(n, dtype=wp.int32),
            "contact": room(n, MOST, dtype=wp.int32),
            "jacobian": room(rows, n, nv),
            "response": room(rows, n, nv),
            "scratch": room(n, nv),
            "block": room(n, rows, rows),
            "before": room(n, rows),
            "after": room(n, rows),
            "impulse": room(n, rows),
            "limits": room(n, MOST, dtype=wp.vec2),
            "held": self._held.limit_arrays(),
            "moved": room(n, nv),
        }
        self._report_count = room(n, dtype=wp.int32)
        self._report_early = room(n, dtype=wp.bool)
        kinds = wp.vec2i, wp.vec3, wp.mat33, wp.float32, wp.vec3
        # Those that met before a step and in it.
        self._report_arrays = [room(n, 2 * MOST, dtype=kind) for kind in kinds]
        if len(self._sums):
            self._arrays["early"] = room(n, self._compiled.mj.nsensordata)
            self._arrays["sums"] = [
                wp.array(getattr(self._sums, name).astype(np.int32), dtype=wp.int32, device=device)
                for name in ("columns", "bodies", "other_bodies", "other_geoms")
            ]

    def follow(self) -> None:
        """Upload the velocities of kinematic bodies to the device."""
        if self._arrays and len(self._motion.table):
            linear, angular = np.split(self._motion.velocity, 2, axis=-1)
            values = np.concatenate([angular, linear], axis=-1).astype(np.float32)
            self._arrays["motion"].assign(values)

    def launch(
        self, chosen: wp.array, kinematics: Callable[[], object], early: bool = False
    ) -> None:
        """Send back what has met in worlds that just stepped.

        Args:
            chosen: which worlds stepped.
            kinematics: computes positions and velocities of bodies anew.
            early: whether they are about to step instead: sensors report it after that step.
        """
        if not self.active or self.held:
            return
        arrays, d = self._arrays, self._worlds.d
        wp.launch(
            report_kernels.clear_reports,
            self._worlds.num_envs,
            inputs=[chosen, early],
            outputs=[self._report_early, self._report_count],
        )
        self.find(chosen)
        when(self._any, lambda: self._resolve(kinematics, early), self._worlds.branches)
        if len(self._sums) and not early and len(self._motion.table):
            early_sums, sums = arrays["early"], d.sensordata
            wp.launch(report_kernels.hand_over, sums.shape, [chosen], [early_sums, sums])

    def forget(self, worlds: NDArray[np.intp] | None) -> None:
        """Forget the impulses of the last step of some worlds, whose state was written since."""
        self._forgotten[slice(None) if worlds is None else worlds] = True

    def stepped(self, worlds: NDArray[np.intp] | None) -> None:
        """Record that some worlds were stepped; None: all."""
        self._forgotten[slice(None) if worlds is None else worlds] = False

    def sent_back(self, worlds: NDArray[np.intp]) -> tuple[NDArray[np.intp], SentBack]:
        """Contacts that were sent back in the last step of some worlds; see `Impacts.sent_back`."""
        if not self._arrays:
            return np.zeros(0, np.intp), SentBack.none()
        counts = np.where(self._forgotten, 0, self._report_count.numpy())[worlds]
        if not counts.any():
            return np.zeros(0, np.intp), SentBack.none()
        used = np.arange(2 * MOST) < counts[:, None]
        geom, *rest = (array.numpy()[worlds][used] for array in self._report_arrays)
        floats = (values.astype(np.float64) for values in rest)
        return np.repeat(np.arange(len(worlds)), counts), SentBack(geom, *floats)

    def found(self) -> NDArray[np.intp]:
        """Worlds in which `find` found something."""
        return np.flatnonzero(self._arrays["count"].numpy())

    def find(self, chosen: wp.array) -> None:
        """Find what meets fast in some worlds, without sending it back."""
        arrays, m, d = self._arrays, self._worlds.m, self._worlds.d
        met = d.contact
        self._any.zero_()
        arrays["count"].zero_()
        surfaces = m.geom_bodyid, m.body_rootid, arrays["bouncing"], self.threshold
        moved = arrays["rows"], arrays["bodies"]
        motion = chosen, d.nacon, d.xpos, arrays["motion"], d.subtree_com, d.cvel
        where = met.dist, met.pos, met.frame, met.includemargin
        wp.launch(
            kernels.find_impacts,
            met.dist.shape[0],
            inputs=[*surfaces, *moved, *motion, *where, met.geom, met.type, met.worldid],
            outputs=[arrays["count"], arrays["contact"], self._any],
        )

    def _resolve(self, kinematics: Callable[[], object], early: bool) -> None:
        arrays, m, d = self._arrays, self._worlds.m, self._worlds.d
        n, met = self._worlds.num_envs, d.contact
        found = arrays["count"], arrays["contact"]
        tree = m.geom_bodyid, m.body_rootid, m.body_isdofancestor
        wp.launch(
            kernels.contact_jacobians,
            (MOST, n, m.nv),
            inputs=[*tree, *found, d.subtree_com, d.cdof, met.dist, met.pos, met.frame, met.geom],
            outputs=[arrays["jacobian"]],
        )
        mjw.factor_m(m, d)
        for row in range(3 * MOST):
            mjw.solve_m(m, d, arrays["response"][row], arrays["jacobian"][row], arrays["scratch"])
        law = m.opt.timestep, arrays["modes"], arrays["restitution"]
        moved = arrays["rows"], arrays["bodies"], *arrays["held"], d.xpos, arrays["motion"]
        where = met.pos, met.frame, met.surfacevel
        touch = met.dist, met.includemargin, met.friction, met.geom
        wp.launch(
            kernels.send_back,
            n,
            inputs=[*law, *moved, *found, *where, *touch, arrays["jacobian"], arrays["response"]],
            outputs=[*(arrays[name] for name in _SCRATCH), d.qvel, self._hit],
        )
        wp.launch(
            report_kernels.report,
            n,
            inputs=[
                m.opt.timestep,
                *found,
                met.geom,
                met.pos,
                met.frame,
                met.dist,
                arrays["impulse"],
            ],
            outputs=[self._report_count, *self._report_arrays],
        )
        if len(self._sums):
            what = *found, met.geom, met.frame, arrays["impulse"]
            wp.launch(
                report_kernels.add_impacts,
                (n, len(self._sums)),
                inputs=[m.opt.timestep, m.geom_bodyid, *arrays["sums"], *what],
                outputs=[arrays["early"] if early else d.sensordata],
            )
        tables = arrays["forward"], m.jnt_type, m.jnt_qposadr, m.jnt_dofadr
        wp.launch(
            move_back, (n, m.njnt), inputs=[*tables, self._hit, arrays["moved"]], outputs=[d.qpos]
        )
        kinematics()
