"""Datasets: what HDF5, LeRobot's format and Zarr hold is what the Parquet files hold."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from cluster_jobs import every_episode, rollouts

from usdsim.cli.main import main
from usdsim.cluster import LocalProcesses, export_dataset, run_job
from usdsim.core.errors import FileError, InvalidValueError, UnknownNameError


@pytest.fixture
def job(folder):
    made = rollouts(
        folder, episodes=5, steps=6, reward="cluster_policies:closeness",
        success="cluster_policies:came_home", cameras=["eye"], image_size=[8, 6],
    )  # fmt: skip
    assert not run_job(made, LocalProcesses(workers=1)).failed
    return made


def test_hdf5_has_the_layout_of_demonstrations(job, folder):
    h5py = pytest.importorskip("h5py")
    with h5py.File(export_dataset(job.out, folder / "demos.hdf5")) as file:
        data = file["data"]
        assert data.attrs["total"] == 30 and json.loads(data.attrs["env_args"])["type"] == 2
        for number, rows in enumerate(every_episode(job)):
            demo = data[f"demo_{number}"]
            assert demo.attrs["num_samples"] == 6 and demo.attrs["success"] == rows["success"][0]
            np.testing.assert_array_equal(demo["actions"], rows["action"])
            np.testing.assert_array_equal(demo["obs/policy"], rows["observation"])
            np.testing.assert_array_equal(demo["rewards"], rows["reward"])
            np.testing.assert_array_equal(demo["states/scene/dof_vel"], rows["observation"][:, 1:2])
            np.testing.assert_array_equal(
                demo["initial_state/scene/dof_pos"], rows["observation"][:1, :1]
            )


def test_zarr_has_columns_and_the_ends_of_episodes(job, folder):
    zarr = pytest.importorskip("zarr")
    root = zarr.open_group(str(export_dataset(job.out, folder / "rows.zarr")), mode="r")
    assert root["meta/episode_ends"][:].tolist() == [6, 12, 18, 24, 30]
    rows = every_episode(job)
    for name in ("observation", "action", "reward", "time"):
        np.testing.assert_array_equal(
            root[f"data/{name}"][:], np.concatenate([r[name] for r in rows])
        )
    assert root.attrs["usdsim"]["policy"] == job.policy and "image.eye" not in root["data"]


def test_lerobot_has_rows_episodes_tasks_and_statistics(job, folder):
    parquet = pytest.importorskip("pyarrow.parquet")
    root = export_dataset(job.out, folder / "cart", task="stay in the middle")
    info = json.loads((root / "meta/info.json").read_text())
    assert info["codebase_version"] == "v3.0" and info["fps"] == 50 and info["total_frames"] == 30
    assert info["features"]["observation.state"] == {
        "dtype": "float32", "shape": [3], "names": None,
    }  # fmt: skip
    assert info["features"]["observation.images.eye"]["shape"] == [6, 8, 3]
    data = parquet.read_table(root / info["data_path"].format(chunk_index=0, file_index=0))
    rows = every_episode(job)
    states = np.stack(data["observation.state"].to_numpy())
    expected = np.concatenate([r["observation"] for r in rows]).astype(np.float32)
    np.testing.assert_array_equal(states, expected)
    pushes = np.concatenate([r["action"][:, 0] for r in rows]).astype(np.float32)
    np.testing.assert_array_equal(data["action"].to_numpy(), pushes)
    assert data["index"].to_pylist() == list(range(30))
    assert np.flatnonzero(data["next.done"].to_numpy(zero_copy_only=False)).tolist() == [
        5,
        11,
        17,
        23,
        29,
    ]
    assert data["observation.images.eye"][7].as_py()["bytes"] == rows[1]["image.eye"][1]
    episodes = parquet.read_table(root / "meta/episodes/chunk-000/file-000.parquet").to_pylist()
    assert [e["dataset_from_index"] for e in episodes] == [0, 6, 12, 18, 24]
    assert episodes[0]["tasks"] == ["stay in the middle"]
    stats = json.loads((root / "meta/stats.json").read_text())["observation.state"]
    np.testing.assert_allclose(stats["mean"], expected.mean(axis=0), rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(stats["std"], expected.std(axis=0), rtol=1e-5)
    tasks = pytest.importorskip("pandas").read_parquet(root / "meta/tasks.parquet")
    assert tasks.loc["stay in the middle", "task_index"] == 0


def test_exports_are_complete_or_not_there(job, folder):
    (folder / "there").mkdir()
    with pytest.raises(FileError, match="there already"):
        export_dataset(job.out, folder / "there")
    with pytest.raises(UnknownNameError, match="csv"):
        export_dataset(job.out, folder / "rows.csv")
    with pytest.raises(FileError, match=r"holds no episodes-"):
        export_dataset(folder / "there", folder / "new")
    Path(job.out, "episodes-000001.parquet").unlink()
    with pytest.raises(FileError, match="lacks blocks"):
        export_dataset(job.out, folder / "new")
    assert not (folder / "new").exists() and not list(folder.glob(".*"))


def test_rates_that_lerobot_cannot_say_are_refused(folder):
    job = rollouts(folder, episodes=1, substeps=3)
    run_job(job, LocalProcesses(workers=1))
    with pytest.raises(InvalidValueError, match="substeps"):
        export_dataset(job.out, folder / "new")
    assert not list(folder.glob("*new*"))


def test_the_command_line_exports_and_records(job, folder, capsys):
    assert main(["dataset", job.out, str(folder / "x.hdf5")]) == 0
    assert main(["dataset", job.out, str(folder / "x.usda"), "--episode", "4"]) == 0
    assert (folder / "x.hdf5").is_file() and (folder / "x.usda").is_file()
    assert main(["dataset", job.out, str(folder / "y.usda")]) == 1
    assert main(["dataset", job.out, str(folder / "y.usda"), "--episode", "9"]) == 1
    assert "no episode 9" in capsys.readouterr().err
