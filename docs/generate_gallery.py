"""Writes the gallery: recordings of shipped robots, made by this build, that play in the page."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pages import write

import usdsim
from usdsim.cli.simulation.controls import make_control
from usdsim.cli.simulation.rollout import home_controls
from usdsim.viewer import Page

__all__ = ["SCENES", "Scene", "write_gallery"]

ROOT = Path(__file__).resolve().parent.parent
_FPS = 30.0


@dataclass(frozen=True)
class Scene:
    """A recording of the gallery."""

    title: str
    file: str
    """Below ``assets``."""
    controls: str = "hold"
    """As `usdsim simulate --ctrl` takes them."""
    seconds: float = 4.0
    guides: tuple[str, ...] = ()
    text: str = ""


SCENES = {
    "quadruped": Scene(
        "A quadruped trots", "quadruped/scene.xml", "gait", 4.0, ("contacts", "forces"),
        "An open-loop gait; arrows are contact forces.",
    ),
    "boxes": Scene(
        "Boxes fall and settle", "boxes/boxes.usda", "hold", 3.0, (),
        "A stage in USD alone, as an artist leaves it.",
    ),
    "finger": Scene(
        "A tendon pulls a finger", "finger/finger.xml", "sine:0.9:0.5", 4.0, (),
        "One string through eight sites bends three joints.",
    ),
    "hand": Scene(
        "A hand waves its fingers", "hand/hand.xml", "sine:0.6:0.4", 4.0, (),
        "Converted from MJCF, colliders and looks.",
    ),
    "arm7": Scene(
        "An arm of seven axes", "arm7/arm7.xml", "sine:0.3:0.3", 4.0, ("frames",),
        "Frames of all bodies are drawn.",
    ),
    "humanoid": Scene(
        "A humanoid loses its balance", "humanoid/humanoid.xml", "zero", 3.0, ("contacts",),
        "What a policy has yet to learn.",
    ),
}  # fmt: skip
"""By name of the page."""


def write_scene(path: Path, scene: Scene) -> None:
    """Simulate a scene, and write it as a page with its player."""
    model = usdsim.load_model(ROOT / "assets" / scene.file)
    data = usdsim.SceneData(model, batch=(1,))
    control = make_control(scene.controls, model, home_controls(model, data), 1)
    timestep = float(model.low.opt.timestep)
    every = max(1, round(1.0 / (_FPS * timestep)))
    with Page(path, model, data, fps=1.0 / (every * timestep), guides=scene.guides) as page:
        for step in range(round(scene.seconds / timestep)):
            if step % every == 0:
                page.add()
            data.actuator_ctrls = control(step * timestep)
            model.step(data)


def _part(name: str, scene: Scene) -> str:
    command = f"usdsim simulate assets/{scene.file} --ctrl {scene.controls}"
    guides = f" --guides {','.join(scene.guides)}" if scene.guides else ""
    return (
        f"## {scene.title}\n\n{scene.text}\n\n"
        f'<iframe class="player" src="playable/{name}.html" title="{scene.title}" '
        f'loading="lazy"></iframe>\n\n'
        f'<p><a href="playable/{name}.html">The page by itself</a>, made by</p>\n\n'
        f"```text\n{command} --seconds {scene.seconds:g} --record {name}.usd\n"
        f"usdsim view {name}.usd --export {name}.html{guides}\n```\n"
    )


def write_gallery(folder: Path) -> None:
    """Write ``gallery.txt``, and below ``site/playable`` a page per scene, into `folder`."""
    playable = folder / "site" / "playable"
    playable.mkdir(parents=True, exist_ok=True)
    for name, scene in SCENES.items():
        write_scene(playable / f"{name}.html", scene)
    write(folder, {"gallery.txt": "\n".join(_part(*item) for item in SCENES.items())})
