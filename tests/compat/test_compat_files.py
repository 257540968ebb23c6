"""Files, logs, seeds, versions and instances, as programs for Isaac Lab ask for them."""

from __future__ import annotations

import importlib
import logging
import random
import shutil
from pathlib import Path

import numpy as np
import pytest
from pxr import Gf, Sdf, Usd, UsdGeom, UsdShade

torch = pytest.importorskip("torch")

from usdsim.core.errors import MissingFileError, StageError  # noqa: E402
from usdsim.usd.stage import create_stage  # noqa: E402

ARM = Path(__file__).resolve().parents[2] / "assets" / "arm7" / "arm7.xml"

pytestmark = pytest.mark.usefixtures("installed")


def box(path: Path) -> Path:
    """A file with a cube below its default prim, and a texture beside it that it refers to."""
    stage = Usd.Stage.CreateNew(str(path))
    root = UsdGeom.Xform.Define(stage, "/Box").GetPrim()
    stage.SetDefaultPrim(root)
    UsdGeom.Cube.Define(stage, "/Box/shape")
    shader = UsdShade.Shader.Define(stage, "/Box/texture")
    (path.parent / "look.png").write_bytes(b"pixels")
    shader.CreateInput("file", Sdf.ValueTypeNames.Asset).Set(Sdf.AssetPath("./look.png"))
    stage.Save()
    return path


def test_prims_refer_to_files(tmp_path):
    sim = importlib.import_module("isaaclab.sim")
    stage, file = create_stage(), box(tmp_path / "box.usda")
    prim = sim.add_usd_reference("/World/Box", str(file), stage=stage)
    assert stage.GetPrimAtPath("/World/Box/shape").IsA(UsdGeom.Cube)
    assert sim.get_usd_references("/World/Box", stage) == [str(file)]
    sim.add_usd_reference("/World/Box", str(file), stage=stage)
    assert prim.GetPath() == "/World/Box"
    with pytest.raises(MissingFileError, match=r"none\.usda"):
        sim.add_usd_reference("/World/Other", str(tmp_path / "none.usda"), stage=stage)
    assert not stage.GetPrimAtPath("/World/Other")


def test_instances_within_instances_are_none_any_more(tmp_path):
    sim = importlib.import_module("isaaclab.sim")
    file = box(tmp_path / "box.usda")
    outer = Usd.Stage.CreateNew(str(tmp_path / "outer.usda"))
    outer.SetDefaultPrim(UsdGeom.Xform.Define(outer, "/Outer").GetPrim())
    inner = UsdGeom.Xform.Define(outer, "/Outer/inner").GetPrim()
    inner.GetReferences().AddReference(str(file))
    inner.SetInstanceable(True)
    outer.Save()
    stage = create_stage()
    prim = UsdGeom.Xform.Define(stage, "/World/Outer").GetPrim()
    prim.GetReferences().AddReference(str(tmp_path / "outer.usda"))
    prim.SetInstanceable(True)
    shape = stage.GetPrimAtPath("/World/Outer/inner/shape")
    assert shape.IsInstanceProxy()
    sim.make_uninstanceable("/World/Outer", stage)
    shape = stage.GetPrimAtPath("/World/Outer/inner/shape")
    assert shape and not shape.IsInstanceProxy() and not prim.IsInstance()
    UsdGeom.Cube(shape).CreateSizeAttr(3.0)
    with pytest.raises(StageError, match="/World/None"):
        sim.make_uninstanceable("/World/None", stage)


@pytest.mark.parametrize("relative", [True, False])
@pytest.mark.parametrize("folder", ["copies/deep", "."])
def test_what_a_copied_layer_refers_to_is_found_from_the_copy(tmp_path, relative, folder):
    stages = importlib.import_module("isaaclab.sim.utils.stage")
    source = box(tmp_path / "box.usda")
    copy = tmp_path / folder / "copy.usda"
    copy.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(source, copy)
    layer = Sdf.Layer.FindOrOpen(str(copy))
    stages.resolve_paths(str(source), layer.identifier, store_relative_path=relative)
    path = layer.GetAttributeAtPath("/Box/texture.inputs:file").default.path
    assert Path(copy.parent, path).resolve() == (tmp_path / "look.png").resolve()
    assert Path(path).is_absolute() is not relative


def test_layers_that_are_not_there_are_left_alone(tmp_path, caplog):
    stages = importlib.import_module("isaaclab.sim.utils.stage")
    source, lost = str(box(tmp_path / "box.usda")), str(tmp_path / "lost.usda")
    for pair in ((source, lost), (lost, source)):
        stages.resolve_paths(*pair)
    assert caplog.text.count("lost.usda") == 2


def test_networks_are_read_or_the_log_says_why_not(tmp_path, caplog):
    io = importlib.import_module("isaaclab.utils.io")
    torch.jit.script(torch.nn.Linear(2, 1)).save(tmp_path / "net.pt")
    network = io.load_torchscript_model(str(tmp_path / "net.pt"))
    assert network(torch.zeros(3, 2)).shape == (3, 1) and not network.training
    (tmp_path / "text.pt").write_text("no network")
    with caplog.at_level(logging.ERROR):
        assert io.load_torchscript_model(str(tmp_path / "text.pt")) is None
    assert "text.pt is no TorchScript network" in caplog.text
    with pytest.raises(MissingFileError, match=r"none\.pt"):
        io.load_torchscript_model(str(tmp_path / "none.pt"))


def test_robots_of_stages_are_written_as_urdf(tmp_path):
    import usdsim

    stage = usdsim.convert(ARM, tmp_path / "arm.usda")
    urdf = importlib.import_module("isaaclab.controllers.utils")
    file, meshes = urdf.convert_usd_to_urdf(str(stage), str(tmp_path / "out"))
    assert Path(file).is_file() and Path(meshes).parent == Path(file).parent
    Path(file).write_text("kept")
    urdf.convert_usd_to_urdf(str(stage), str(tmp_path / "out"), force_conversion=False)
    assert Path(file).read_text() == "kept"


def test_seeds_are_those_of_all_random_numbers():
    seed = importlib.import_module("isaaclab.utils.seed").configure_seed

    def drawn():
        legacy = np.random.rand()  # noqa: NPY002 - what programs draw from
        return random.random(), float(legacy), float(torch.rand(1))

    assert seed(7) == 7
    first = drawn()
    assert seed(7) == 7 and drawn() == first
    assert 0 <= seed(None) < 10_000 and drawn() != first
    try:
        seed(7, torch_deterministic=True)
        assert torch.are_deterministic_algorithms_enabled() and drawn() == first
    finally:
        torch.use_deterministic_algorithms(False)


def test_logs_go_to_the_output_and_to_a_file(tmp_path, capsys):
    configure = importlib.import_module("isaaclab.utils.logger").configure_logging
    root = logging.getLogger()
    before, level = root.handlers[:], root.level
    try:
        assert configure("WARNING", log_dir=str(tmp_path / "logs")) is root
        logging.getLogger("some.where").warning("heavy")
        logging.getLogger("some.where").info("light")
        shown = capsys.readouterr().out
        assert "heavy" in shown and "light" not in shown
        (file,) = (tmp_path / "logs").glob("isaaclab_*.log")
        assert "heavy" in file.read_text()
    finally:
        for handler in root.handlers[:]:
            handler.close()
            root.removeHandler(handler)
        root.handlers[:] = before
        root.setLevel(level)


def test_versions_are_compared_by_their_numbers():
    utils = importlib.import_module("isaaclab.utils.version")
    assert utils.compare_versions("1.10.0", "1.9") == 1
    assert (utils.compare_versions("2", "2.0.0"), utils.compare_versions("1.2", "1.3")) == (0, -1)
    assert str(utils.get_isaac_sim_version()).startswith("6.")


def test_dictionaries_are_joined_within():
    update = importlib.import_module("isaaclab.utils.dict").update_dict
    given = {"a": {"b": 1, "c": 2}, "d": 3}
    assert update(given, {"a": {"c": 4}, "e": {"f": 5}}) is given
    assert given == {"a": {"b": 1, "c": 4}, "d": 3, "e": {"f": 5}}


def test_scales_of_prims_leave_their_places(installed):
    views = importlib.import_module("isaaclab.sim.views")
    stages = importlib.import_module("isaaclab.sim.utils.stage")
    stage = create_stage()
    for i in range(2):
        xform = UsdGeom.Xform.Define(stage, f"/World/Box_{i}")
        xform.AddTranslateOp().Set(Gf.Vec3d(float(i), 0.0, 0.0))
    with stages.use_stage(stage) as current:
        assert current is stage
        view = views.XformPrimView("/World/Box_.*")
        view.set_scales([[2.0, 3.0, 4.0]], indices=[1])
        assert view.get_scales().numpy().tolist() == [[1.0, 1.0, 1.0], [2.0, 3.0, 4.0]]
        places = view.get_world_poses()[0].numpy()
    assert places.tolist() == [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]
    with pytest.raises(TypeError, match="use_stage takes"), stages.use_stage("file"):
        pass
