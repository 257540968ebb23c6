"""Demonstrations: episodes in memory and in files, in the layout that other readers expect."""

from __future__ import annotations

import json

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from cart_env import cart_env  # noqa: E402

import usdsim.envs.mdp as mdp  # noqa: E402
from usdsim.core.errors import FileError, InvalidValueError  # noqa: E402
from usdsim.envs.demonstrations import (  # noqa: E402
    ClosedFileError,
    EpisodeData,
    HDF5DatasetFileHandler,
    NpzDatasetFileHandler,
)

KINDS = [HDF5DatasetFileHandler, NpzDatasetFileHandler]


def episode():
    made = EpisodeData()
    made.seed, made.success = 3, True
    made.add("initial_state", {"cart": {"root_pose": torch.arange(7.0)}})
    for step in range(3):
        made.add("actions", torch.tensor([step, -step]))
        made.add("states/cart/pos", torch.tensor([10.0 * step]))
    made.pre_export()
    return made


def test_episodes_play_back_row_by_row():
    made = episode()
    assert made.get_action(1).tolist() == [1, -1] and made.get_action(3) is None
    assert [made.get_next_action().tolist() for _ in range(3)] == [[0, 0], [1, -1], [2, -2]]
    assert made.get_next_action() is None and made.next_action_index == 3
    assert made.get_next_state()["cart"]["pos"].tolist() == [[0.0]]  # of one environment
    assert made.get_state(3) is None and made.get_next_joint_target() is None
    assert made.get_initial_state()["cart"]["root_pose"].shape == (1, 7)
    assert EpisodeData().is_empty() and not made.is_empty()


def test_a_key_has_values_or_a_mapping():
    made = EpisodeData()
    made.add("obs", torch.zeros(2))
    with pytest.raises(InvalidValueError, match="'obs/pos'"):
        made.add("obs/pos", torch.zeros(2))


@pytest.mark.parametrize("kind", KINDS)
def test_files_give_back_what_they_were_given(tmp_path, kind):
    file = kind()
    file.create(str(tmp_path / "new" / "demos"), "Cart")
    for _ in range(2):
        file.write_episode(episode())
    file.write_episode(EpisodeData())  # nothing
    file.write_episode(episode(), demo_id=7)
    with pytest.raises(InvalidValueError, match="demo_7"):
        file.write_episode(episode(), demo_id=7)
    file.close()
    (path,) = (tmp_path / "new").iterdir()
    read = kind()
    read.open(str(path))
    with pytest.raises(ClosedFileError):
        read.open(str(path))
    assert read.get_num_episodes() == 3 and read.load_episode("demo_9", "cpu") is None
    for name in ("demo_1", "demo_7"):
        found = read.load_episode(name, "cpu")
        torch.testing.assert_close(found.data, episode().data)
        assert found.success
    read.close()


def test_hdf5_files_have_the_attributes_that_readers_look_for(tmp_path):
    h5py = pytest.importorskip("h5py")
    file = HDF5DatasetFileHandler()
    with pytest.raises(ClosedFileError, match="open or create"):
        file.write_episode(episode())
    file.create(str(tmp_path / "demos.hdf5"), "Cart")
    file.write_episode(episode())
    file.add_env_args({"sim_args": {"dt": 0.01}})
    assert (file.get_env_name(), file.get_format_version()) == ("Cart", 1)
    file.close()
    with h5py.File(tmp_path / "demos.hdf5") as read:
        data = read["data"]
        assert json.loads(data.attrs["env_args"]) == {
            "env_name": "Cart", "type": 2, "sim_args": {"dt": 0.01}
        }  # fmt: skip
        assert data.attrs["total"] == 3 and read.attrs["format_version"] == 1
        assert dict(data["demo_0"].attrs) == {"num_samples": 3, "seed": 3, "success": True}
        assert data["demo_0/states/cart/pos"].shape == (3, 1)


def test_quaternions_of_old_files_are_turned(tmp_path):
    h5py = pytest.importorskip("h5py")
    old = tmp_path / "old.hdf5"
    with h5py.File(old, "w") as file:
        group = file.create_group("data/demo_0")
        group["states/cart/root_pose"] = [[0.0, 1.0, 2.0, 1.0, 0.1, 0.2, 0.3]]
        group["actions"] = [[1.0]]
    new = HDF5DatasetFileHandler.convert_dataset_to_xyzw(str(old))
    for path, convert in ((old, None), (new, None), (old, False)):
        read = HDF5DatasetFileHandler()
        read.open(str(path))
        pose = read.load_episode("demo_0", "cpu", convert).data["states"]["cart"]["root_pose"]
        turned = [0.1, 0.2, 0.3, 1.0] if convert is None else [1.0, 0.1, 0.2, 0.3]
        np.testing.assert_allclose(pose[0], [0.0, 1.0, 2.0, *turned])
        read.close()
    with pytest.raises(InvalidValueError, match="below 1"):
        HDF5DatasetFileHandler.convert_dataset_to_xyzw(new)
    with pytest.raises(FileError):
        HDF5DatasetFileHandler().open(str(tmp_path / "none.hdf5"))


def test_recorded_episodes_can_be_played_again(tmp_path):
    """Actions from a file, from its initial state, lead through the states of the file."""
    pytest.importorskip("h5py")
    records = mdp.ActionStateRecorderManagerCfg(
        dataset_file_handler_class_type=HDF5DatasetFileHandler,
        dataset_export_dir_path=str(tmp_path),
        export_in_close=False,
    )
    with cart_env(recorders=records) as env:
        env.reset()
        for step in range(4):
            env.step(torch.full((env.num_envs, 1), 0.5 * step))
        file = HDF5DatasetFileHandler()
        env.recorder_manager.export_episodes([2], demo_ids=[5])
        env.recorder_manager.close()
        file.open(str(tmp_path / "dataset.hdf5"))
        assert list(file.get_episode_names()) == ["demo_5"]
        played = file.load_episode("demo_5", "cpu")
        env.reset_to(played.get_initial_state(), torch.tensor([0]), is_relative=True)
        while (action := played.get_next_action()) is not None:
            env.step(action.expand(env.num_envs, -1))
            state = env.scene.get_state(is_relative=True)["articulation"]["robot"]
            recorded = played.get_next_state()["articulation"]["robot"]
            np.testing.assert_allclose(
                state["joint_position"].numpy()[:1], recorded["joint_position"], atol=1e-6
            )
