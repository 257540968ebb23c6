"""Networks against torch, and their files."""

from __future__ import annotations

import copy
import sys

import numpy as np
import pytest
from actuator_models import NAMES, arrays, compute, make, numbers

from usdsim.actuators import (
    ActuatorCollection,
    ActuatorNetLSTMCfg,
    ActuatorNetMLPCfg,
    DenseLayer,
    IdealPDActuatorCfg,
    LstmLayer,
    Network,
    export_network,
    save_network,
)
from usdsim.actuators.networks.network import ACTIVATIONS, load_npz
from usdsim.actuators.networks.torchscript import TorchScriptFile
from usdsim.core.errors import FileError, InvalidValueError, ShapeError, UnsupportedError

NUM_ENVS = 3
EXACT = 1e-5
WIDE = {"velocity_limit": 1e6, "saturation_effort": 1e6, "effort_limit": 1e5}


def mlp_cfg(path, **values):
    given = {
        "pos_scale": 2.0, "vel_scale": 0.3, "torque_scale": 5.0, "input_order": "pos_vel",
        "input_idx": [0, 2, 3], **WIDE, **values,
    }  # fmt: skip
    return ActuatorNetMLPCfg(joint_names_expr=[".*"], network_file=str(path), **given)


def lstm_cfg(path, **values):
    return ActuatorNetLSTMCfg(joint_names_expr=[".*"], network_file=str(path), **{**WIDE, **values})


@pytest.fixture
def torch():
    module = pytest.importorskip("torch")
    module.manual_seed(0)
    return module


def script(torch, module, path, **files):
    torch.jit.script(module.eval()).save(str(path), _extra_files=files)
    return path


def perceptron(torch, activation="Softsign", inputs=6):
    act = getattr(torch.nn, activation)
    return torch.nn.Sequential(
        torch.nn.Linear(inputs, 32), act(), torch.nn.Linear(32, 17), act(), torch.nn.Linear(17, 1)
    )


def make_recurrent(torch, layers=2, hidden=8, twist=False):
    class Recurrent(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.lstm = torch.nn.LSTM(2, hidden, layers, batch_first=True)
            self.head = torch.nn.Linear(hidden, 1)
            self.twist = twist

        def forward(self, x, state: tuple[torch.Tensor, torch.Tensor]):
            y, state = self.lstm(x, state)
            y = self.head(y[:, -1])
            if self.twist:
                y = y * y
            return y, state

    return Recurrent()


class PastErrors:
    """What a perceptron's inputs are, kept in lists."""

    def __init__(self):
        self.errors, self.velocities = [np.zeros((NUM_ENVS, 3))] * 4, [np.zeros((NUM_ENVS, 3))] * 4

    def push(self, error, velocity):
        self.errors = [error, *self.errors[:3]]
        self.velocities = [velocity, *self.velocities[:3]]

    def reset(self, env_ids):
        for past in (self.errors, self.velocities):
            past[:] = [array.copy() for array in past]
            for array in past:
                array[env_ids] = 0.0

    def features(self, order):
        parts = (
            [2.0 * self.errors[i] for i in (0, 2, 3)],
            [0.3 * self.velocities[i] for i in (0, 2, 3)],
        )
        first, second = parts if order == "pos_vel" else parts[::-1]
        return np.stack([*first, *second], axis=-1).astype(np.float32)


def check_mlp(torch, model, module, order="pos_vel"):
    past = PastErrors()
    for i in range(7):
        if i == 4:
            model.reset([1])
            past.reset([1])
        q, v, target = (numbers(NUM_ENVS, 3) for _ in range(3))
        past.push(target - q, v)
        computed, applied, _ = compute(model, q, v, target, 9.0, 9.0)
        with torch.no_grad():
            expected = 5.0 * module(torch.from_numpy(past.features(order)))[..., 0].numpy()
        np.testing.assert_allclose(computed, expected, rtol=EXACT, atol=EXACT)
        np.testing.assert_array_equal(computed, applied)


@pytest.mark.parametrize("order", ["pos_vel", "vel_pos"])
@pytest.mark.parametrize("activation", ["ReLU", "ELU", "Softsign", "Tanh", "Sigmoid", "SiLU"])
def test_mlp_is_torchs(torch, tmp_path, activation, order):
    module = perceptron(torch, activation)
    path = script(torch, module, tmp_path / "net.pt")
    assert TorchScriptFile(path, recurrent=False).network is not None
    check_mlp(torch, make(mlp_cfg(path, input_order=order), num_envs=NUM_ENVS), module, order)
    export_network(path, tmp_path / "net.npz", recurrent=False)
    model = make(mlp_cfg(tmp_path / "net.npz", input_order=order), num_envs=NUM_ENVS)
    check_mlp(torch, model, module, order)


def test_mlp_that_is_no_row_of_layers_is_left_to_torch(torch, tmp_path):
    class Skip(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.last = torch.nn.Linear(6, 6), torch.nn.Linear(6, 1)

        def forward(self, x):
            return self.last(x + torch.tanh(self.first(x)))

    module = Skip()
    path = script(torch, module, tmp_path / "net.pt")
    assert TorchScriptFile(path, recurrent=False).network is None
    check_mlp(torch, make(mlp_cfg(path), num_envs=NUM_ENVS), module)
    with pytest.raises(UnsupportedError, match="linear, activation and LSTM"):
        export_network(path, tmp_path / "net.npz", recurrent=False)


def check_lstm(torch, model, module, layers, hidden):
    state = tuple(torch.zeros(layers, NUM_ENVS * 3, hidden) for _ in range(2))
    for i in range(6):
        if i == 3:
            model.reset([0, 2])
            for part in state:
                part.view(layers, NUM_ENVS, 3, hidden)[:, [0, 2]] = 0.0
        q, v, target = (numbers(NUM_ENVS, 3) for _ in range(3))
        computed, _, _ = compute(model, q, v, target)
        rows = torch.from_numpy(np.stack([target - q, v], axis=-1).reshape(-1, 1, 2))
        with torch.no_grad():
            expected, state = module(rows, state)
        np.testing.assert_allclose(
            computed, expected.numpy().reshape(NUM_ENVS, 3), rtol=EXACT, atol=EXACT
        )


@pytest.mark.parametrize(("layers", "hidden"), [(1, 5), (2, 8)])
@pytest.mark.parametrize("twist", [False, True])
def test_lstm_is_torchs(torch, tmp_path, layers, hidden, twist):
    module = make_recurrent(torch, layers, hidden, twist)
    path = script(torch, module, tmp_path / "net.pt")
    assert (TorchScriptFile(path, recurrent=True).network is None) == twist
    check_lstm(torch, make(lstm_cfg(path), num_envs=NUM_ENVS), module, layers, hidden)
    if not twist:
        export_network(path, tmp_path / "net.npz", recurrent=True)
        model = make(lstm_cfg(tmp_path / "net.npz"), num_envs=NUM_ENVS)
        check_lstm(torch, model, module, layers, hidden)


def constant(effort, lstm=False):
    """A network whose output is a number."""
    size = 4 if lstm else 2
    cells = ()
    if lstm:
        cells = (LstmLayer(np.ones((16, 2)), np.ones((16, 4)), np.zeros(16)),)
    layer = DenseLayer(np.zeros((1, size), np.float32), np.array([effort], np.float32))
    return Network((layer,), cells)


@pytest.mark.parametrize("lstm", [False, True])
@pytest.mark.parametrize(("speed", "expected"), [(0.0, 60.0), (40.0, 20.0), (50.0, 0.0)])
def test_the_motors_curve_counts_at_the_joints_velocity(tmp_path, lstm, speed, expected):
    save_network(tmp_path / "net.npz", constant(80.0, lstm))
    curve = {"effort_limit": 60.0, "velocity_limit": 50.0, "saturation_effort": 100.0}
    cfg = lstm_cfg(tmp_path / "net.npz", **curve)
    if not lstm:
        cfg = mlp_cfg(tmp_path / "net.npz", input_idx=(0,), torque_scale=1.0, **curve)
    computed, applied, out = compute(make(cfg, ["j"], 1), [[0.0]], [[speed]], [[0.1]])
    assert computed == pytest.approx(80.0) and applied == pytest.approx(expected, abs=1e-4)
    np.testing.assert_array_equal(out.joint_efforts.numpy(), applied)


def test_networks_in_a_collection(tmp_path):
    """Networks of two groups and a controller, in one call, on joints out of order."""
    rng = np.random.default_rng(0)
    layers = (
        DenseLayer(rng.normal(size=(5, 2)).astype("f4"), rng.normal(size=5).astype("f4"), "tanh"),
        DenseLayer(rng.normal(size=(1, 5)).astype("f4"), np.zeros(1, "f4")),
    )
    save_network(tmp_path / "a.npz", Network(layers))
    save_network(tmp_path / "b.npz", constant(3.5, lstm=True))
    cfgs = {
        "a": mlp_cfg(tmp_path / "a.npz", input_idx=[0]),
        "b": lstm_cfg(tmp_path / "b.npz"),
        "c": IdealPDActuatorCfg(joint_names_expr=["hip"], stiffness=2.0, damping=0.0),
    }
    cfgs["a"].joint_names_expr, cfgs["b"].joint_names_expr = ["ankle"], ["knee"]
    before = copy.deepcopy(cfgs)
    collection = ActuatorCollection.from_cfgs(cfgs, NAMES, 2, "cpu")
    collection.reset()
    q, v, target = (numbers(2, 3) for _ in range(3))
    buffers = arrays(2, 3, pos_target=target, joint_pos=q, joint_vel=v)
    collection.compute(*buffers.values())
    features = np.stack([2.0 * (target - q)[:, 2], 0.3 * v[:, 2]], axis=-1)
    hidden = np.tanh(features @ layers[0].weight.T + layers[0].bias)
    sent = buffers["effort_cmd_out"].numpy()
    np.testing.assert_allclose(sent[:, 2], 5.0 * (hidden @ layers[1].weight.T)[:, 0], rtol=1e-4)
    np.testing.assert_allclose(sent[:, 1], 3.5)
    np.testing.assert_allclose(sent[:, 0], 2.0 * (target - q)[:, 0], rtol=1e-5)
    assert cfgs == before


@pytest.mark.parametrize("lstm", [False, True])
def test_files_keep_everything(tmp_path, lstm):
    rng = np.random.default_rng(0)
    cells = ()
    if lstm:
        cells = tuple(
            LstmLayer(*(rng.normal(size=s).astype("f4") for s in ((12, n), (12, 3), (12,))))
            for n in (2, 3)
        )
    layers = tuple(
        DenseLayer(rng.normal(size=(n, 3)).astype("f4"), rng.normal(size=n).astype("f4"), name)
        for n, name in [(3, a) for a in ACTIVATIONS] + [(1, "identity")]
    )
    network = Network(layers, cells, {"input_idx": [0, 1]})
    save_network(tmp_path / "net.npz", network)
    back = load_npz(tmp_path / "net.npz")
    assert back.metadata == {"input_idx": [0, 1]} and back.num_inputs == (2 if lstm else 3)
    assert [layer.activation for layer in back.layers] == [*ACTIVATIONS, "identity"]
    for a, b in zip(network.layers, back.layers, strict=True):
        np.testing.assert_array_equal(a.weight, b.weight)
        np.testing.assert_array_equal(a.bias, b.bias)
    for a, b in zip(network.lstm, back.lstm, strict=True):
        np.testing.assert_array_equal(a.weight_ih, b.weight_ih)
        np.testing.assert_array_equal(a.weight_hh, b.weight_hh)
        np.testing.assert_array_equal(a.bias, b.bias)


def test_metadata_of_torchscript(torch, tmp_path):
    path = script(torch, perceptron(torch), tmp_path / "n.pt", **{"metadata.json": '{"a": 1}'})
    file = TorchScriptFile(path, recurrent=False)
    assert file.metadata == {"a": 1} == file.network.metadata


def test_without_torch(tmp_path, monkeypatch):
    (tmp_path / "net.pt").write_bytes(b"")
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(UnsupportedError, match=r"pip install 'usdsim\[learn\]'"):
        make(mlp_cfg(tmp_path / "net.pt"))
    save_network(tmp_path / "net.npz", constant(1.0))
    make(mlp_cfg(tmp_path / "net.npz", input_idx=[0]))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"input_idx": []}, "input_idx"),
        ({"input_idx": [-1]}, "input_idx"),
        ({"input_idx": [0, 1]}, "number of inputs"),
        ({"input_order": "vel"}, "'pos_vel', 'vel_pos'"),
    ],
)
def test_bad_mlp_settings(tmp_path, values, message):
    save_network(tmp_path / "net.npz", constant(1.0))
    with pytest.raises(InvalidValueError, match=message):
        make(mlp_cfg(tmp_path / "net.npz", **{"input_idx": [0], **values}))


def test_bad_files(tmp_path):
    with pytest.raises(FileError, match="there is no file"):
        make(mlp_cfg(tmp_path / "none.pt"))
    save_network(tmp_path / "net.npz", constant(1.0))
    with pytest.raises(InvalidValueError, match="with LSTM layers"):
        make(lstm_cfg(tmp_path / "net.npz"))
    save_network(tmp_path / "lstm.npz", constant(1.0, lstm=True))
    with pytest.raises(InvalidValueError, match="without LSTM layers"):
        make(mlp_cfg(tmp_path / "lstm.npz", input_idx=[0]))
    np.savez(tmp_path / "other.npz", a=1)
    with pytest.raises(FileError, match="not of the format"):
        make(lstm_cfg(tmp_path / "other.npz"))
    (tmp_path / "text.npz").write_text("text")
    with pytest.raises(FileError, match="save_network"):
        load_npz(tmp_path / "text.npz")
    np.savez(tmp_path / "part.npz", format="usdsim-network-1", weight_0=np.ones((1, 2)))
    with pytest.raises(FileError, match="bias_0"):
        load_npz(tmp_path / "part.npz")
    with pytest.raises(InvalidValueError, match=r"ends in \.npz"):
        save_network(tmp_path / "net.pt", constant(1.0))


def test_bad_torchscript(torch, tmp_path):
    (tmp_path / "net.pt").write_text("text")
    with pytest.raises(FileError, match="not TorchScript"):
        make(mlp_cfg(tmp_path / "net.pt"))
    path = script(torch, perceptron(torch), tmp_path / "mlp.pt")
    with pytest.raises(UnsupportedError, match="ActuatorNetMLPCfg"):
        make(lstm_cfg(path))
    module = torch.nn.Sequential(torch.nn.Linear(6, 6), torch.nn.GELU(), torch.nn.Linear(6, 2))
    path = script(torch, module, tmp_path / "two.pt")
    for idx in ([0, 1, 2], [0]):
        with pytest.raises(InvalidValueError, match=f"takes {2 * len(idx)} inputs per row"):
            make(mlp_cfg(path, input_idx=idx))


def test_layers_must_fit():
    good = DenseLayer(np.ones((1, 2), "f4"), np.zeros(1, "f4"))
    with pytest.raises(ShapeError, match="bias"):
        DenseLayer(np.ones((1, 2)), np.zeros(2))
    with pytest.raises(ShapeError, match="weight"):
        DenseLayer(np.ones(2), np.zeros(2))
    with pytest.raises(InvalidValueError, match="activation"):
        DenseLayer(np.ones((1, 2)), np.zeros(1), "gelu")
    with pytest.raises(ShapeError, match="weight_hh"):
        LstmLayer(np.ones((8, 2)), np.ones((8, 3)), np.zeros(8))
    with pytest.raises(InvalidValueError, match="inputs of layer 1"):
        Network((good, good))
    with pytest.raises(InvalidValueError, match="at least one"):
        Network(())


@pytest.mark.parametrize("name", ["anydrive_3_lstm_jit.pt", "unitree_go1.pt"])
def test_networks_of_isaac_lab_are_springs_with_dampers_where_their_files_are_not(name, caplog):
    from usdsim.compat.server.networks import NETWORKS
    from usdsim.compat.server.paths import NUCLEUS_ASSET_ROOT_DIR
    from usdsim.compat.server.stand_ins import _stand_in, find_server_file
    from usdsim.core.shipped import FILE_FINDERS

    path = next(path for path in NETWORKS if path.endswith(name))
    FILE_FINDERS.append(find_server_file)
    _stand_in.cache_clear()
    try:
        file = f"{NUCLEUS_ASSET_ROOT_DIR}/{path}"
        if "lstm" in name:
            stiffness, damping, model = 80.0, 2.0, make(lstm_cfg(file), num_envs=NUM_ENVS)
        else:
            scales = {"pos_scale": -1.0, "vel_scale": 1.0, "torque_scale": 1.0}
            cfg = mlp_cfg(file, input_idx=[0, 1, 2], input_order="pos_vel", **scales)
            stiffness, damping, model = 25.0, 0.5, make(cfg, num_envs=NUM_ENVS)
    finally:
        FILE_FINDERS.remove(find_server_file)
    assert "a spring with a damper stands in for it" in caplog.text
    for _ in range(4):
        q, v, target = (numbers(NUM_ENVS, 3) for _ in range(3))
        computed, _, _ = compute(model, q, v, target, 0.0, 0.0)
        # Single precision of what enters a cell by a thousandth.
        np.testing.assert_allclose(
            computed, stiffness * (target - q) - damping * v, rtol=1e-3, atol=1e-2
        )
