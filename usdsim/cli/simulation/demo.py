"""Convert a robot to USD, run 256 copies of it, record one, and compare with the bare engine."""

from __future__ import annotations

import argparse
import math
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from usdsim.cli.arguments import positive_float, positive_int
from usdsim.cli.console import Console
from usdsim.cli.destinations import require_writable
from usdsim.cli.findings import by_severity, rows_of
from usdsim.cli.sources import is_usd, source_path
from usdsim.cli.summary import summarize
from usdsim.core.errors import InvalidValueError, UnsupportedError
from usdsim.core.shipped import example_asset

from .controls import CONTROL_HELP, Control, gait_of, make_control
from .film import WorldFilm, take_picture
from .plot import plot_trajectories
from .rollout import Rollout, home_controls, joint_columns
from .speed import speed_ratios
from .walking import WalkingControl, policy_beside

__all__ = ["add_arguments", "run"]

_FILM_SIZE, _FILM_SECONDS = (320, 240), 2.0
"""Short and small, so that it takes seconds."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "robot", nargs="?", metavar="FILE", help="robot to run; default: the shipped quadruped"
    )
    parser.add_argument("--envs", type=positive_int, default=256, metavar="N", help="worlds")
    parser.add_argument(
        "--seconds", type=positive_float, default=5.0, metavar="S", help="simulated time [s]"
    )
    parser.add_argument(
        "--ctrl",
        metavar="SPEC",
        help=f"policy, {CONTROL_HELP}; default: policy if policy.npz lies beside the robot, else "
        "gait if it has one, else sine",
    )
    parser.add_argument(
        "--out", type=Path, default=Path("out/demo"), metavar="DIR", help="where results go"
    )


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Run the demo; 1 if a world failed."""
    source = source_path(arguments.robot or example_asset("quadruped/scene.xml"))
    name = source.parent.name if source.stem in ("scene", "robot", "model") else source.stem
    out = arguments.out
    require_writable(out / f"{name}.usda")
    out.mkdir(parents=True, exist_ok=True)
    document: dict[str, Any] = {"source": source}
    _heading(console, "stage")
    stage_path = _make_stage(source, out / f"{name}.usda", console, document)
    _heading(console, "physics")
    model = _load(stage_path, console, document)
    _heading(console, "simulation")
    failed = _simulate(model, arguments, out / name, console, document)
    console.result(document)
    return int(failed)


def _heading(console: Console, text: str) -> None:
    console.line(f"\n{text}\n{'-' * len(text)}")


def _make_stage(source: Path, target: Path, console: Console, document: dict[str, Any]) -> Path:
    """The robot as a stage: converted, or the file itself if it is one."""
    if is_usd(source):
        console.pairs([("opened", source)])
        document["stage"] = source
        return source
    from usdsim.converters import convert

    options = _drives() if source.suffix.lower() in (".urdf", ".xacro") else {}
    started = time.perf_counter()
    convert(source, target, **options)
    seconds = time.perf_counter() - started
    size = target.stat().st_size / 1024
    console.pairs(
        [
            ("source", source),
            ("written", f"{target} ({size:.0f} KiB, {seconds:.2f} s)"),
            *([("drives", "5 Hz, critically damped: URDF has no gains")] if options else []),
        ]
    )
    document |= {"stage": target, "convert_s": seconds}
    return target


def _drives() -> dict[str, Any]:
    """Drive gains for joints that would otherwise hang loose."""
    from usdsim.converters import JointDriveCfg, NaturalFrequencyGainsCfg

    gains = NaturalFrequencyGainsCfg(natural_frequency=2.0 * math.pi * 5.0, damping_ratio=1.0)
    return {"joint_drive": JointDriveCfg(gains=gains)}


def _load(path: Path, console: Console, document: dict[str, Any]) -> Any:
    """Parse and compile the stage and say what was found on it."""
    from usdsim.scene import load_model

    started = time.perf_counter()
    model = load_model(path)
    seconds = time.perf_counter() - started
    summary = summarize(model.description)
    rows = rows_of(model.report.findings if model.report else ())
    counts = by_severity(rows)
    console.pairs(
        [
            ("bodies", f"{summary['num_bodies']}, {summary['mass']:.4g} kg"),
            ("joints", f"{summary['num_joints']}, {summary['num_dofs']} degrees of freedom"),
            ("actuators", model.num_actuators),
            ("colliders", f"{summary['num_colliders']} of {_num_shapes(model)} shapes"),
            ("loaded in", f"{seconds:.2f} s"),
            ("findings", ", ".join(f"{n} {s}" for s, n in counts.items()) or "none"),
        ]
    )
    for row in [row for row in rows if row.severity != "info"][:5]:
        console.line(f"  {row.where}: {row.message}")
    document |= {"physics": summary, "load_s": seconds, "findings": counts}
    return model


def _num_shapes(model: Any) -> int:
    from pxr import UsdGeom

    from usdsim.usd import traverse

    return sum(prim.IsA(UsdGeom.Gprim) for prim in traverse(model.stage))


def _simulate(
    model: Any,
    arguments: argparse.Namespace,
    stem: Path,
    console: Console,
    document: dict[str, Any],
) -> bool:
    from usdsim.scene import SceneData

    envs = arguments.envs
    data = SceneData(model, batch=(envs,))
    home = home_controls(model, data)
    spec, control, steady = _controls(arguments.ctrl, Path(document["source"]), model, data, home)
    steps = max(1, round(arguments.seconds / float(model.low.opt.timestep)))
    recording = stem.with_name(f"{stem.name}_recording.usd")
    rollout = Rollout(model, data, control)
    film, missing = stem.with_name(f"{stem.name}.mp4"), ""
    with ExitStack() as open_files:
        shown = None
        try:
            shown = WorldFilm(film, model, data, size=_FILM_SIZE, until=_FILM_SECONDS)
            open_files.enter_context(shown)
        except UnsupportedError as error:
            missing = str(error)
        result = rollout.run(steps, console, stage=model.stage, recording=recording, film=shown)
    plot, no_plot = _plot(stem, model, result)
    picture = take_picture(stem.with_name(f"{stem.name}.png"), model, data)
    source = _source_model(document["source"], model.low.nu)
    engines = [model.low] if source is None else [model.low, source]
    ratio, *of_source = speed_ratios(model, engines, envs, steady, console)
    console.pairs(
        [
            ("ran", f"{result.extent}, {arguments.seconds:g} s, controls: {spec}"),
            ("speed", f"{result.env_steps_per_second:,.0f} env-steps/s, recording included"),
            ("ratio", f"{ratio:.2f} of the bare engine on the same model"),
            *[("", f"{value:.2f} of it on the source file") for value in of_source],
            ("recording", recording),
            ("plot", no_plot or plot),
            ("picture", picture),
            ("film", f"none: {missing}" if missing else film),
            *[("failure", failure) for failure in result.failures],
        ]
    )
    document |= {
        "simulation": result.record(),
        "controls": spec,
        "ratio_to_bare_engine": ratio,
        "ratio_to_bare_engine_on_source": of_source[0] if of_source else None,
        "recording": recording,
        "plot": plot,
        "picture": picture,
        "film": None if missing else film,
    }
    return bool(result.failures)


def _controls(
    asked: str | None, source: Path, model: Any, data: Any, home: Any
) -> tuple[str, Control, Control]:
    """Controls by name; and for comparisons, controls that do not depend on the worlds."""
    envs, wave = data.shape[0], "gait" if gait_of(model) else "sine"
    policy = policy_beside(source)
    spec = asked or ("policy" if policy else wave)
    if spec != "policy":
        control = make_control(spec, model, home, envs)
        return spec, control, control
    if policy is None:
        raise InvalidValueError("--ctrl", spec, "a robot with a file policy.npz beside it")
    return spec, WalkingControl(policy, model, data), make_control(wave, model, home, envs)


def _plot(stem: Path, model: Any, result: Any) -> tuple[Path | None, str]:
    """The plot of the joints, or why there is none."""
    path = stem.with_name(f"{stem.name}_joints.png")
    _, names = joint_columns(model)
    title = f"{stem.name}, world 0"
    try:
        return plot_trajectories(path, result.times, result.positions, names, title=title), ""
    except UnsupportedError as error:
        return None, f"none: {error}"


def _source_model(source: Path, controls: int) -> Any:
    """The source as the bare engine loads it; None if that is another file format or model."""
    if source.suffix.lower() not in (".xml", ".mjcf"):
        return None
    import mujoco

    from usdsim.engine.quiet import Quiet

    with Quiet():
        model = mujoco.MjModel.from_xml_path(str(source))
    return model if model.nu == controls else None
