"""Milliseconds to read what a controller looks at in every world."""

from __future__ import annotations

from collections.abc import Iterator

import mujoco
import numpy as np

import usdsim

from .measure import Contender, alternate
from .registry import Row, Settings, benchmark

__all__ = ["queries", "touching"]

_LINKS = 14


@benchmark
def queries(settings: Settings) -> Iterator[Row]:
    """Poses and velocities of 14 links by a compiled query, and by the calls for all links."""
    model = usdsim.load_mjcf_str(_chain(_LINKS))
    for envs in (64,) if settings.quick else (1, 4096):
        data = usdsim.SceneData(model, (envs,))
        rng = np.random.default_rng(0)
        data.set_dof_vel(rng.standard_normal((envs, model.num_dof_vel)))
        model.step_n(data, 5)
        names = [f"{link.name}.{part}" for link in model.links for part in ("pose", "velocity")]
        plan = model.compile_query(names)
        poses = np.empty((envs, _LINKS, 7), dtype=np.float32)
        velocities = np.empty((envs, _LINKS, 6), dtype=np.float32)

        def read_links(
            data: usdsim.SceneData = data, poses: np.ndarray = poses, out: np.ndarray = velocities
        ) -> None:
            model.get_link_poses(data, out=poses)
            model.get_link_velocities(data, out=out)

        def compiled(data: usdsim.SceneData = data, plan: usdsim.QueryPlan = plan) -> None:
            plan.read(data)

        result = alternate(
            Contender(_nothing, compiled), Contender(_nothing, read_links), settings.rounds(201)
        )
        case = f"{_LINKS} links, {envs} world{'s' if envs > 1 else ''}"
        target = 2.0 if envs == 4096 else None
        yield Row(f"{case}, compiled query", 1e3 * result.first, "ms", target)
        yield Row(f"{case}, two calls", 1e3 * result.second, "ms")
        label = f"{case}, two calls over compiled query"
        yield Row(label, result.ratio, "x", 1.0, at_least=True)


@benchmark
def touching(settings: Settings) -> Iterator[Row]:
    """Contacts of eight boxes on the ground in every world, against copies by `mujoco.batch`."""
    model = usdsim.load_mjcf_str(_boxes(8))
    envs = 16 if settings.quick else 256
    data = usdsim.SceneData(model, (envs,))
    model.step_n(data, 100)
    pairs = np.array([[0, geom] for geom in range(1, model.num_geoms)])
    scratch = mujoco.MjData(model.low)

    def outdate() -> None:
        """A state in which nobody has looked for contacts yet, but the engine itself."""
        data.low.touch(field="qvel")
        data.low.read("ncon")

    def copied(forces: bool) -> None:
        for world in range(envs):
            data.low.batch.get_data(world, scratch)
            if forces:
                mujoco.mj_forwardSkip(model.low, scratch, mujoco.mjtStage.mjSTAGE_VEL, 1)
            found = [np.array(getattr(scratch.contact, name)) for name in ("geom", "pos", "frame")]
            if forces:
                found.append(np.array(scratch.efc_force))

    cases = (
        ("which touch", lambda: model.get_contact_query(data).is_colliding(pairs), False, 2.0),
        ("with forces", lambda: model.get_contacts(data), True, 1.0),
    )
    for case, run, forces, target in cases:
        bare = Contender(outdate, lambda forces=forces: copied(forces))
        result = alternate(Contender(outdate, run), bare, settings.rounds(31))
        label = f"{envs} worlds of 32 contacts, {case}: copies over ours"
        detail = {"us_per_world": 1e6 * result.first / envs}
        yield Row(label, result.ratio, "x", target, at_least=True, detail=detail)


def _nothing() -> None:
    pass


def _boxes(count: int) -> str:
    """Boxes beside each other on the ground."""
    bodies = "".join(
        f'<body pos="{0.5 * i} 0 .1"><freejoint/><geom type="box" size=".1 .1 .1"/></body>'
        for i in range(count)
    )
    ground = '<geom type="plane" size="9 9 .1"/>'
    return f"<mujoco><worldbody>{ground}{bodies}</worldbody></mujoco>"


def _chain(links: int) -> str:
    """A floating chain of so many links."""
    opened = "".join(
        f'<body name="link_{number}" pos="0.2 0 0">'
        + ("<freejoint/>" if not number else '<joint axis="0 1 0"/>')
        + '<geom type="capsule" fromto="0 0 0 0.15 0 0" size="0.02"/>'
        for number in range(links)
    )
    return f"<mujoco><worldbody>{opened}{'</body>' * links}</worldbody></mujoco>"
