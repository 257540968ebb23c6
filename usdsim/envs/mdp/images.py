"""Observation terms of images that remember or recognise: stacked frames, and learned features."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import torch

from usdsim.core.arguments import whole
from usdsim.core.errors import UnknownNameError
from usdsim.core.extras import library
from usdsim.envs.managers.base import ManagerTermBase
from usdsim.envs.managers.scene_entity import SceneEntityCfg
from usdsim.envs.signals.history import History

from .entities import CAMERA
from .observations import image

if TYPE_CHECKING:
    from usdsim.envs import ManagerBasedEnv

__all__ = ["image_features", "stacked_image"]

_RESNETS = ("resnet18", "resnet34", "resnet50", "resnet101")
_MEAN, _DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
"""Mean and deviation of the colours that these networks were trained with, from 0 to 1."""


class stacked_image(ManagerTermBase):
    """Last pictures of a camera, their channels one after the other, oldest first.

    The first picture of an episode stands for those before it.
    """

    def __init__(self, cfg: Any, env: Any):
        super().__init__(cfg, env)
        count = whole("frame_stack", int(cfg.params.get("frame_stack", 1)), 1)
        self._frames = History(count, env.num_envs, env.device)

    def reset(self, env_ids: Any = None) -> None:
        """Forget the pictures of environments; see `ManagerTermBase.reset`."""
        self._frames.reset(env_ids)

    def __call__(
        self,
        env: ManagerBasedEnv,
        sensor_cfg: SceneEntityCfg = CAMERA,
        data_type: str = "rgb",
        frame_stack: int = 1,
        convert_perspective_to_orthogonal: bool = False,
        normalize: bool = True,
    ) -> torch.Tensor:
        """Shape (num_envs, height, width, frame_stack channels).

        Args:
            env: the environment.
            sensor_cfg: the camera.
            data_type: which of its outputs.
            frame_stack: number of pictures.
            convert_perspective_to_orthogonal: see `image`.
            normalize: likewise.
        """
        picture = image(env, sensor_cfg, data_type, convert_perspective_to_orthogonal, normalize)
        frames = self._frames.append(picture)
        return frames.permute(0, 2, 3, 1, 4).flatten(3).clone()


class image_features(ManagerTermBase):
    """Features that a trained network finds in the pictures of a camera.

    Networks are those of ``model_zoo_cfg``, by name: a mapping each with ``model``, a function
    that makes it, ``inference``, called with it and the pictures (num_envs, height, width,
    channels), and perhaps ``reset``, called with it and the environments. Without it, they are the
    residual networks of torchvision, whose weights torchvision loads from its server.
    """

    def __init__(self, cfg: Any, env: Any):
        super().__init__(cfg, env)
        params = cfg.params
        name = params.get("model_name", "resnet18")
        known: Mapping[str, Any] | None = params.get("model_zoo_cfg")
        if known is not None:
            if name not in known:
                raise UnknownNameError("model", name, known, "model_zoo_cfg")
            parts = known[name]
        else:
            parts = _resnet(name, params.get("model_device") or env.device)
        self._model: Any = parts["model"]()
        self._infer, self._forget = parts["inference"], parts.get("reset")

    def reset(self, env_ids: Any = None) -> None:
        """Reset the network's state of environments; see `ManagerTermBase.reset`."""
        if self._forget is not None:
            self._forget(self._model, env_ids)

    def __call__(
        self,
        env: ManagerBasedEnv,
        sensor_cfg: SceneEntityCfg = CAMERA,
        data_type: str = "rgb",
        convert_perspective_to_orthogonal: bool = False,
        model_zoo_cfg: Mapping[str, Any] | None = None,
        model_name: str = "resnet18",
        model_device: str | None = None,
        inference_kwargs: Mapping[str, Any] | None = None,
    ) -> torch.Tensor:
        """Shape (num_envs, features).

        Args:
            env: the environment.
            sensor_cfg: the camera.
            data_type: which of its outputs.
            convert_perspective_to_orthogonal: see `image`.
            model_zoo_cfg: networks; see above.
            model_name: which of them.
            model_device: where it computes; None: on the environment's device.
            inference_kwargs: further arguments of its ``inference``.
        """
        pictures = image(env, sensor_cfg, data_type, convert_perspective_to_orthogonal, False)
        found: torch.Tensor = self._infer(self._model, pictures, **(inference_kwargs or {}))
        return found.detach().to(pictures.device)


def _resnet(name: str, device: str) -> dict[str, Any]:
    """A residual network of torchvision: how it is made and asked."""
    if name not in _RESNETS:
        raise UnknownNameError("model", name, _RESNETS, "image_features; give model_zoo_cfg")
    models = library("torchvision.models", f"image_features with {name!r}", "give model_zoo_cfg")

    def make() -> Any:
        return getattr(models, name)(weights="DEFAULT").eval().to(device)

    def infer(model: Any, pictures: torch.Tensor) -> torch.Tensor:
        mean, deviation = (torch.tensor(v, device=device) for v in (_MEAN, _DEVIATION))
        colours = (pictures[..., :3].to(device).float() / 255.0 - mean) / deviation
        with torch.inference_mode():
            features: torch.Tensor = model(colours.permute(0, 3, 1, 2))
        return features.clone()

    return {"model": make, "inference": infer}
