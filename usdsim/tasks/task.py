"""Tasks: environments, and what learns and measures them."""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import reduce
from typing import Any

from usdsim.core.errors import InvalidValueError, UnknownNameError
from usdsim.core.functions import find_function

from .agents import PpoCfg

__all__ = ["OwnTask", "Task"]


@dataclass(frozen=True)
class Task:
    """A task: environment, configuration and agent, imported when asked for."""

    name: str
    """Name of the task."""
    summary: str
    """Goal of the task."""
    module: str
    """Module with the classes."""
    env: str
    """Class of the environment: that of the module, or ``ManagerBasedRLEnv``."""
    cfg: str
    """Class of the configuration."""
    measure: str
    """Function of the module from the environment to a number each, which says how well it goes."""
    policy: str = ""
    """The shipped policy, below the folder of assets; empty: there is none."""

    def env_cfg(self, **changes: Any) -> Any:
        """The configuration, with other values of some attributes.

        ``num_envs`` is that of its scene, and ``device`` that of its simulation.
        """
        return self._changed(self._of_module(self.cfg)(), changes)

    def agent_cfg(self) -> PpoCfg:
        """Configuration of the agent that learns it: ``AGENT`` of the module, or the default."""
        agent: PpoCfg = getattr(self._imported, "AGENT", PpoCfg()).copy()
        return agent

    def measures(self) -> dict[str, Callable[[Any], Any]]:
        """Measures that evaluations report besides returns: the task's own by its name."""
        return {self.measure: self._of_module(self.measure)} if self.measure else {}

    def metadata(self, env: Any) -> dict[str, Any]:
        """Metadata of a policy that was learned in an environment of the task."""
        known: dict[str, Any] = {"task": self.name, "num_envs": env.num_envs}
        if hasattr(self._imported, "deployment"):
            known["deployment"] = self._imported.deployment(env)
        return known

    def make(self, render_mode: str | None = None, **changes: Any) -> Any:
        """The environment; see `env_cfg` for what may be changed."""
        return self._of_module(self.env)(self.env_cfg(**changes), render_mode=render_mode)

    def _changed(self, cfg: Any, changes: dict[str, Any]) -> Any:
        if "num_envs" in changes:
            cfg.scene.num_envs = changes.pop("num_envs")
        if "device" in changes:
            cfg.sim = cfg.sim.replace(device=changes.pop("device"))
        for name, value in changes.items():
            if not hasattr(cfg, name):
                raise UnknownNameError("attribute", name, vars(cfg), f"task {self.name!r}")
            setattr(cfg, name, value)
        return cfg

    @property
    def _imported(self) -> Any:
        return importlib.import_module(self.module)

    def _of_module(self, name: str) -> Any:
        return getattr(self._imported, name)


class OwnTask(Task):
    """A task of a user's module, by import path.

    What it names is a configuration of an environment made of managers, a class of environments
    that says by an annotation of ``cfg``, its own or of its constructor, which configuration it
    takes, or a function of what may be changed (``num_envs``, ``seed`` ...) to an environment.
    ``AGENT`` of the module, a `PpoCfg`, learns it.

    Args:
        path: ``package.module:Name``.

    Raises:
        InvalidValueError: it cannot be imported.
    """

    def __init__(self, path: str):
        summary = (find_function(path, "task").__doc__ or "").partition("\n")[0]
        module, _, name = path.partition(":")
        super().__init__(path, summary, module, name, "", "")

    def env_cfg(self, **changes: Any) -> Any:
        """The configuration, as of any task.

        Raises:
            InvalidValueError: a function makes the environment, or no configuration is named.
        """
        kind = self._kind
        if kind is None:
            raise InvalidValueError(
                "task", self.name, "a configuration or a class of environments, to be changed so"
            )
        return self._changed(kind(), changes)

    def make(self, render_mode: str | None = None, **changes: Any) -> Any:
        """The environment; a function gets what is changed, and ``render_mode`` if it is given."""
        found, kind = find_function(self.name, "task"), self._kind
        if kind is None:
            return found(**changes, **({} if render_mode is None else {"render_mode": render_mode}))
        if found is kind:
            from usdsim.envs import ManagerBasedRLEnv

            found = ManagerBasedRLEnv
        return found(self.env_cfg(**changes), render_mode=render_mode)

    @property
    def _kind(self) -> Any:
        """Class of the configuration; None: a function makes the environment."""
        from usdsim.envs import DirectRLEnvCfg, ManagerBasedRLEnvCfg
        from usdsim.envs.simulated import SimulatedEnv

        found: Any = find_function(self.name, "task")
        if not isinstance(found, type):
            return None
        if issubclass(found, ManagerBasedRLEnvCfg):
            return found
        for kind in _annotated(found) if issubclass(found, SimulatedEnv) else ():
            if isinstance(kind, type) and issubclass(kind, DirectRLEnvCfg | ManagerBasedRLEnvCfg):
                return kind
        raise InvalidValueError(
            "task", self.name,
            "a ManagerBasedRLEnvCfg, a class of environments with an annotation cfg, or a function",
        )  # fmt: skip


def _annotated(env: type) -> Iterator[Any]:
    """Annotations of ``cfg``, of a class and its constructor, and of its bases."""
    for base in env.__mro__:
        for holder in (base, vars(base).get("__init__")):
            note = inspect.get_annotations(holder).get("cfg") if callable(holder) else None
            if isinstance(note, str):
                scope: Any = sys.modules[base.__module__]
                note = reduce(lambda of, name: getattr(of, name, None), note.split("."), scope)
            yield note
