"""Restitution as authored, by impulses at contacts that approach fast."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import mujoco
import numpy as np
from mujoco import batch as mjbatch
from numpy.typing import NDArray

from usdsim.engine.compile.pipeline import CompiledModel
from usdsim.engine.effects.kinematics.motion import KinematicMotion
from usdsim.engine.effects.sticking.cpu import Sticking

from .law import impulses
from .reports import ForceSums, SentBack

__all__ = ["Impacts"]

Floats = NDArray[np.float64]
Ids = NDArray[np.intp]
Met = tuple[Ids, Floats, Floats]

MOST = 16
"""Contacts of a world that are sent back at once: the fastest; others follow a step later."""


class Impacts:
    """Rebounds of shapes in each world.

    The engine's contacts are springs and dashpots: what they give back depends on where in a step
    surfaces meet, and on friction. Where materials have restitution, contacts that approach faster
    than a threshold get an impulse after the step in which they met instead: Newton's law along
    the normal and Coulomb's along the surface, at all those contacts together. Kinematic bodies
    hit with their velocity, and belts rub with that of their surface. Positions give back what the
    approach moved them since the surfaces met. Slower contacts are the engine's.

    Args:
        compiled: the model; its surfaces say who bounces at first.
        num_envs: number of worlds.
        sticking: static friction.

    Attributes:
        restitution: of each geom, shape (num_envs, ngeom).
        threshold: speed of approach up to which nothing bounces [m/s].
        active: whether anything bounces anywhere.
        held: whether nothing is sent back after steps for now.
    """

    restitution: Floats
    active: bool
    held: bool = False

    def __init__(self, compiled: CompiledModel, num_envs: int, sticking: Sticking):
        self._compiled, self._sticking = compiled, sticking
        surfaces, model = compiled.surfaces, compiled.mj
        self._sums = ForceSums(model)
        self._reports: dict[int, list[SentBack]] = {}
        self._early_reports: dict[int, list[SentBack]] = {}
        self._data = np.zeros((0, 0))
        self.threshold = surfaces.threshold
        # No point of a body moves faster than the sum of what each axis gives it.
        self._reach = np.full(model.nv, 2.0 * model.stat.extent)
        for joint in range(model.njnt):
            dof, kind = model.jnt_dofadr[joint], model.jnt_type[joint]
            if kind == mujoco.mjtJoint.mjJNT_FREE:
                self._reach[dof : dof + 3] = 1.0
            elif kind == mujoco.mjtJoint.mjJNT_SLIDE:
                self._reach[dof] = 1.0
        self._store(np.repeat(surfaces.restitution[None], num_envs, axis=0))

    def set(self, values: Floats, worlds: Ids, geoms: Ids) -> None:
        """Change restitution of some worlds and geoms, shape (worlds, geoms)."""
        changed = self.restitution.copy()
        changed[np.ix_(worlds, geoms)] = values
        self._store(changed)

    def follow(self) -> None:
        """Accept new velocities of kinematic bodies, which are read where they are."""

    def resolve(
        self,
        batch: mjbatch.Batch,
        contacts: NDArray[np.int32],
        worlds: Ids | None,
        timestep: Floats,
        motion: KinematicMotion,
    ) -> Ids:
        """Send back what has met in some worlds; returns those where something has.

        Args:
            batch: the worlds, with kinematics and contacts for their state.
            contacts: how many each world has.
            worlds: which of them to look at; None: all.
            timestep: of every world of the batch [s].
            motion: of kinematic bodies.
        """
        hit = []
        for world, data, met in self._approaching(batch, contacts, worlds, motion):
            self._send_back(batch, world, data, float(timestep[world]), met)
            hit.append(world)
        return np.array(hit, np.intp)

    def approached(
        self,
        batch: mjbatch.Batch,
        contacts: NDArray[np.int32],
        worlds: Ids | None,
        motion: KinematicMotion,
    ) -> Ids:
        """Worlds, of some, in which contacts approach fast enough to rebound; see `resolve`."""
        found = [world for world, _, _ in self._approaching(batch, contacts, worlds, motion)]
        return np.array(found, np.intp)

    @contextmanager
    def held_back(self) -> Iterator[None]:
        """Send nothing back after the steps made meanwhile: surfaces are not where they are."""
        self.held = True
        try:
            yield
        finally:
            self.held = False

    def begin(self, worlds: Ids | None) -> None:
        """Prepare for a step of some worlds; None: of all.

        What has met since their last step counts as a part of this one.
        """
        if self._reports:
            self.forget(worlds)
        if self._early_reports:
            self._reports |= self._early_reports
            self._early_reports = {}

    def forget(self, worlds: Ids | None) -> None:
        """Forget the impulses of the last step of some worlds, whose state was written since."""
        if worlds is None:
            self._reports.clear()
        elif self._reports:
            for world in np.ravel(worlds).tolist():
                self._reports.pop(world, None)

    def met_early(self) -> None:
        """Mark the impacts just resolved as met before a step."""
        self._early_reports, self._reports = self._reports, {}

    def sent_back(self, worlds: Ids) -> tuple[Ids, SentBack]:
        """Contacts that were sent back in the last step of some worlds.

        Args:
            worlds: which, in any order.

        Returns:
            For each contact the place of its world among these, shape (n,), and the contacts.
        """
        if not self._reports:
            return np.zeros(0, np.intp), SentBack.none()
        found = [SentBack.of(self._reports.get(world, ())) for world in worlds.tolist()]
        return np.repeat(np.arange(len(worlds)), [len(part) for part in found]), SentBack.of(found)

    @property
    def reporting(self) -> bool:
        """Whether sums of contact forces may have to tell impulses."""
        return self.active and len(self._sums) > 0

    def reported(self, values: NDArray[Any]) -> NDArray[Any]:
        """Sensor data with the impulses of the last step, in an array that is always the same.

        Args:
            values: what the engine has, shape (num_envs, nsensordata).
        """
        if self._data.shape != values.shape:
            self._data = np.empty_like(values)
        np.copyto(self._data, values)
        columns = self._sums.columns[:, None] + np.arange(3)
        for world, parts in self._reports.items():
            self._data[world, columns] += self._sums.added(SentBack.of(parts))
        view = self._data.view()
        view.flags.writeable = False
        return view

    def _store(self, values: Floats) -> None:
        values.flags.writeable = False
        self.restitution = values
        self.active = bool(values[:, self._compiled.surfaces.bouncing].any())

    def _approaching(
        self,
        batch: mjbatch.Batch,
        contacts: NDArray[np.int32],
        worlds: Ids | None,
        motion: KinematicMotion,
    ) -> Iterator[tuple[int, mujoco.MjData, Met]]:
        """Worlds in which something meets fast, their state, valid until the next, and what."""
        # A product would leave the threads of a linear algebra library in the engine's way.
        speed = (np.abs(batch.bind("qvel")) * self._reach).sum(axis=1)
        if motion.moving:
            speed += motion.fastest(2.0 * batch.model.stat.extent)
        fast = (contacts > 0) & (speed > self.threshold)
        chosen = np.flatnonzero(fast) if worlds is None else worlds[fast[worlds]]
        if not len(chosen):
            return
        data = mujoco.MjData(batch.model)
        for world in chosen.tolist():
            batch.get_data(world, data)
            met = self._fastest(batch.model, data, world, motion)
            if met is not None:
                yield world, data, met

    def _fastest(
        self, model: mujoco.MjModel, data: mujoco.MjData, world: int, motion: KinematicMotion
    ) -> Met | None:
        """Contacts of a world that approach fast, their Jacobian and velocities; None: none."""
        rows = self._meeting(data)
        if not len(rows):
            return None
        jacobian = _jacobian(model, data, rows)
        velocity = jacobian @ data.qvel + _drift(data, rows, motion, world)
        fast = np.flatnonzero(velocity[::3] < -self.threshold)
        if not len(fast):
            return None
        fast = fast[np.argsort(velocity[3 * fast], kind="stable")[:MOST]]
        axes = (3 * fast[:, None] + np.arange(3)).ravel()
        return rows[fast], jacobian[axes], velocity[axes]

    def _send_back(
        self, batch: mjbatch.Batch, world: int, data: mujoco.MjData, timestep: float, met: Met
    ) -> None:
        """Apply impulses at the contacts of one world, and keep their report."""
        model, contact = batch.model, data.contact
        rows, jacobian, velocity = met
        changes = np.zeros_like(jacobian)
        mujoco.mj_solveM(model, data, changes, jacobian)
        restitution = self._compiled.surfaces.combined(self.restitution[world], contact.geom[rows])
        acting = contact.friction[rows, 0].copy()
        friction = self._sticking.limits(world, contact.geom[rows], acting)
        impulse = impulses(jacobian @ changes.T, velocity, restitution, *friction)
        depth = contact.includemargin[rows] - contact.dist[rows]
        since = np.repeat(np.clip(-depth / velocity[::3], 0.0, timestep), 3)
        batch.bind("qvel")[world] += impulse @ changes
        where = contact.geom[rows], contact.pos[rows], contact.frame[rows].reshape(-1, 3, 3)
        report = SentBack(*where, contact.dist[rows], impulse.reshape(-1, 3) / timestep)
        self._reports.setdefault(world, []).append(report)
        moved = np.array(batch.bind("qpos")[world])
        mujoco.mj_integratePos(model, moved, (since * impulse) @ changes, 1.0)
        batch.bind("qpos")[world] = moved

    def _meeting(self, data: mujoco.MjData) -> Ids:
        """Contacts whose surfaces touch and bounce."""
        contact, bouncing = data.contact, self._compiled.surfaces.bouncing
        geoms = contact.geom
        both = (geoms >= 0).all(axis=1) & bouncing[geoms].all(axis=1)
        return np.flatnonzero(both & (contact.dist < contact.includemargin))


def _drift(data: mujoco.MjData, rows: Ids, motion: KinematicMotion, world: int) -> Floats:
    """Velocity that surfaces add to contacts, beyond what the engine has of it.

    Along the normal that is the motion of kinematic bodies; along the surface the engine has the
    sum of that and of belts.
    """
    contact = data.contact
    found = np.zeros((len(rows), 3))
    found[:, 1:] = contact.surfacevel[rows, :2]
    if motion.moving:
        for sign, geoms in zip((-1.0, 1.0), contact.geom[rows].T, strict=True):
            moved = motion.of_points(world, geoms, contact.pos[rows])
            found[:, 0] += sign * np.einsum("ij,ij->i", contact.frame[rows, :3], moved)
    return found.ravel()


def _jacobian(model: mujoco.MjModel, data: mujoco.MjData, rows: Ids) -> Floats:
    """Normal and tangential velocity of contacts per velocity, shape (3 contacts, nv).

    Each surface has its own point: when they met, they were one.
    """
    jacobian = np.zeros((len(rows), 3, model.nv))
    of_point = np.zeros((3, model.nv))
    for i, row in enumerate(rows):
        frame, pos = data.contact.frame[row].reshape(3, 3), data.contact.pos[row]
        inside = 0.5 * data.contact.dist[row] * frame[0]
        for sign, geom in zip((-1.0, 1.0), data.contact.geom[row], strict=True):
            mujoco.mj_jac(model, data, of_point, None, pos + sign * inside, model.geom_bodyid[geom])
            jacobian[i] += sign * (frame @ of_point)
    return jacobian.reshape(-1, model.nv)
