"""What cameras see of each world: looks authored apart, soft bodies, cables and tendons."""

from __future__ import annotations

import numpy as np
import pytest
from device_under_test import DEVICE
from pxr import Gf, Sdf, UsdGeom, UsdShade
from sensor_stages import row_of_boxes

import usdsim
from usdsim.render.worlds.visible import visible_worlds
from usdsim.sensors import Camera, CameraCfg
from usdsim.sim import SimulationCfg, SimulationContext
from usdsim.spawners import PinholeCameraCfg

SIZE = (24, 24)
MIDDLE = (SIZE[1] // 2, SIZE[0] // 2)
RED, GREEN, BLUE = (0.9, 0.05, 0.05), (0.05, 0.9, 0.05), (0.05, 0.05, 0.9)


def _stage(count: int):
    """Environments on a row, turned, each with a box and a sign that is no body."""
    stage = row_of_boxes(count)
    for index in range(count):
        env = UsdGeom.Xform.Get(stage, f"/World/envs/env_{index}")
        env.AddRotateZOp().Set(90.0 * index)
        sign = UsdGeom.Cube.Define(stage, f"{env.GetPath()}/sign")
        sign.CreateSizeAttr(0.4)
        sign.AddTranslateOp().Set(Gf.Vec3d(0.0, 1.0, 1.0))
        sign.CreateDisplayColorAttr([GREEN])
    return stage


def _author_apart(stage) -> None:
    """Another colour, another material, nothing seen, another shape, elsewhere, other labels."""
    box = "/World/envs/env_{}/box"
    UsdGeom.Cube.Get(stage, box.format(1)).GetDisplayColorAttr().Set([BLUE])
    material = UsdShade.Material.Define(stage, "/World/looks/green")
    shader = UsdShade.Shader.Define(stage, "/World/looks/green/shader")
    shader.CreateIdAttr("UsdPreviewSurface")
    shader.CreateInput("diffuseColor", Sdf.ValueTypeNames.Color3f).Set(GREEN)
    material.CreateSurfaceOutput().ConnectToSource(shader.ConnectableAPI(), "surface")
    prim = stage.GetPrimAtPath(box.format(2))
    prim.RemoveProperty("primvars:displayColor")
    UsdShade.MaterialBindingAPI.Apply(prim).Bind(material)
    UsdGeom.Imageable(stage.GetPrimAtPath(box.format(3))).MakeInvisible()
    UsdGeom.Imageable(stage.GetPrimAtPath("/World/envs/env_4/sign")).MakeInvisible()
    ball = UsdGeom.Sphere.Define(stage, "/World/envs/env_4/ball")
    ball.CreateRadiusAttr(0.2)
    ball.AddTranslateOp().Set(Gf.Vec3d(0.0, 1.0, 1.0))
    ball.CreateDisplayColorAttr([BLUE])
    labels = stage.GetPrimAtPath(box.format(5)).CreateAttribute(
        "semantics:labels:class", Sdf.ValueTypeNames.TokenArray
    )
    labels.Set(["cup"])


def _camera(target: float, *types: str, name: str) -> Camera:
    """A camera of every environment, 1.5 m before what stands at this y."""
    turn = (0.0, 0.0, 1.0, 0.0)
    return Camera(
        CameraCfg(
            prim_path=f"/World/envs/env_.*/{name}",
            width=SIZE[0],
            height=SIZE[1],
            data_types=list(types),
            spawn=PinholeCameraCfg(clipping_range=(0.01, 100.0)),
            offset=CameraCfg.OffsetCfg(pos=(1.5, target, 1.0), rot=turn, convention="world"),
        )
    )


def _hue(pixel: np.ndarray) -> str:
    return "RGB"[int(np.argmax(pixel))] if np.ptp(pixel.astype(int)) > 40 else "-"


def test_environments_are_seen_as_each_is_authored(device: str):
    stage = _stage(6)
    _author_apart(stage)
    with SimulationContext(
        SimulationCfg(dt=0.01, device=device, gravity=(0, 0, 0)), stage=stage
    ) as sim:
        types = ("rgb", "depth", "semantic_segmentation", "instance_id_segmentation_fast")
        boxes, signs = (_camera(y, *types, name=n) for y, n in ((0.0, "eye"), (1.0, "other")))
        sim.reset()
        seen_box, seen_sign = boxes.data.output, signs.data.output
        hues = [_hue(p) for p in seen_box["rgb"].numpy()[:, *MIDDLE]]
        assert hues == ["R", "B", "G", "-", "R", "R"]
        hues = [_hue(p) for p in seen_sign["rgb"].numpy()[:, *MIDDLE]]
        assert hues == ["G", "G", "G", "G", "B", "G"]
        depth = seen_box["depth"].numpy()[:, *MIDDLE, 0]
        np.testing.assert_allclose(depth, [1.3, 1.3, 1.3, np.inf, 1.3, 1.3], atol=1e-4)
        labels = boxes.data.info["semantic_segmentation"]["idToLabels"]
        found = [
            labels[int(k)]["class"]
            for k in seen_box["semantic_segmentation"].numpy()[:, *MIDDLE, 0]
        ]
        assert found == ["UNLABELLED"] * 3 + ["BACKGROUND", "UNLABELLED", "cup"]
        labels = signs.data.info["instance_id_segmentation_fast"]["idToLabels"]
        numbers = seen_sign["instance_id_segmentation_fast"].numpy()[:, *MIDDLE, 0]
        assert [labels[int(k)].rpartition("/")[2] for k in numbers] == ["sign"] * 4 + [
            "ball",
            "sign",
        ]
        # What is said of single worlds counts for what they show, and shows nothing that is hidden.
        boxes.set_part_colours("/World/envs/env_0/box", (*GREEN, 1.0))
        hues = [_hue(p) for p in boxes.data.output["rgb"].numpy()[:, *MIDDLE]]
        assert hues == ["G", "G", "G", "-", "G", "G"]


def test_environments_that_are_alike_share_their_parts():
    stage = _stage(4)
    with SimulationContext(SimulationCfg(), stage=stage) as sim:
        sim.reset()
        found = visible_worlds(stage, sim.engine, sim.env_paths)
        assert len(found.rgba) == 1 and len(found.parts.paths) == 2
    UsdGeom.Cube.Get(stage, "/World/envs/env_3/box").GetDisplayColorAttr().Set([BLUE])
    with SimulationContext(SimulationCfg(), stage=stage) as sim:
        sim.reset()
        found = visible_worlds(stage, sim.engine, sim.env_paths)
        assert len(found.rgba) == 4 and len(found.parts.paths) == 2


SOFT = """
<mujoco><option gravity="0 0 0"/><worldbody>
  <flexcomp name="sheet" type="grid" count="4 4 1" spacing=".1 .1 .1" dim="2" radius=".005"
    mass=".1" rgba="1 0 0 1" pos="0 0 1" euler="0 90 0"/>
  <flexcomp name="rope" type="grid" count="5 1 1" spacing=".1 .1 .1" dim="1" radius=".03" mass=".1"
    rgba="0 1 0 1" pos="0 .8 1" euler="0 90 0"/>
  <site name="top" pos="0 -.8 1.3"/>
  <body name="bob" pos="0 -.8 .7"><freejoint/><geom size=".05" rgba="1 1 1 1"/><site name="low"/>
  </body><camera name="eye" pos="4 0 1" xyaxes="0 1 0 0 0 1" fovy="30"/>
</worldbody>
<tendon><spatial name="string" width=".03" rgba="0 0 1 1">
  <site site="top"/><site site="low"/></spatial></tendon></mujoco>
"""
EDGE = 120
PIXEL = 1.6
"""Edges of what is seen are found to a pixel, and its nearness changes their place a little."""


@pytest.fixture(scope="module")
def soft_model(tmp_path_factory: pytest.TempPathFactory):
    path = tmp_path_factory.mktemp("soft") / "soft.xml"
    path.write_text(SOFT)
    return usdsim.load_model(path)


@pytest.mark.parametrize("on", ["cpu", DEVICE])
def test_soft_bodies_cables_and_tendons_are_seen_in_every_world(soft_model, on: str):
    """What is red, green and blue reaches as far as the points that the engine has there."""
    data = usdsim.SceneData(soft_model, batch=(3,), device=on)
    rng = np.random.default_rng(3)
    state = np.array(data.dof_pos)
    state[:, :-7] += rng.uniform(-0.04, 0.04, state[:, :-7].shape)
    state[:, -6] += (0.0, 0.2, -0.2)
    data.dof_pos = state
    soft_model.forward_kinematic(data)
    camera = soft_model.cameras["eye"]
    camera.set_render_target("image", EDGE, EDGE)
    seen = camera.render(data).astype(int)
    vertices = data.engine.read("flexvert_xpos")
    bob = data.engine.read("xpos")[:, data.engine.compiled.names.index("body", "bob")]
    top = np.broadcast_to([0.0, -0.8, 1.3], bob.shape)
    string = np.stack([top, bob], axis=1)
    focal = EDGE / 2.0 / np.tan(np.radians(15.0))
    for points, channel, width in ((vertices[:, :16], 0, 0.0), (vertices[:, 16:], 1, 0.03),
                                   (string, 2, 0.03)):  # fmt: skip
        others = np.delete(seen, channel, axis=-1).max(axis=-1)
        for world in range(3):
            rows, columns = np.nonzero(seen[world, ..., channel] > 2 * others[world] + 25)
            depth = 4.0 - points[world, :, 0]
            y = EDGE / 2.0 + focal * points[world, :, 1] / depth
            reach = focal * width / 4.0
            low, high = y.min() - reach, y.max() + reach
            assert columns.min() == pytest.approx(low, abs=PIXEL)
            assert columns.max() + 1 == pytest.approx(high, abs=PIXEL)
            z = EDGE / 2.0 - focal * (points[world, :, 2] - 1.0) / depth
            assert rows.min() == pytest.approx(z.min() - reach, abs=PIXEL)
            if channel < 2:  # the ball at its end hides the rest of the string
                assert rows.max() + 1 == pytest.approx(z.max() + reach, abs=PIXEL)
    assert (seen[0] != seen[1]).any() and (seen[1] != seen[2]).any()


def test_what_is_authored_while_worlds_are_seen_shows_in_its_environments(device: str):
    """Colours, of prims and of materials, and visibility, of one environment or of all."""
    stage = _stage(3)
    for index in range(3):
        UsdShade.Material.Define(stage, f"/World/envs/env_{index}/look")
    shaders = []
    for path in ("/World/looks/all", "/World/envs/env_1/look"):
        material = UsdShade.Material.Define(stage, path)
        shader = UsdShade.Shader.Define(stage, f"{path}/shader")
        shader.CreateIdAttr("UsdPreviewSurface")
        shaders.append(shader.CreateInput("diffuseColor", Sdf.ValueTypeNames.Color3f))
        shaders[-1].Set(GREEN)
        material.CreateSurfaceOutput().ConnectToSource(shader.ConnectableAPI(), "surface")
    for index in range(3):
        prim = stage.GetPrimAtPath(f"/World/envs/env_{index}/sign")
        prim.RemoveProperty("primvars:displayColor")
        path = "/World/envs/env_1/look" if index == 1 else "/World/looks/all"
        material = UsdShade.Material.Get(stage, path)
        UsdShade.MaterialBindingAPI.Apply(prim).Bind(material)
    with SimulationContext(
        SimulationCfg(dt=0.01, device=device, gravity=(0, 0, 0)), stage=stage
    ) as sim:
        boxes, signs = (_camera(y, "rgb", name=n) for y, n in ((0.0, "eye"), (1.0, "other")))
        sim.reset()

        def hues(camera: Camera) -> list[str]:
            sim.step()
            camera.update(0.01)
            return [_hue(p) for p in camera.data.output["rgb"].numpy()[:, *MIDDLE]]

        assert hues(boxes) == ["R"] * 3 and hues(signs) == ["G"] * 3
        UsdGeom.Cube.Get(stage, "/World/envs/env_1/box").GetDisplayColorAttr().Set([BLUE])
        UsdGeom.Imageable(stage.GetPrimAtPath("/World/envs/env_2/box")).MakeInvisible()
        assert hues(boxes) == ["R", "B", "-"]
        shaders[0].Set(BLUE)
        assert hues(signs) == ["B", "G", "B"]
        shaders[1].Set(RED)
        assert hues(signs) == ["B", "R", "B"]
        UsdGeom.Imageable(stage.GetPrimAtPath("/World/envs/env_2/box")).MakeVisible()
        assert hues(boxes) == ["R", "B", "R"]
