"""Network actuators: perceptrons and LSTMs, their files, kernels and runner."""
