"""Kernels of the rotor model: one step of the lag, and the draws of a reset.

They work on s = sign(T) sqrt(|T|), which is the rotor speed times the square root of the thrust
constant: the lag is the same, and the thrust constant is needed for limits of speed only.
"""

# Warp's annotations are calls, which a type checker does not take.
# mypy: ignore-errors

import warp as wp

from usdsim.engine import device
from usdsim.views.copies.kernels import chosen

__all__ = ["EULER", "EXACT", "RK4", "RK4_REVERSED", "advance_thrusters", "reset_thrusters"]

device.init_kernels(__name__)

EXACT = wp.constant(0)
EULER = wp.constant(1)
RK4 = wp.constant(2)
RK4_REVERSED = wp.constant(3)


@wp.func
def _root(thrust: float):
    return wp.sign(thrust) * wp.sqrt(wp.abs(thrust))


@wp.func
def _time_to_stop(s: float, target: float, tau: float, rate: float):
    """Time at which a rotor on its way to turning the other way stands still."""
    start = wp.abs(target - s)
    end = wp.abs(target)
    reach = wp.max(rate * tau, end)
    return wp.max(start - reach, 0.0) / rate + tau * wp.log(wp.min(start, reach) / end)


@wp.func
def _relax(s: float, target: float, tau: float, rate: float, time: float):
    """The limited lag in closed form: linear while the limit holds, exponential after."""
    error = target - s
    linear = wp.clamp((wp.abs(error) - rate * tau) / rate, 0.0, time)
    error -= wp.sign(error) * rate * linear
    left = time - linear
    if left > 0.0:
        error *= wp.exp(-left / tau)
    return target - error


@wp.func
def _relax_exactly(
    s: float, target: float, tau_inc: float, tau_dec: float, rate: float, time: float
):
    left = time
    tau = tau_inc
    start = s
    if s * (target - s) < 0.0:
        tau = tau_dec
    if s * target < 0.0:
        stop = _time_to_stop(s, target, tau_dec, rate)
        if stop < time:
            left = time - stop
            start = 0.0
            tau = tau_inc
    return _relax(start, target, tau, rate, left)


@wp.func
def _slope(error: float, gain: float, rate: float):
    return wp.clamp(gain * error, -rate, rate)


@wp.func
def _runge_kutta(error: float, gain: float, rate: float, dt: float, side: float):
    """Mean slope over a step; `side` is -1: the error shrinks by what a stage has moved."""
    k1 = _slope(error, gain, rate)
    k2 = _slope(error + side * 0.5 * dt * k1, gain, rate)
    k3 = _slope(error + side * 0.5 * dt * k2, gain, rate)
    k4 = _slope(error + side * dt * k3, gain, rate)
    return (k1 + 2.0 * k2 + 2.0 * k3 + k4) / 6.0


@wp.func
def _relax_by_steps(
    scheme: int, discrete: bool, s: float, target: float, tau: float, rate: float, dt: float
):
    error = target - s
    lag = tau
    if discrete:
        lag += dt
    gain = 1.0 / lag
    slope = _slope(error, gain, rate)
    if scheme == RK4:
        slope = _runge_kutta(error, gain, rate, dt, -1.0)
    if scheme == RK4_REVERSED:
        slope = _runge_kutta(error, gain, rate, dt, 1.0)
    return s + dt * slope


@wp.kernel
def advance_thrusters(
    # model
    scheme: int,
    discrete: bool,
    dt: float,
    lower: float,
    upper: float,
    thrust_rate: float,
    speed_rate: float,
    torque_ratio: float,
    tau_inc: wp.array2d(dtype=wp.float32),
    tau_dec: wp.array2d(dtype=wp.float32),
    thrust_const: wp.array2d(dtype=wp.float32),
    # inputs
    target_in: wp.array2d(dtype=wp.float32),
    # outputs
    curr_thrust: wp.array2d(dtype=wp.float32),
    rps_out: wp.array2d(dtype=wp.float32),
    computed_out: wp.array2d(dtype=wp.float32),
    applied_out: wp.array2d(dtype=wp.float32),
    torque_out: wp.array2d(dtype=wp.float32),
):
    """Advance thrust by a time step towards the target, `curr_thrust` in place."""
    env, i = wp.tid()
    root_k = wp.sqrt(thrust_const[env, i])
    thrust = curr_thrust[env, i]
    asked = target_in[env, i]
    s = _root(thrust)
    s_target = _root(wp.clamp(asked, lower, upper))
    rate = speed_rate * root_k
    if scheme == EXACT:
        s = _relax_exactly(s, s_target, tau_inc[env, i], tau_dec[env, i], rate, dt)
    else:
        tau = tau_inc[env, i]
        if s * (s_target - s) < 0.0:
            tau = tau_dec[env, i]
        s = _relax_by_steps(scheme, discrete, s, s_target, tau, rate, dt)
    most = thrust_rate * dt
    result = s * wp.abs(s)
    if wp.abs(result - thrust) > most:
        result = thrust + wp.sign(result - thrust) * most
        s = _root(result)
    # Clamps turn NaN into a bound, which would hide a broken controller.
    if wp.isnan(asked):
        result = asked
    curr_thrust[env, i] = result
    rps_out[env, i] = s / root_k
    computed_out[env, i] = result
    applied = result
    if not wp.isnan(result):
        applied = wp.clamp(result, lower, upper)
    applied_out[env, i] = applied
    torque_out[env, i] = torque_ratio * wp.abs(applied)


@wp.kernel
def reset_thrusters(
    # model
    seed: int,
    lower: float,
    upper: float,
    torque_ratio: float,
    tau_inc_range: wp.vec2,
    tau_dec_range: wp.vec2,
    thrust_const_range: wp.vec2,
    streams: wp.array(dtype=wp.int32),
    init_rps: wp.array2d(dtype=wp.float32),
    # inputs
    env_ids_in: wp.array(dtype=wp.int32),
    env_mask_in: wp.array(dtype=wp.bool),
    # outputs
    draws: wp.array2d(dtype=wp.int32),
    tau_inc_out: wp.array2d(dtype=wp.float32),
    tau_dec_out: wp.array2d(dtype=wp.float32),
    thrust_const_out: wp.array2d(dtype=wp.float32),
    curr_thrust_out: wp.array2d(dtype=wp.float32),
    rps_out: wp.array2d(dtype=wp.float32),
    computed_out: wp.array2d(dtype=wp.float32),
    applied_out: wp.array2d(dtype=wp.float32),
    torque_out: wp.array2d(dtype=wp.float32),
):
    """Draw the parameters of some environments anew and start their rotors."""
    row, i = wp.tid()
    env = chosen(row, env_ids_in, env_mask_in, draws.shape[0])
    if env < 0:
        return
    # Chained, so that a sequence depends on nothing but the rotor and how often it was reset.
    key = wp.rand_init(wp.int32(wp.rand_init(seed, env)), streams[i])
    state = wp.rand_init(wp.int32(key), draws[env, i])
    draws[env, i] += 1
    tau_inc_out[env, i] = wp.randf(state, tau_inc_range[0], tau_inc_range[1])
    tau_dec_out[env, i] = wp.randf(state, tau_dec_range[0], tau_dec_range[1])
    k = wp.randf(state, thrust_const_range[0], thrust_const_range[1])
    thrust_const_out[env, i] = k
    speed = init_rps[env, i]
    thrust = k * speed * wp.abs(speed)
    applied = wp.clamp(thrust, lower, upper)
    curr_thrust_out[env, i] = thrust
    rps_out[env, i] = speed
    computed_out[env, i] = thrust
    applied_out[env, i] = applied
    torque_out[env, i] = torque_ratio * wp.abs(applied)
