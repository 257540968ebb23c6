"""Binary layers are checked before OpenUSD reads them: no damage keeps it busy or ends it."""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
from pxr import Sdf

import usdsim
from usdsim.cli.main import main
from usdsim.core.errors import FileError
from usdsim.spawners import UsdFileCfg
from usdsim.usd import create_stage, open_stage
from usdsim.usd.crate import check_crates
from usdsim.usd.crate.packing import unpack_integers
from usdsim.usd.layers import open_layers

STAGE = """#usda 1.0
( metersPerUnit = 1
  subLayers = [@./below.usda@] )
def Sphere "b" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]
    customData = {
        dictionary inner = {
            int[] numbers = [1, 2, 3]
            string text = "t"
        }
    }
    append references = [@./c.usda@</x>, </w>]
    payload = @./d.usda@
    variants = {
        string look = "one"
    }
    prepend variantSets = "look"
)
{
    int[] numbers = [11, 12, 13, 14, 15]
    float[] packed = [%s]
    double3 xformOp:translate.timeSamples = {
        0: (0, 0, 1),
        1: (0, 0, 2),
    }
    rel there = [</b>, </w>]
    def Xform "deep"
    {
        def Xform "er"
        {
            def Sphere "s"
            {
            }
        }
    }
    variantSet "look" = {
        "one" {
            def "v" ( references = @./e.usda@ )
            {
            }
        }
        "two" {
        }
    }
}
def "w" {
}
"""
ARM = Path(__file__).resolve().parents[2] / "assets" / "arm" / "arm.urdf"
FILES = {"./below.usda", "./c.usda", "./d.usda", "./e.usda"}


def layer(folder, version=None, name="s"):
    """A binary layer of all kinds of values, of a version that somebody else may have written."""
    text, file = folder / f"{name}.usda", folder / f"{name}.usdc"
    numbers = ", ".join(str(0.5 * (i % 3)) for i in range(40))
    text.write_text(STAGE.replace("%s", numbers))
    program = f"from pxr import Sdf; Sdf.Layer.OpenAsAnonymous({str(text)!r}).Export({str(file)!r})"
    environment = dict(os.environ)
    if version:
        environment["USD_WRITE_NEW_USDC_FILES_AS_VERSION"] = version
    subprocess.run([sys.executable, "-c", program], env=environment, check=True)
    return file


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    return layer(tmp_path_factory.mktemp("sound")).read_bytes()


def section(data, name):
    """Place of a section in a layer."""
    (contents,) = struct.unpack_from("<q", data, 16)
    (count,) = struct.unpack_from("<Q", data, contents)
    rows = [struct.unpack_from("<16sqq", data, contents + 8 + 32 * i) for i in range(count)]
    return next(start for title, start, _ in rows if title.rstrip(b"\0") == name)


def jumps(data):
    """Place, size and number of the jumps of a layer's paths."""
    at = section(data, b"PATHS")
    count, size = struct.unpack_from("<2Q", data, at + 8)
    for _ in range(2):
        at += size + 8
        (size,) = struct.unpack_from("<Q", data, at + 16)
    return at + 24, size, count


@pytest.mark.parametrize("version", ["0.8.0", "0.14.0"])
def test_sound_layers_pass_with_all_they_name(tmp_path, version):
    file = layer(tmp_path, version)
    check_crates(file)
    check_crates(file.with_suffix(".usda"))
    for name in FILES:
        (tmp_path / name).write_text("#usda 1.0\n")
    names = {os.path.basename(one.identifier) for one in open_layers(str(file))}
    assert names == {"s.usdc", *(name[2:] for name in FILES)}


def test_trees_that_pass_are_walked_once(sound, tmp_path):
    """Every flipped bit of the jumps: what passes leads to no path twice."""
    start, size, count = jumps(sound)
    file, refused, passed = tmp_path / "s.usdc", 0, 0
    for bit in range(8 * size):
        data = bytearray(sound)
        data[start + bit // 8] ^= 1 << bit % 8
        file.write_bytes(data)
        try:
            check_crates(file)
        except ValueError:
            refused += 1
            continue
        passed += 1
        steps = unpack_integers(bytes(data[start : start + size]), count)
        waiting, seen = [0], []
        while waiting:
            at = waiting.pop()
            assert at < count
            assert at not in seen
            seen.append(at)
            waiting += [at + int(steps[at])] if steps[at] > 0 else []
            waiting += [at + 1] if steps[at] >= -1 else []
    assert refused > 50
    assert passed > 0


def damaged(data, kind):
    """A layer that OpenUSD would read for ever, or with all memory."""
    data = bytearray(data)
    if kind == "contents":
        (at,) = struct.unpack_from("<q", data, 16)
    elif kind == "array":
        at = data.index(struct.pack("<6i", 5, 0, 11, 12, 13, 14))
    else:
        start, size, count = jumps(data)
        at = section(data, b"PATHS") + 8
        if kind == "circle":
            steps = np.ones(count, np.int32)
            coded = struct.pack("<i", 0) + bytes([1] + [0] * ((2 * count - 1) // 8)) + b"\x01"
            assert unpack_integers(b"\0" + literal(coded), count).tolist() == steps.tolist()
            packed = b"\0" + literal(coded)
            assert len(packed) <= size
            struct.pack_into("<Q", data, start - 8, len(packed))
            data[start : start + len(packed)] = packed
            return bytes(data)
    struct.pack_into("<Q", data, at, 2**31)
    return bytes(data)


def literal(data):
    """Bytes as an LZ4 block that copies nothing."""
    return (
        bytes([min(len(data), 15) << 4])
        + (bytes([len(data) - 15]) if len(data) > 14 else b"")
        + data
    )


KINDS = ("contents", "array", "paths", "circle")


@pytest.mark.parametrize("kind", KINDS)
def test_damaged_layers_are_named_at_every_door(tmp_path, sound, kind, capsys):
    file = tmp_path / "damaged.usdc"
    file.write_bytes(damaged(sound, kind))
    package = tmp_path / "package.usdz"
    package.write_bytes(struct.pack("<4s5H3I2H", b"PK\3\4", *[0] * 5, 0, 0, 0, 10, 24) + bytes(34))
    package.write_bytes(package.read_bytes() + file.read_bytes())
    names = [str(file), str(package)]
    for arc in ("references", "payload", "subLayers"):
        text = tmp_path / f"{arc}.usda"
        text.write_text(
            "#usda 1.0\n( subLayers = [@./damaged.usdc@] )\n" if arc == "subLayers" else
            f'#usda 1.0\ndef "x" ( {arc} = @./damaged.usdc@</b> ) {{\n}}\n'
        )  # fmt: skip
        names.append(str(text))
    for name in names:
        cfg, stage = UsdFileCfg(usd_path=name), create_stage()
        doors = (open_stage, usdsim.load_model, usdsim.convert)
        for door in (*doors, lambda _, c=cfg, s=stage: c.func("/World/R", c, stage=s)):
            with pytest.raises(FileError, match=r"(damaged\.usdc|package\.usdz)'.*it is damaged"):
                door(name)
        for command in ("info", "validate"):
            assert main([command, name]) == 1
    assert "defect of usdsim" not in capsys.readouterr().err


@pytest.mark.parametrize("kind", ("assetPaths", "manifestAssetPath", "templateAssetPath"))
@pytest.mark.parametrize("inside", (False, True))
def test_damaged_value_clips_are_named(tmp_path, sound, kind, inside):
    (tmp_path / "clip.10.usdc").write_bytes(damaged(sound, "circle"))
    stage = create_stage()
    stage.DefinePrim("/x").GetVariantSets().AddVariantSet("look").AddVariant("one")
    layer = stage.GetRootLayer()
    asset = Sdf.AssetPath("./clip.10.usdc")
    given = {
        "assetPaths": Sdf.AssetPathArray([asset]),
        "manifestAssetPath": asset,
        "templateAssetPath": "./clip.#.usdc",
    }
    times = {f"template{key}": 10.0 for key in ("StartTime", "EndTime", "Stride")}
    spec = layer.GetPrimAtPath("/x{look=one}" if inside else "/x")
    spec.SetInfo("clips", {"default": {kind: given[kind], "primPath": "/b", **times}})
    for suffix in ("usda", "usdc"):
        file = str(tmp_path / f"shot.{suffix}")
        layer.Export(file)
        with pytest.raises(FileError, match=r"clip\.10\.usdc'.*it is damaged"):
            open_layers(file)
    with pytest.raises(FileError, match=r"clip\.10\.usdc'?, but not this"):
        open_layers(str(tmp_path / "shot.usda"), lambda _: "not this")
    (tmp_path / "clip.10.usdc").write_bytes(sound)
    assert len(open_layers(str(tmp_path / "shot.usdc"))) == 1


def test_what_is_clip_and_reference_is_looked_into(tmp_path, sound):
    (tmp_path / "bad.usdc").write_bytes(damaged(sound, "circle"))
    (tmp_path / "both.usda").write_text('#usda 1.0\ndef "b" ( payload = @./bad.usdc@ )\n{\n}\n')
    (tmp_path / "shot.usda").write_text(
        '#usda 1.0\ndef "a" ( clips = {\n dictionary c = {\n asset[] assetPaths = [@./both.usda@]\n'
        ' }\n } )\n{\n}\ndef "b" ( references = @./both.usda@</b> )\n{\n}\n'
    )
    with pytest.raises(FileError, match=r"bad\.usdc'.*it is damaged"):
        open_stage(tmp_path / "shot.usda")


@pytest.mark.parametrize("numbers", ((0.0, 1e9, 1.0), (0.0, 1.0, 1e-9), (0.0, float("inf"), 1.0)))
def test_value_clips_without_end_are_refused(tmp_path, numbers):
    """The template, its times, and their step may come from three layers."""
    keys = ("templateStartTime", "templateEndTime", "templateStride")
    given = dict(zip(keys, numbers, strict=True)) | {"templateAssetPath": "./clip.#.usdc"}
    below = "#usda 1.0\n"
    for index, (key, value) in enumerate(given.items()):
        kind = "string" if isinstance(value, str) else "double"
        quoted = f'"{value}"' if isinstance(value, str) else value
        head = f"( subLayers = [@./{index - 1}.usda@] )\n" if index else ""
        (tmp_path / f"{index}.usda").write_text(
            f'{below}{head}over "x" ( clips = {{\n dictionary default = {{\n'
            f" {kind} {key} = {quoted}\n }}\n }} )\n{{\n}}\n"
        )
    with pytest.raises(FileError, match=r"'default' go from 0 to .* at most 100,000"):
        open_layers(str(tmp_path / "3.usda"))


def test_a_damaged_layer_may_be_replaced(tmp_path, sound):
    shutil.copy(ARM, tmp_path)
    target = tmp_path / "arm.usdc"
    target.write_bytes(damaged(sound, "circle"))
    usdsim.convert(tmp_path / "arm.urdf", target)
    assert open_stage(target)


def test_flipped_bits_keep_no_reader_busy(tmp_path, sound):
    """Thousands of damaged layers, read in a process that has a minute and little memory."""
    (tmp_path / "s.usdc").write_bytes(sound)
    program = f"""
        import random, resource
        from pathlib import Path
        from pxr import Tf
        from usdsim.core.errors import FileError
        from usdsim.usd.layers import open_layers
        resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
        folder = Path({str(tmp_path)!r})
        sound, rng = (folder / "s.usdc").read_bytes(), random.Random(5)
        counts = [0, 0]
        for number in range(500):
            data = bytearray(sound)
            for _ in range(rng.choice((1, 1, 2, 4))):
                at = rng.randrange(len(data))
                data[at] ^= 1 << rng.randrange(8)
                if rng.random() < 0.3:
                    data[at : at + 4] = rng.choice((bytes(4), b"\\xff" * 4, b"\\0\\0\\0\\1"))
            file = folder / f"{{number}}.usdc"
            file.write_bytes(data)
            try:
                layer = open_layers(str(file))[0]
                text = layer.ExportToString()
                counts[0] += 1
            except (FileError, Tf.ErrorException, UnicodeDecodeError):
                counts[1] += 1
            file.unlink()
        print(counts)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    read, refused = eval(done.stdout)
    assert read > 50
    assert refused > 100
