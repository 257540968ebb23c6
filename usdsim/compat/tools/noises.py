"""Noise configurations by their earlier names."""

from __future__ import annotations

from usdsim.envs.signals.noise import ConstantNoiseCfg, GaussianNoiseCfg, UniformNoiseCfg

__all__ = ["AdditiveGaussianNoiseCfg", "AdditiveUniformNoiseCfg", "ConstantBiasNoiseCfg"]

ConstantBiasNoiseCfg = ConstantNoiseCfg
"""Constant offsets."""
AdditiveUniformNoiseCfg = UniformNoiseCfg
"""Uniform noise."""
AdditiveGaussianNoiseCfg = GaussianNoiseCfg
"""Gaussian noise."""
