"""Pictures: what is in them and where, with and without an OpenGL context."""

from __future__ import annotations

import io
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import matplotlib.image
import mujoco
import numpy as np
import pytest
from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics, UsdShade

import usdsim
from usdsim.core.errors import (
    FileError,
    InvalidValueError,
    ShapeError,
    StageError,
    UnknownNameError,
    UnsupportedError,
)
from usdsim.math.rotations import quat_apply, quat_conjugate, quat_to_wxyz
from usdsim.render.drawable import DrawableScene
from usdsim.sim import (
    Renderer,
    SimulationCfg,
    SimulationContext,
    frame_points,
    look_at,
    render_picture,
    write_png,
)
from usdsim.usd import create_stage

ASSETS = Path(__file__).resolve().parent.parent.parent / "assets"
RED, GREEN, BLUE = (0.9, 0.05, 0.05), (0.05, 0.8, 0.05), (0.1, 0.2, 0.9)
SIZE = (160, 120)


def _ball(
    stage: Usd.Stage, path: str, at: tuple[float, ...], colour, *, moves=True
) -> UsdGeom.Sphere:
    ball = UsdGeom.Sphere.Define(stage, path)
    ball.CreateRadiusAttr(0.1)
    ball.AddTranslateOp().Set(Gf.Vec3d(*at))
    if colour is not None:
        ball.CreateDisplayColorAttr([colour])
    UsdPhysics.CollisionAPI.Apply(ball.GetPrim())
    if moves:
        UsdPhysics.RigidBodyAPI.Apply(ball.GetPrim())
    return ball


def _balls() -> Usd.Stage:
    stage = create_stage()
    UsdPhysics.Scene.Define(stage, "/scene")
    _ball(stage, "/red", (0.0, 0.5, 1.0), RED)
    _ball(stage, "/green", (0.0, -0.5, 1.0), GREEN)
    return stage


def _pixel(pose: np.ndarray, point, fovy: float, size=SIZE) -> tuple[int, int]:
    """Row and column of a point, by the pinhole formula."""
    local = quat_apply(quat_conjugate(pose[3:]), np.asarray(point, float) - pose[:3])
    focal = size[1] / 2.0 / np.tan(np.radians(fovy) / 2.0)
    column = size[0] / 2.0 + focal * local[0] / -local[2]
    row = size[1] / 2.0 - focal * local[1] / -local[2]
    return int(np.floor(row + 1e-6)), int(np.floor(column + 1e-6))


def _taken(source, data=None, camera=None, **options) -> np.ndarray:
    return render_picture(source, data, camera=camera, size=SIZE, **options)


def _has_hue(pixel: np.ndarray, channel: int) -> bool:
    others = np.delete(pixel.astype(int), channel)
    return bool(pixel[channel] > 2 * others.max() and pixel[channel] > 60)


# Cameras ------------------------------------------------------------------------------------------


def test_look_at_puts_its_target_in_the_middle_and_up_upright():
    pose = look_at((3.0, -2.0, 1.5), (0.5, 0.2, 0.3))
    assert _pixel(pose, (0.5, 0.2, 0.3), 40.0) == (60, 80)
    row, column = _pixel(pose, (0.5, 0.2, 0.6), 40.0)
    assert row < 60 and column == 80
    right = quat_apply(pose[3:], np.array([1.0, 0.0, 0.0]))
    assert right[2] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("ahead", [(0.0, 0.0, -1.0), (0.0, 0.0, 2.0), (1.0, 0.0, 0.0)])
def test_look_at_works_along_every_axis(ahead):
    pose = look_at((1.0, 2.0, 3.0), np.add((1.0, 2.0, 3.0), ahead))
    assert np.linalg.norm(pose[3:]) == pytest.approx(1.0)
    seen = quat_apply(pose[3:], np.array([0.0, 0.0, -1.0]))
    np.testing.assert_allclose(seen, np.array(ahead) / np.linalg.norm(ahead), atol=1e-12)


@pytest.mark.parametrize(("fovy", "aspect", "margin"), [(30.0, 4 / 3, 0.0), (60.0, 0.5, 0.2)])
def test_framed_points_fill_the_picture_and_stay_inside(fovy, aspect, margin):
    points = np.random.default_rng(1).normal(size=(50, 3)) * (2.0, 1.0, 0.5) + (5.0, 0.0, 1.0)
    pose = frame_points(points, (-1.0, 0.4, -0.5), fovy=fovy, aspect=aspect, margin=margin)
    local = quat_apply(quat_conjugate(pose[3:]), points - pose[:3])
    slope = np.tan(np.radians(fovy) / 2.0) * np.array([aspect, 1.0])
    places = local[:, :2] / -local[:, 2:] / slope
    assert (local[:, 2] < 0.0).all()
    inside = 1.0 - margin
    assert np.abs(places).max() == pytest.approx(inside)
    # One direction is filled from edge to edge, the other is centred.
    filled = int(np.argmax(np.ptp(places, axis=0)))
    np.testing.assert_allclose(
        [places[:, filled].min(), places[:, filled].max()], [-inside, inside], atol=1e-9
    )


def test_a_single_point_is_framed_from_outside():
    pose = frame_points([[1.0, 2.0, 3.0]], fovy=40.0, aspect=1.0)
    assert _pixel(pose, (1.0, 2.0, 3.0), 40.0) == (60, 80)
    assert np.linalg.norm(pose[:3] - (1.0, 2.0, 3.0)) > 0.0


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda: look_at((0, 0, 0), (0, 0, 0)), InvalidValueError, "target with eye"),
        (lambda: look_at((0, 0), (0, 0, 0)), ShapeError, "eye has shape"),
        (lambda: look_at((0, 0, np.nan), (0, 0, 0)), InvalidValueError, "eye is"),
        (lambda: frame_points(np.zeros((0, 3)), fovy=40, aspect=1), ShapeError, "points"),
        (lambda: frame_points([[0, 0, np.inf]], fovy=40, aspect=1), InvalidValueError, "points"),
        (lambda: frame_points([[0, 0, 0]], fovy=180, aspect=1), InvalidValueError, "fovy is 180"),
        (lambda: frame_points([[0, 0, 0]], fovy=40, aspect=0), InvalidValueError, "aspect is 0"),
        (
            lambda: frame_points([[0, 0, 0]], fovy=40, aspect=1, margin=1.0),
            InvalidValueError,
            "margin is 1.0",
        ),
        (
            lambda: frame_points([[0, 0, 0]], (0, 0, 0), fovy=40, aspect=1),
            InvalidValueError,
            "direction",
        ),
    ],
)
def test_wrong_cameras_are_refused(call, error, match):
    with pytest.raises(error, match=match):
        call()


# Files --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["noise", "gradient", "flat", "pixel"])
def test_a_png_reads_back_as_it_was(kind: str, tmp_path: Path):
    rows, columns = np.mgrid[0:37, 0:53]
    image = {
        "noise": np.random.default_rng(0).integers(0, 256, (37, 53, 3)),
        "gradient": np.stack([rows * 6, columns * 4, rows + columns], axis=-1),
        "flat": np.full((5, 4, 3), 200),
        "pixel": np.array([[[1, 2, 255]]]),
    }[kind].astype(np.uint8)
    path = write_png(tmp_path / "folder" / "image.png", image)
    read = matplotlib.image.imread(io.BytesIO(path.read_bytes()), format="png")
    np.testing.assert_array_equal(np.round(read * 255).astype(np.uint8)[..., :3], image)


def test_smooth_pictures_are_small(tmp_path: Path):
    rows, columns = np.mgrid[0:200, 0:300]
    image = np.stack([rows, columns // 2, (rows + columns) // 2], axis=-1).astype(np.uint8)
    assert write_png(tmp_path / "image.png", image).stat().st_size < image.nbytes / 50


def test_wrong_images_and_places_are_refused(tmp_path: Path):
    image = np.zeros((2, 2, 3), np.uint8)
    with pytest.raises(InvalidValueError, match=r"ends with \.png"):
        write_png(tmp_path / "image.jpg", image)
    with pytest.raises(ShapeError, match=r"\(2, 2, 4\)"):
        write_png(tmp_path / "image.png", np.zeros((2, 2, 4), np.uint8))
    with pytest.raises(InvalidValueError, match="float64"):
        write_png(tmp_path / "image.png", image.astype(float))
    (tmp_path / "file").touch()
    with pytest.raises(FileError, match="Cannot write"):
        write_png(tmp_path / "file" / "image.png", image)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


# What is shown ------------------------------------------------------------------------------------


def _colour(picture: DrawableScene, path: str) -> np.ndarray:
    return picture.model.geom_rgba[picture.model.geom(path).id]


def _is_shown(picture: DrawableScene, path: str) -> bool:
    return bool(picture.model.geom_group[picture.model.geom(path).id] == 0)


def test_what_hangs_on_bodies_follows_poses_alone():
    """The oracle moves the joints of the source file's model."""
    bare = mujoco.MjModel.from_xml_path(str(ASSETS / "quadruped" / "scene.xml"))
    data = mujoco.MjData(bare)
    data.qpos[:] = bare.key_qpos[0]
    data.qpos[7:] += np.random.default_rng(2).normal(size=12) * 0.2
    data.qpos[:3] = 0.3, -0.2, 0.6
    mujoco.mj_forward(bare, data)
    model = usdsim.load_model(ASSETS / "quadruped" / "scene.xml")
    picture = DrawableScene(model.stage)
    paths = {body.name: body.path for body in model.description.bodies}
    wanted = np.concatenate([data.xpos, data.xquat[:, [1, 2, 3, 0]]], axis=1)
    picture.move({paths[bare.body(i).name]: wanted[i] for i in range(1, bare.nbody)})
    ours = picture.data
    for name in ("trunk", "fl_foot", "rr_shank"):
        assert name in paths or picture.model.geom(name).id >= 0
    placed = {tuple(np.round(p, 6)) for p in ours.geom_xpos[ours.model.geom_bodyid > 0]}
    assert placed == {tuple(np.round(p, 6)) for p in data.geom_xpos[bare.geom_bodyid > 0]}
    site, ours_site = data.site("imu"), ours.site("imu")
    np.testing.assert_allclose(ours_site.xpos, site.xpos, atol=1e-9)
    np.testing.assert_allclose(ours_site.xmat, site.xmat, atol=1e-9)


def test_guides_and_the_invisible_are_hidden_and_materials_colour_the_rest():
    stage = _balls()
    for name, change in (
        ("guide", lambda ball: ball.CreatePurposeAttr("guide")),
        ("proxy", lambda ball: ball.CreatePurposeAttr("proxy")),
        ("invisible", lambda ball: ball.MakeInvisible()),
        ("looked_at", lambda ball: UsdPhysics.CollisionAPI(ball).GetCollisionEnabledAttr().Set(0)),
    ):
        change(_ball(stage, f"/{name}", (0.0, 0.0, 2.0), BLUE, moves=False))
    painted = _ball(stage, "/painted", (0.0, 0.0, 3.0), None, moves=False).GetPrim()
    shader = UsdShade.Shader.Define(stage, "/look/shader")
    shader.CreateIdAttr("UsdPreviewSurface")
    shader.CreateInput("diffuseColor", Sdf.ValueTypeNames.Color3f).Set(Gf.Vec3f(*BLUE))
    shader.CreateInput("opacity", Sdf.ValueTypeNames.Float).Set(0.5)
    look = UsdShade.Material.Define(stage, "/look")
    look.CreateSurfaceOutput().ConnectToSource(shader.ConnectableAPI(), "surface")
    UsdShade.MaterialBindingAPI.Apply(painted).Bind(look)
    picture = DrawableScene(stage)
    shown = {name for name in ("guide", "proxy", "invisible", "looked_at", "painted", "red")
             if _is_shown(picture, f"/{name}")}  # fmt: skip
    assert shown == {"looked_at", "painted", "red"}
    np.testing.assert_allclose(_colour(picture, "/painted"), [*BLUE, 0.5], atol=1e-6)
    np.testing.assert_allclose(_colour(picture, "/red"), [*RED, 1.0], atol=1e-6)


def test_bodies_are_where_the_stage_has_them_not_where_joints_will_pull_them():
    stage = _balls()
    hinge = UsdPhysics.RevoluteJoint.Define(stage, "/hinge")
    hinge.CreateBody1Rel().SetTargets(["/red"])
    hinge.CreateLocalPos0Attr(Gf.Vec3f(0.0, 3.0, 1.0))
    picture = DrawableScene(stage)
    at = picture.data.geom_xpos[picture.model.geom("/red").id]
    np.testing.assert_allclose(at, (0.0, 0.5, 1.0), atol=1e-6)


def test_a_stage_without_ground_gets_a_floor_below_everything():
    stage = _balls()
    picture = DrawableScene(stage)
    assert _is_shown(picture, "/usdsim_floor")
    floor = picture.model.geom("/usdsim_floor").id
    assert picture.data.geom_xpos[floor, 2] == pytest.approx(0.9)
    ground = UsdGeom.Plane.Define(stage, "/ground")
    UsdPhysics.CollisionAPI.Apply(ground.GetPrim())
    ground.CreateDisplayColorAttr([(0.0, 0.0, 0.0)])
    picture = DrawableScene(stage)
    assert not _is_shown(picture, "/usdsim_floor")
    assert _colour(picture, "/ground")[:3].min() > 0.5  # shadows are seen


@pytest.mark.parametrize("painted", [True, False])
def test_grey_ground_is_grey(painted: bool):
    """The engine has a colour that means none, and the ground's look is white."""
    stage = _balls()
    ground = UsdGeom.Plane.Define(stage, "/ground")
    UsdPhysics.CollisionAPI.Apply(ground.GetPrim())
    if painted:
        ground.CreateDisplayColorAttr([(0.5, 0.5, 0.5)])
    colour = _colour(DrawableScene(stage), "/ground")
    np.testing.assert_allclose(colour, (0.5, 0.5, 0.5, 1.0), atol=0.01)
    assert (colour[:3] != 0.5).all()
    image = _taken(stage, camera=look_at((0.0, 0.0, 6.0), (0.1, 0.0, 0.0)))
    if image is not None:
        assert np.median(image[-20:]) < 200


def test_pictures_are_about_what_moves_and_what_is_near_it():
    stage = _balls()
    _ball(stage, "/near", (0.0, 0.0, 1.5), BLUE, moves=False)
    _ball(stage, "/far", (50.0, 0.0, 1.0), BLUE, moves=False)
    points = DrawableScene(stage).points
    np.testing.assert_allclose(points.min(axis=0), (-0.1, -0.6, 0.9), atol=1e-6)
    np.testing.assert_allclose(points.max(axis=0), (0.1, 0.6, 1.6), atol=1e-6)


def test_a_stage_of_nothing_to_see_is_framed_nevertheless():
    stage = create_stage()
    body = UsdGeom.Xform.Define(stage, "/body").GetPrim()
    UsdPhysics.RigidBodyAPI.Apply(body)
    UsdPhysics.MassAPI.Apply(body).CreateMassAttr(1.0)
    UsdPhysics.MassAPI(body).CreateDiagonalInertiaAttr(Gf.Vec3f(1.0))
    assert np.ptp(DrawableScene(stage).points, axis=0).min() > 0.0


# Pictures -----------------------------------------------------------------------------------------


def test_balls_are_where_projection_says():
    camera = look_at((4.0, 1.0, 2.0), (0.0, 0.0, 1.0))
    image = _taken(_balls(), camera=camera)
    if image is None:
        return
    assert image.shape == (120, 160, 3) and image.dtype == np.uint8
    assert _has_hue(image[_pixel(camera, (0.0, 0.5, 1.0), 32.0)], 0)
    assert _has_hue(image[_pixel(camera, (0.0, -0.5, 1.0), 32.0)], 1)
    red = [_has_hue(pixel, 0) for pixel in image.reshape(-1, 3)]
    assert 20 < sum(red) < 600


def test_pictures_follow_the_world_they_are_taken_of():
    model = usdsim.load_model(_balls())
    data = usdsim.SceneData(model, batch=(3,))
    positions = np.array(data.dof_pos)
    positions[1, 2] = 2.0
    data.dof_pos = positions
    assert model.get_link("/red").get_position(data)[1, 2] == 2.0
    camera = look_at((6.0, 0.0, 1.5), (0.0, 0.0, 1.5))
    old, new = (_pixel(camera, (0.0, 0.5, z), 32.0) for z in (1.0, 2.0))
    for world, here, gone in ((0, old, new), (np.int64(1), new, old), (2, old, new)):
        image = _taken(model, data, camera, world=world)
        if image is not None:
            assert _has_hue(image[here], 0) and not _has_hue(image[gone], 0)


def test_environments_are_shown_together_and_alone():
    stage = create_stage()
    for i in range(3):
        env = UsdGeom.Xform.Define(stage, f"/World/envs/env_{i}")
        env.AddTranslateOp().Set(Gf.Vec3d(0.0, 2.0 * i, 0.0))
        _ball(stage, f"/World/envs/env_{i}/ball", (0.0, 0.0, 1.0), RED)
    camera = look_at((12.0, 2.0, 1.0), (0.0, 2.0, 1.0))
    with SimulationContext(SimulationCfg(dt=0.01, gravity=(0.0, 0.0, 0.0)), stage) as sim:
        sim.reset()
        sim.engine.write("qvel", [[0, 0, 1.0, 0, 0, 0]], [1])
        for _ in range(50):
            sim.step()
        spots = [(0.0, 0.0, 1.0), (0.0, 2.0, 1.5), (0.0, 4.0, 1.0)]
        for worlds in ((0, 1, 2), (1,), (0, 2)):
            image = _taken(sim, camera=camera, world=worlds)
            if image is not None:
                seen = [_has_hue(image[_pixel(camera, spot, 32.0)], 0) for spot in spots]
                assert seen == [i in worlds for i in range(3)]
        with pytest.raises(InvalidValueError, match="from 0 to 2"):
            render_picture(sim, world=3)
        with pytest.raises(InvalidValueError, match="different indices"):
            render_picture(sim, world=(1, 1))
        sim.stop()
        image = _taken(sim, camera=camera, world=(0, 1))
        if image is not None:  # as authored
            assert _has_hue(image[_pixel(camera, (0.0, 2.0, 1.0), 32.0)], 0)


def test_cameras_of_the_stage_take_pictures():
    stage = _balls()
    camera = UsdGeom.Camera.Define(stage, "/eye")
    camera.AddTranslateOp().Set(Gf.Vec3d(0.0, 0.5, 5.0))  # looks down at the red ball
    image = _taken(stage, camera="/eye")
    if image is not None:
        assert _has_hue(image[60, 80], 0)
        with pytest.raises(UnknownNameError, match="/nose"):
            render_picture(stage, camera="/nose")


def test_pictures_may_be_taken_in_another_thread():
    camera = look_at((4.0, 1.0, 2.0), (0.0, 0.0, 1.0))
    here = _taken(_balls(), camera=camera)
    with ThreadPoolExecutor(1) as pool:
        there = pool.submit(_taken, _balls(), camera=camera).result()
    assert (here is None) == (there is None)
    if here is not None:
        np.testing.assert_array_equal(here, there)


def test_a_renderer_takes_many_pictures_until_it_is_closed():
    model = usdsim.load_model(_balls())
    data = usdsim.SceneData(model)
    try:
        renderer = Renderer(model, data, size=SIZE)
    except UnsupportedError as error:
        assert "MUJOCO_GL" in str(error)
        return
    with renderer:
        assert renderer.size == SIZE
        first = renderer.render()
        row, column = _pixel(renderer.frame(), (0.0, 0.5, 1.0), renderer.fovy)
        assert _has_hue(first[row, column], 0)
        model.step_n(data, 100)
        camera = look_at((6.0, 0.0, 1.0), (0.0, 0.0, 1.0))
        height = float(data.low.read("xpos")[0, 1, 2])
        assert height < 0.9
        image = renderer.render(camera)
        assert _has_hue(image[_pixel(camera, (0.0, 0.5, height), renderer.fovy)], 0)
        with pytest.raises(ShapeError, match=r"camera has shape \(3,\)"):
            renderer.render((1.0, 2.0, 3.0))
        with pytest.raises(InvalidValueError, match="unit quaternion"):
            renderer.render(np.zeros(7))
    with pytest.raises(StageError, match="closed"):
        renderer.render()
    renderer.close()


# What cannot be shown -----------------------------------------------------------------------------


@pytest.mark.parametrize("size", [(0, 10), (10, 10, 10), (10.0, 10), (10, 9000), (True, 5), 640])
def test_wrong_sizes_are_refused(size):
    with pytest.raises(InvalidValueError, match="size is"):
        render_picture(_balls(), size=size)


def test_wrong_worlds_are_refused():
    model = usdsim.load_model(_balls())
    data = usdsim.SceneData(model, batch=(2,))
    with pytest.raises(InvalidValueError, match="world is 2; allowed: 0 to 1"):
        render_picture(model, data, world=2)
    with pytest.raises(InvalidValueError, match="only a simulation with environments"):
        render_picture(model, data, world=(0, 1))
    with pytest.raises(InvalidValueError, match="0 without data"):
        render_picture(model, world=1)
    with pytest.raises(InvalidValueError, match="at least one"):
        render_picture(model, data, world=())


def test_a_model_without_stage_says_so():
    import pickle

    model = pickle.loads(pickle.dumps(usdsim.load_model(_balls())))
    with pytest.raises(StageError, match="no stage to show"):
        render_picture(model)


def test_without_context_the_message_says_what_to_do(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("MUJOCO_GL", "off")
    with pytest.raises(UnsupportedError, match="MUJOCO_GL says that there is none") as caught:
        render_picture(_balls(), backend="opengl")
    assert "pip install 'usdsim[viewer]'" in str(caught.value)
    assert "MUJOCO_GL to egl" in str(caught.value)


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("MUJOCO_GL", "glfw")
    monkeypatch.setitem(sys.modules, "mujoco.glfw", None)
    with pytest.raises(UnsupportedError, match=r"glfw: .*mujoco\.glfw"):
        render_picture(_balls(), backend="opengl")


def test_quaternions_of_the_engine_are_those_of_the_picture():
    """A body that turns shows its other side."""
    stage = create_stage()
    box = UsdGeom.Xform.Define(stage, "/box")
    UsdPhysics.RigidBodyAPI.Apply(box.GetPrim())
    _ball(stage, "/box/tip", (0.0, 0.5, 0.0), RED, moves=False)
    picture = DrawableScene(stage)
    quarter = np.array([0.0, 0.0, np.sqrt(0.5), np.sqrt(0.5)])
    picture.move({"/box": np.array([1.0, 0.0, 0.0, *quarter])})
    tip = picture.model.geom("/box/tip").id
    np.testing.assert_allclose(picture.data.geom_xpos[tip], (0.5, 0.0, 0.0), atol=1e-12)
    body = picture.model.body("/box").id
    np.testing.assert_allclose(picture.data.xquat[body], quat_to_wxyz(quarter))


def test_a_window_that_was_not_made_is_not_drawn_into(monkeypatch: pytest.MonkeyPatch):
    class WithoutDisplay:
        _context = None

        def __init__(self, width: int, height: int):
            self.size = width, height

        def free(self) -> None:
            freed.append(self.size)

    freed: list[tuple[int, int]] = []
    monkeypatch.setenv("MUJOCO_GL", "glfw")
    monkeypatch.setitem(sys.modules, "mujoco.glfw", SimpleNamespace(GLContext=WithoutDisplay))
    with pytest.raises(UnsupportedError, match="glfw: there is no display"):
        render_picture(_balls(), size=SIZE, backend="opengl")
    assert freed == [SIZE]
