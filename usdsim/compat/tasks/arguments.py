"""Command lines of tasks: presets that they choose, values that they change, the launch."""

from __future__ import annotations

import argparse
import contextlib
import functools
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from usdsim.compat.app import AppLauncher
from usdsim.compat.tables import update_class_from_dict
from usdsim.compat.tools.files import yaml
from usdsim.core.errors import UnknownNameError

from .presets import PresetSelection, PresetTarget, collect_presets
from .registry import load_cfg_from_registry

__all__ = [
    "add_launcher_args",
    "enumerate_task_presets",
    "hydra_task_config",
    "launch_simulation",
    "resolve_task_config",
    "setup_preset_cli",
]

_ENV = "env_cfg_entry_point"


def hydra_task_config(
    task_name: str, agent_cfg_entry_point: str | None
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator that gives a function the configurations of a task and of its agent.

    Args:
        task_name: name of the task.
        agent_cfg_entry_point: argument of the registration that has the agent's; None: none.
    """

    def decorated(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def main(*arguments: Any, **options: Any) -> Any:
            cfgs = resolve_task_config(task_name, agent_cfg_entry_point)
            return function(*cfgs, *arguments, **options)

        return main

    return decorated


def resolve_task_config(task_name: str, agent_cfg_entry_point: str | None) -> tuple[Any, Any]:
    """Configurations of a task and of its agent, as the command line has them.

    Arguments such as ``presets=newton_mjwarp,small`` choose presets wherever they are, ``physics=``
    and ``renderer=`` those of one kind, and ``env.scene.camera=large`` the one of a place.
    Arguments such as ``env.sim.dt=0.01`` and ``agent.seed=3`` change values after that.

    Args:
        task_name: name of the task.
        agent_cfg_entry_point: argument of the registration that has the agent's; None: none.

    Returns:
        Both configurations; that of the agent is None if there is none.

    Raises:
        UnknownNameError: there is no preset of a name, or none of its kind, or no such value.
        InvalidValueError: two presets are chosen for one place.
    """
    entries = {"env": _ENV}
    if agent_cfg_entry_point:
        entries["agent"] = agent_cfg_entry_point
    given = [argument.lstrip("-+").partition("=") for argument in sys.argv[1:]]
    values = {name: text for name, equals, text in given if equals}
    wanted = {kind: _listed(values.get(kind.value, "")) for kind in PresetTarget}
    changes = {n: v for n, v in values.items() if n.partition(".")[0] in entries}
    chosen = PresetSelection([name for names in wanted.values() for name in names], changes)
    cfgs = {n: chosen.apply(load_cfg_from_registry(task_name, e), n) for n, e in entries.items()}
    _require_found(task_name, entries, wanted, chosen)
    for path, text in changes.items():
        if "." in path and path not in chosen.used:
            _change(cfgs, path, text)
    return cfgs["env"], cfgs.get("agent")


def enumerate_task_presets(task_name: str) -> dict[PresetTarget, list[str]] | None:
    """Names of the presets of a task's environment by kind, defaults left out, in order.

    Args:
        task_name: name of the task.

    Returns:
        The names; None: the task has no configuration that can be loaded.
    """
    try:
        cfg = load_cfg_from_registry(task_name, _ENV)
    except Exception:
        return None
    found: dict[PresetTarget, set[str]] = {kind: set() for kind in PresetTarget}
    for alternatives in collect_presets(cfg).values():
        for name in alternatives.keys() - {"default"}:
            found[PresetTarget.of(alternatives[name])].add(name)
    return {kind: sorted(names) for kind, names in found.items()}


def setup_preset_cli(
    parser: argparse.ArgumentParser, argv: Sequence[str] | None = None
) -> tuple[argparse.Namespace, list[str]]:
    """Parse a command line; arguments that choose presets are left over, with others it lacks.

    The help of the parser tells of them, and names the presets of the task of ``--task``.

    Args:
        parser: parser with all other arguments.
        argv: the arguments; None: those of the program.
    """
    peek = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    peek.add_argument("--task")
    peek.add_argument("-h", "--help", action="store_true")
    seen = peek.parse_known_args(argv)[0]
    names = enumerate_task_presets(seen.task) if seen.task and seen.help else None
    about = [_help_of(kind, (names or {}).get(kind)) for kind in PresetTarget]
    parser.add_argument_group("presets", description="; ".join(about) + ".")
    return parser.parse_known_args(argv)


def add_launcher_args(parser: argparse.ArgumentParser) -> None:
    """Add the launcher's options to a parser; see `AppLauncher.add_app_launcher_args`."""
    AppLauncher.add_app_launcher_args(parser)


@contextlib.contextmanager
def launch_simulation(
    env_cfg: Any, launcher_args: argparse.Namespace | Mapping[str, Any] | None = None
) -> Iterator[None]:
    """Context in which a task runs, on the device of the launcher's options.

    Args:
        env_cfg: configuration of the environment, whose device is set. With the option
            ``distributed``, it is the one of the process's ``LOCAL_RANK``.
        launcher_args: options of the launcher.
    """
    launcher = AppLauncher(launcher_args)
    given = launcher_args if isinstance(launcher_args, Mapping) else vars(launcher_args or object)
    device = given.get("device")
    if given.get("distributed"):
        device = f"cuda:{os.environ.get('LOCAL_RANK', '0')}"
    if device is not None and getattr(env_cfg, "sim", None) is not None:
        env_cfg.sim.device = device
    try:
        yield
    finally:
        launcher.app.close()


def _listed(text: str) -> list[str]:
    """Names in a list with commas."""
    return [name.strip() for name in text.split(",") if name.strip()]


def _require_found(
    task: str,
    entries: Mapping[str, str],
    wanted: Mapping[PresetTarget, list[str]],
    chosen: PresetSelection,
) -> None:
    """Refuse names that choose nothing, and those that choose nothing of their kind."""
    for kind, names in wanted.items():
        for name in names:
            taken = chosen.taken.get(name, set())
            if kind in taken or (taken and kind is PresetTarget.DOMAIN):
                continue
            known = {
                n: alternative
                for path, entry in entries.items()
                for options in collect_presets(load_cfg_from_registry(task, entry), path).values()
                for n, alternative in options.items()
                if kind is PresetTarget.DOMAIN or PresetTarget.of(alternative) is kind
            }
            # A preset within an alternative that is not taken has no say.
            if name not in known or kind is not PresetTarget.DOMAIN:
                raise UnknownNameError(f"preset of {kind.value}=", name, known, task)


def _change(cfgs: Mapping[str, Any], path: str, text: str) -> None:
    """Set the value at a path such as ``env.sim.dt``, given in YAML's notation."""
    first, *rest = path.split(".")
    change: Any = yaml.safe_load(text)
    for name in reversed(rest):
        change = {name: change}
    update_class_from_dict(cfgs[first], change)


def _help_of(kind: PresetTarget, names: Sequence[str] | None) -> str:
    """Help on an argument, with the names that it chooses among; None: unknown."""
    what = "presets" if kind is PresetTarget.DOMAIN else f"preset of the {kind.value}"
    return f"{kind.value}=NAME: {what}" + ("" if names is None else f" ({', '.join(names)})")
