"""Runs in the interpreter of newton and answers one request per line: loads files, steps them."""

from __future__ import annotations

import json
import os
import sys
import time
from importlib.metadata import version
from typing import Any

import newton
import warp as wp

__all__: list[str] = []

_PACKAGES = ("newton", "warp-lang", "mujoco", "mujoco-warp", "usd-core")
_SIZES = ("njnt", "nu", "ntendon", "nsensor", "nkey", "nv")


def _builder(file: str) -> Any:
    builder = newton.ModelBuilder()
    newton.solvers.SolverMuJoCo.register_custom_attributes(builder)
    kind = file.rpartition(".")[2]
    add = {"xml": "add_mjcf", "urdf": "add_urdf"}.get(kind, "add_usd")
    getattr(builder, add)(file)
    return builder


def _load(file: str) -> dict[str, Any]:
    started = time.perf_counter()
    model = _builder(file).finalize(device="cpu")
    loaded = time.perf_counter()
    solver = newton.solvers.SolverMuJoCo(model, use_mujoco_cpu=True)
    ready = time.perf_counter()
    sizes = {name: int(getattr(solver.mj_model, name)) for name in _SIZES}
    return {"sizes": sizes, "load_s": loaded - started, "ready_s": ready - started}


def load(file: str) -> dict[str, Any]:
    """What its solver has of a file, and how long reading it and setting up took."""
    try:
        return _load(file)
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}


class Stepping:
    """Copies of a robot in worlds of their own, on the CPU.

    Args:
        file: the robot.
        envs: number of worlds. One is stepped by MuJoCo itself, more by MuJoCo Warp in a graph.
        dt: time step [s].
        home: positions to start from and to hold, one world's.
    """

    def __init__(self, file: str, envs: int, dt: float, home: list[float]):
        builder = newton.ModelBuilder()
        newton.solvers.SolverMuJoCo.register_custom_attributes(builder)
        builder.replicate(_builder(file), envs)
        self._model, self._dt = builder.finalize(device="cpu"), dt
        self._solver = newton.solvers.SolverMuJoCo(self._model, use_mujoco_cpu=envs == 1)
        self._states = self._model.state(), self._model.state()
        self._control = self._model.control()
        self._start = wp.array(home * envs, dtype=wp.float32, device="cpu")
        wp.copy(self._control.joint_target_q, self._start)
        self._two()
        self._graph = None
        if envs > 1:
            with wp.ScopedCapture(device="cpu") as capture:
                self._two()
            self._graph = capture.graph

    def _two(self) -> None:
        first, second = self._states
        for before, after in ((first, second), (second, first)):
            self._solver.step(before, after, self._control, None, self._dt)

    def run(self, steps: int) -> dict[str, Any]:
        """Start anew and tell the time that so many steps take."""
        state = self._states[0]
        wp.copy(state.joint_q, self._start)
        state.joint_qd.zero_()
        started = time.perf_counter()
        for _ in range(steps // 2):
            if self._graph is None:
                self._two()
            else:
                wp.capture_launch(self._graph)
        seconds = time.perf_counter() - started
        return {"seconds": seconds, "height": float(state.joint_q.numpy()[2])}


def main() -> None:
    """Answer until standard input ends."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # What libraries print is no answer.
    wp.set_device("cpu")
    stepping: Any = None
    for line in sys.stdin:
        request = json.loads(line)
        what = request.pop("what")
        if what == "versions":
            answer = {name: version(name) for name in _PACKAGES}
        elif what == "load":
            answer = load(**request)
        elif what == "stepping":
            stepping = Stepping(**request)
            answer = {}
        else:
            answer = stepping.run(**request)
        print(json.dumps(answer), file=answers, flush=True)


main()
