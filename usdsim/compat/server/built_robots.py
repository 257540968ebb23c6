"""Built robots: stand-ins with the joints and bodies of public robots, by their names.

Lengths, masses and limits are about those of the robots, and their shapes are rods: programs run
with them, and what is learned on them is not for the robots themselves.
"""

from __future__ import annotations

from .limbs import Limbs
from .masks import MECHANISM
from .suction import Suction

__all__ = ["BUILT_ROBOTS"]

_H1 = Limbs(
    """
    pelvis - 0 0 0 5.4 ball 0.09
    *_hip_yaw_link pelvis 0 0.0875 -0.1742 2.24 ; *_hip_yaw z -0.43 0.43
    *_hip_roll_link ^ 0.039 0 0 2.23 ; *_hip_roll x -0.43 0.43
    *_hip_pitch_link ^ 0 0.115 0 4.15 rod 0 0 -0.4 ; *_hip_pitch y -3.14 2.53
    *_knee_link ^ 0 0 -0.4 1.72 ; *_knee y -0.26 2.05
    *_ankle_link ^ 0 0 -0.4 0.47 box 0.24 0.06 0.03 0.05 0 -0.05 ; *_ankle y -0.87 0.52
    torso_link pelvis 0 0 0 17.8 box 0.16 0.22 0.45 0 0 0.3 ; torso z -2.35 2.35
    *_shoulder_pitch_link torso_link 0.0055 0.155 0.43 1.03 ; *_shoulder_pitch y -2.87 2.87
    *_shoulder_roll_link ^ -0.0055 0.0565 -0.0165 0.79 ; *_shoulder_roll x -0.34 3.11
    *_shoulder_yaw_link ^ 0 0 -0.134 0.84 ; *_shoulder_yaw z -1.3 4.45
    *_elbow_link ^ 0.0185 0 -0.198 0.67 rod 0.25 0 0 ; *_elbow y -1.25 2.61
    """
)

_G1_LEGS = """
    pelvis - 0 0 0 3.81 ball 0.07
    *_hip_pitch_link pelvis 0 0.0645 -0.1027 1.35 ; *_hip_pitch_joint y -2.53 2.88
    *_hip_roll_link ^ 0 0.052 -0.0305 1.52 ; *_hip_roll_joint x -0.52 2.97
    *_hip_yaw_link ^ 0.025 0 -0.1241 1.7 ; *_hip_yaw_joint z -2.76 2.76
    *_knee_link ^ -0.0783 0.0021 -0.1773 1.93 rod 0 0 -0.3 ; *_knee_joint y -0.087 2.88
    *_ankle_pitch_link ^ 0 0 -0.3 0.074 ; *_ankle_pitch_joint y -0.87 0.52
    *_ankle_roll_link ^ 0 0 -0.0176 0.61 box 0.2 0.06 0.03 0.03 0 -0.02
     ; *_ankle_roll_joint x -0.26 0.26
"""
_G1 = Limbs(
    _G1_LEGS
    + """
    torso_link pelvis -0.004 0 0.044 8.56 box 0.1 0.18 0.36 0 0 0.2 ; torso_joint z -2.62 2.62
    *_shoulder_pitch_link torso_link 0.004 0.1 0.238 0.72 ; *_shoulder_pitch_joint y -3.09 2.67
    *_shoulder_roll_link ^ 0 0.038 -0.014 0.64 ; *_shoulder_roll_joint x -1.59 2.25
    *_shoulder_yaw_link ^ 0 0.006 -0.103 0.73 ; *_shoulder_yaw_joint z -2.62 2.62
    *_elbow_pitch_link ^ 0.016 0 -0.08 0.6 ; *_elbow_pitch_joint y -1.05 3.42
    *_elbow_roll_link ^ 0.1 0.002 -0.01 0.5 ; *_elbow_roll_joint x -1.97 1.97
    *_palm_link ^ 0.12 0 0 0.37 ball 0.03
    *_zero_link *_palm_link 0.05 0 0 0.05 ball 0.01 ; *_zero_joint y -0.52 0.52
    *_one_link ^ -0.01 0.03 0 0.05 rod 0 0.03 0 ; *_one_joint z -1 1.2
    *_two_link ^ 0 0.046 0 0.05 rod 0 0.03 0 ; *_two_joint z 0 1.84
    *_three_link *_palm_link 0.08 -0.02 0.03 0.05 rod 0.03 0 0 ; *_three_joint z -1.84 0.3
    *_four_link ^ 0.046 0 0 0.05 rod 0.03 0 0 ; *_four_joint z -1.84 0
    *_five_link *_palm_link 0.08 -0.02 -0.03 0.05 rod 0.03 0 0 ; *_five_joint z -1.84 0.3
    *_six_link ^ 0.046 0 0 0.05 rod 0.03 0 0 ; *_six_joint z -1.84 0
    """,
    radius=0.012,
)

_G1_29 = Limbs(
    _G1_LEGS
    + """
    waist_yaw_link pelvis -0.004 0 0.044 0.24 ; waist_yaw_joint z -2.62 2.62
    waist_roll_link ^ 0 0 0.035 0.05 ; waist_roll_joint x -0.52 0.52
    torso_link ^ 0 0 0.019 8.6 box 0.1 0.18 0.34 0 0 0.17 ; waist_pitch_joint y -0.52 0.52
    *_shoulder_pitch_link torso_link 0.004 0.1 0.248 0.72 ; *_shoulder_pitch_joint y -3.09 2.67
    *_shoulder_roll_link ^ 0 0.038 -0.014 0.64 ; *_shoulder_roll_joint x -1.59 2.25
    *_shoulder_yaw_link ^ 0 0.006 -0.103 0.73 ; *_shoulder_yaw_joint z -2.62 2.62
    *_elbow_link ^ 0.016 0 -0.08 0.6 ; *_elbow_joint y -1.05 2.09
    *_wrist_roll_link ^ 0.1 0.002 -0.01 0.085 ; *_wrist_roll_joint x -1.97 1.97
    *_wrist_pitch_link ^ 0.038 0 0 0.48 ; *_wrist_pitch_joint y -1.61 1.61
    *_wrist_yaw_link ^ 0.046 0 0 0.25 ; *_wrist_yaw_joint z -1.61 1.61
    *_hand_palm_link ^ 0.0415 0.003 0 0.37 ball 0.03
    *_hand_thumb_0_link *_hand_palm_link 0.067 0.003 0 0.09 ball 0.01
     ; *_hand_thumb_0_joint y -1.05 1.05
    *_hand_thumb_1_link ^ -0.003 0.02 0 0.06 rod 0 0.03 0 ; *_hand_thumb_1_joint z -0.72 1.05
    *_hand_thumb_2_link ^ 0 0.046 0 0.02 rod 0 0.03 0 ; *_hand_thumb_2_joint z 0 1.75
    *_hand_middle_0_link *_hand_palm_link 0.12 -0.02 -0.03 0.05 rod 0.03 0 0
     ; *_hand_middle_0_joint z -1.57 0
    *_hand_middle_1_link ^ 0.046 0 0 0.05 rod 0.03 0 0 ; *_hand_middle_1_joint z -1.75 0
    *_hand_index_0_link *_hand_palm_link 0.12 -0.02 0.03 0.05 rod 0.03 0 0
     ; *_hand_index_0_joint z -1.57 0
    *_hand_index_1_link ^ 0.046 0 0 0.05 rod 0.03 0 0 ; *_hand_index_1_joint z -1.75 0
    """,
    radius=0.012,
)


def _anymal_leg(leg: str, x: float, y: float) -> str:
    """A leg whose knee bends towards the middle of the trunk.

    Args:
        leg: what its names begin with.
        x: 1: it is in front; -1: behind.
        y: 1: it is on the left; -1: on the right.
    """
    outward = (-0.72, 0.49) if y > 0.0 else (-0.49, 0.72)
    return f"""
    {leg}_HIP base {0.3 * x} {0.104 * y} 0 2.78 ; {leg}_HAA x {outward[0]} {outward[1]}
    {leg}_THIGH ^ {0.06 * x} {0.084 * y} 0 3.07 ; {leg}_HFE y -9.42 9.42
    {leg}_SHANK ^ 0 {0.1 * y} -0.285 0.34 ; {leg}_KFE y -9.42 9.42
    {leg}_FOOT ^ {0.088 * x} {0.013 * y} -0.338 0.25 ball 0.03
    """


_ANYMAL = Limbs(
    "base - 0 0 0 27 box 0.53 0.27 0.24 0 0 0"
    + _anymal_leg("LF", 1.0, 1.0)
    + _anymal_leg("LH", -1.0, 1.0)
    + _anymal_leg("RF", 1.0, -1.0)
    + _anymal_leg("RH", -1.0, -1.0),
    radius=0.03,
)

_CASSIE = Limbs(
    """
    pelvis - 0 0 0 10.3 ball 0.11
    *_pelvis_abduction pelvis 0.021 0.135 0 1.8 ; hip_abduction_* x -0.26 0.39
    *_pelvis_rotation ^ 0 0 -0.07 1.2 ; hip_rotation_* z -0.39 0.39
    *_hip ^ 0 0.004 -0.09 5.5 rod 0 0 -0.12 ; hip_flexion_* -y -0.87 1.4
    *_thigh ^ 0 0.045 -0.12 1.3 rod 0 0 -0.43 ; thigh_joint_* -y -2.86 -0.65
    *_tarsus ^ 0 0 -0.43 0.8 rod 0 0 -0.41 ; ankle_joint_* -y 0.87 2.97
    *_toe ^ 0 0 -0.41 0.15 box 0.16 0.03 0.03 0 0 0 ; toe_joint_* -y -2.44 -0.52
    """,
    radius=0.03,
)

_DIGIT = Limbs(
    """
    torso_base - 0 0 0 15 box 0.16 0.22 0.4 0 0 0.2
    *_leg_hip_roll torso_base 0 0.091 0 0.9 ; *_leg_hip_roll x -1.05 1.05
    *_leg_hip_yaw ^ -0.07 0 0 0.8 ; *_leg_hip_yaw z -0.7 0.7
    *_leg_hip_pitch ^ 0.07 0.06 -0.02 6.2 rod 0 0 -0.38 ; *_leg_hip_pitch -y -1.05 1.57
    *_leg_achilles_rod *_leg_hip_pitch -0.05 0 -0.1 0.2 rod 0 0 -0.3
    *_leg_knee *_leg_hip_pitch 0 0 -0.38 1.2 ; *_leg_knee -y -1.4 1.02
    *_leg_shin ^ 0.02 0 -0.06 0.8 ; *_leg_shin -y -0.35 0.35
    *_leg_tarsus ^ 0 0 -0.02 2.1 rod 0 0 -0.46 ; *_leg_tarsus -y -1.24 1.57
    *_leg_toe_a *_leg_tarsus 0.03 0.03 -0.1 0.25 ball 0.02 ; *_leg_toe_a y -0.8 0.8
    *_leg_toe_a_rod ^ -0.03 0 0 0.1 rod 0 0 -0.2
    *_leg_toe_b *_leg_tarsus 0.03 -0.03 -0.1 0.25 ball 0.02 ; *_leg_toe_b y -0.8 0.8
    *_leg_toe_b_rod ^ -0.03 0 0 0.1 rod 0 0 -0.2
    *_leg_toe_pitch *_leg_tarsus 0 0 -0.46 0.1 ; *_leg_toe_pitch y -0.58 0.76
    *_leg_toe_roll ^ 0 0 0 0.6 box 0.2 0.08 0.03 0.02 0 -0.05 ; *_leg_toe_roll x -0.65 0.65
    *_arm_shoulder_roll torso_base 0 0.12 0.36 0.9 ; *_arm_shoulder_roll x -1.31 1.31
    *_arm_shoulder_pitch ^ 0 0.05 0 0.7 ; *_arm_shoulder_pitch -y -2.53 2.53
    *_arm_shoulder_yaw ^ 0 0.02 -0.05 1.6 rod 0 0 -0.25 ; *_arm_shoulder_yaw z -1.75 1.75
    *_arm_elbow ^ 0 0 -0.25 0.8 rod 0.1 0 -0.2 ; *_arm_elbow -y -1.35 1.35
    *_arm_wrist_roll ^ 0.1 0 -0.2 0.3 ; *_arm_wrist_roll x -1.75 1.75
    *_arm_wrist_pitch ^ 0.03 0 -0.06 0.2 ; *_arm_wrist_pitch y -1.6 1.6
    *_arm_wrist_yaw ^ 0.02 0 -0.04 0.3 ball 0.04 ; *_arm_wrist_yaw z -1.75 1.75
    """,
    radius=0.03,
    drives={
        "*_toe_[ab]": (40.0, 2.0),
        "*_leg_shin": (6000.0, 20.0),
        "*_leg_hip_*": (300.0, 15.0),
        "*_leg_knee": (300.0, 15.0),
        "*_arm_*": (80.0, 4.0),
    },
    # Rods hold the tarsus parallel to the thigh, and lead the foot by two motors.
    follows={
        "*_leg_tarsus": ("*_leg_knee", -1.0),
        "*_leg_toe_pitch": ("*_leg_toe_a", 1.0),
        "*_leg_toe_roll": ("*_leg_toe_b", 1.0),
    },
)

_HUMANOID_28 = Limbs(
    """
    pelvis - 0 0 0 6 ball 0.09
    torso ^ 0 0 0.236 14 ball 0.11
     ; abdomen_x x -1.2 1.2 ; abdomen_y y -1.2 1.2 ; abdomen_z z -1.2 1.2
    head ^ 0 0 0.224 2 ball 0.1
     ; neck_x x -0.5 0.5 ; neck_y y -1 1 ; neck_z z -1 1
    *_upper_arm torso -0.024 0.183 0.2435 1.5
     ; *_shoulder_x x -0.5 3.2 ; *_shoulder_y y -3.14 1.2 ; *_shoulder_z z -1.5 1.5
    *_lower_arm ^ 0 0 -0.275 1 ; *_elbow y -2.8 0
    *_hand ^ 0 0 -0.259 0.5 ball 0.04
    *_thigh pelvis 0 0.085 0 4.5
     ; *_hip_x x -1.2 1.2 ; *_hip_y y -2.57 1.57 ; *_hip_z z -1 1
    *_shin ^ 0 0 -0.422 3 ; *_knee y 0 3.14
    *_foot ^ 0 0 -0.41 1 box 0.18 0.08 0.05 0.045 0 -0.02
     ; *_ankle_x x -1 1 ; *_ankle_y y -1.57 1.57 ; *_ankle_z z -1 1
    """,
    radius=0.045,
    drives={
        "abdomen_*": (1000.0, 100.0),
        "neck_*": (100.0, 10.0),
        "*_hand": (50.0, 5.0),
        "*_elbow": (300.0, 30.0),
        "*_shoulder_*": (400.0, 40.0),
        "*": (500.0, 50.0),
    },
)

_FINGER = """
    robot0_{0}knuckle {1} {2} 0.008 ball 0.012 ; robot0_{3}J3 y -0.349 0.349
    robot0_{0}proximal ^ 0 0 0 0.014 rod 0 0 0.045 ; robot0_{3}J2 x 0 1.571
    robot0_{0}middle ^ 0 0 0.045 0.012 rod 0 0 0.025 ; robot0_{3}J1 x 0 1.571
    robot0_{0}distal ^ 0 0 0.025 0.01 rod 0 0 0.02 ; robot0_{3}J0 x 0 1.571
"""
_SHADOW = Limbs(
    """
    robot0_forearm - 0 0 0 2.2 box 0.1 0.1 0.16 0 0 0.08
    robot0_wrist ^ 0.01 0 0.213 0.35 ball 0.02 ; robot0_WRJ1 y -0.489 0.14
    robot0_palm ^ 0 0 0.034 0.3 box 0.07 0.025 0.08 0 0 0.045 ; robot0_WRJ0 x -0.698 0.489
    """
    + _FINGER.format("ff", "robot0_palm", "0.033 0 0.095", "FF")
    + _FINGER.format("mf", "robot0_palm", "0.011 0 0.099", "MF")
    + _FINGER.format("rf", "robot0_palm", "-0.011 0 0.095", "RF")
    + """
    robot0_lfmetacarpal robot0_palm -0.017 0 0.044 0.04 ball 0.01 ; robot0_LFJ4 y 0 0.785
    """
    + _FINGER.format("lf", "robot0_lfmetacarpal", "-0.017 0 0.044", "LF")
    + """
    robot0_thbase robot0_palm 0.034 -0.009 0.029 0.01 ball 0.01 ; robot0_THJ4 z -1.047 1.047
    robot0_thproximal ^ 0 0 0 0.016 rod 0.025 -0.01 0.025 ; robot0_THJ3 x 0 1.222
    robot0_thhub ^ 0.025 -0.01 0.025 0.002 ball 0.008 ; robot0_THJ2 x -0.209 0.209
    robot0_thmiddle ^ 0 0 0 0.016 rod 0.022 -0.01 0.022 ; robot0_THJ1 y -0.524 0.524
    robot0_thdistal ^ 0.022 -0.01 0.022 0.016 rod 0.02 0 0.02 ; robot0_THJ0 y -1.571 0
    """,
    radius=0.009,
    floats=False,
    # Tendons bend the last two links of a finger together.
    follows={f"robot0_{name}J0": (f"robot0_{name}J1", 1.0) for name in ("FF", "MF", "RF", "LF")},
)

_RIZON = Limbs(
    """
    base_link - 0 0 0 3.9 ball 0.07
    link1 ^ 0 0 0.155 3.6 ; joint1 z -2.79 2.79
    link2 ^ 0 0.03 0.21 2.7 ; joint2 -y -2.26 2.26
    link3 ^ 0 0.035 0.205 2.4 ; joint3 z -2.97 2.97
    link4 ^ -0.02 -0.03 0.19 2.2 ; joint4 y -1.87 2.69
    link5 ^ -0.02 0.025 0.195 2 ; joint5 z -2.97 2.97
    link6 ^ 0 0.03 0.19 1.8 ; joint6 y -1.4 4.54
    link7 ^ -0.015 0.073 0.11 0.9 ; joint7 z -2.97 2.97
    flange ^ 0 0 0.08 0.1 ball 0.02
    """,
    floats=False,
)


def _openarm(carrier: str, name: str, up: int) -> str:
    """Arm of seven joints with two fingers, whose links and joints begin with a name.

    Args:
        carrier: the link that carries it, and where.
        name: what the names begin with.
        up: 1: it points up with all joints at zero; -1: down.
    """
    return f"""
    {name}link0 {carrier} 0.5 ball 0.04
    {name}link1 ^ 0 0 {0.0625 * up} 1.14 ; {name}joint1 z -1.4 3.49
    {name}link2 ^ -0.03 0 {0.06 * up} 0.28 ; {name}joint2 x -1.75 1.75
    {name}link3 ^ 0.03 0 {0.066 * up} 1.07 ; {name}joint3 z -1.57 1.57
    {name}link4 ^ 0 0.0315 {0.154 * up} 0.55 ; {name}joint4 y 0 2.44
    {name}link5 ^ 0 -0.0315 {0.0955 * up} 0.35 ; {name}joint5 z -1.57 1.57
    {name}link6 ^ 0.0375 0 {0.1205 * up} 0.37 ; {name}joint6 x -0.785 0.785
    {name}link7 ^ -0.0375 0 0 0.43 ; {name}joint7 y -1.57 1.57
    {name}hand ^ 0 0 {0.1 * up} 0.35 box 0.06 0.12 0.06 0 0 0
    {name}ee_tcp ^ 0 0 {0.08 * up} 0.01 ball 0.005
    {name}left_finger {name}hand 0 0.005 {0.05 * up} 0.05 box 0.02 0.01 0.06 0 0.005 {0.03 * up}
      ; {name}finger_joint1 slide_y 0 0.044
    {name}right_finger {name}hand 0 -0.005 {0.05 * up} 0.05 box 0.02 0.01 0.06 0 -0.005 {0.03 * up}
      ; {name}finger_joint2 slide_-y 0 0.044
    """


_OPENARM = Limbs(_openarm("- 0 0 0", "openarm_", 1), radius=0.03, floats=False)
_OPENARM_PAIR = Limbs(
    "openarm_body_link0 - 0 0 0 14 box 0.2 0.2 0.7 0 0 0.35"
    + _openarm("openarm_body_link0 0 0.12 0.69", "openarm_*_", -1),
    radius=0.03,
    floats=False,
)

_FINGERS = """
    *_link_finger_1 *_link_end 0.03 0 0.11 0.03 rod 0 0 0.04 ; *_joint_finger_1 -y 0 1.51
    *_link_finger_tip_1 ^ 0 0 0.044 0.02 rod 0 0 0.03 ; *_joint_finger_tip_1 -y 0 2
    *_link_finger_2 *_link_end -0.03 0.025 0.11 0.03 rod 0 0 0.04 ; *_joint_finger_2 y 0 1.51
    *_link_finger_tip_2 ^ 0 0 0.044 0.02 rod 0 0 0.03 ; *_joint_finger_tip_2 y 0 2
    *_link_finger_3 *_link_end -0.03 -0.025 0.11 0.03 rod 0 0 0.04 ; *_joint_finger_3 y 0 1.51
    *_link_finger_tip_3 ^ 0 0 0.044 0.02 rod 0 0 0.03 ; *_joint_finger_tip_3 y 0 2
"""


def _jaco(name: str, last: int, arm: str) -> Limbs:
    """An arm with three fingers; its second joint, at zero, lets it hang."""
    fingers = _FINGERS.replace("*_link_end", f"*_link_{last}")
    return Limbs((arm + fingers).replace("*", name), radius=0.035, floats=False)


_JACO_7 = _jaco(
    "j2n7s300",
    7,
    """
    *_link_base - 0 0 0 0.46 ball 0.06
    *_link_1 ^ 0 0 0.157 0.75 ; *_joint_1 z -6.28 6.28
    *_link_2 ^ 0 0 0.119 0.85 ; *_joint_2 y 0.52 5.76
    *_link_3 ^ 0 0 -0.205 0.85 ; *_joint_3 z -6.28 6.28
    *_link_4 ^ 0 0 -0.205 0.84 ; *_joint_4 y 0.52 5.76
    *_link_5 ^ 0 0 -0.207 0.42 ; *_joint_5 z -6.28 6.28
    *_link_6 ^ 0 0 -0.104 0.42 ; *_joint_6 y -6.28 6.28
    *_link_7 ^ 0 0 -0.104 0.73 ball 0.035 ; *_joint_7 z -6.28 6.28
    """,
)
_JACO_6 = _jaco(
    "j2n6s300",
    6,
    """
    *_link_base - 0 0 0 0.46 ball 0.06
    *_link_1 ^ 0 0 0.157 0.75 ; *_joint_1 z -6.28 6.28
    *_link_2 ^ 0 0 0.119 0.99 ; *_joint_2 y 0.82 5.46
    *_link_3 ^ 0 0 -0.41 0.68 ; *_joint_3 y 0.33 5.95
    *_link_4 ^ 0 0 -0.207 0.43 ; *_joint_4 z -6.28 6.28
    *_link_5 ^ 0 0 -0.074 0.43 ; *_joint_5 y -6.28 6.28
    *_link_6 ^ 0 0 -0.074 0.73 ball 0.035 ; *_joint_6 z -6.28 6.28
    """,
)
_GEN3 = Limbs(
    """
    base_link - 0 0 0 1.7 ball 0.05
    shoulder_link ^ 0 0 0.156 1.38 ; joint_1 z -6.28 6.28
    half_arm_1_link ^ 0 0 0.128 1.16 ; joint_2 y -2.41 2.41
    half_arm_2_link ^ 0 0 0.21 1.16 ; joint_3 z -6.28 6.28
    forearm_link ^ 0 0 0.21 0.93 ; joint_4 y -2.66 2.66
    spherical_wrist_1_link ^ 0 0 0.208 0.68 ; joint_5 z -6.28 6.28
    spherical_wrist_2_link ^ 0 0 0.106 0.68 ; joint_6 y -2.23 2.23
    bracelet_link ^ 0 0 0.106 0.36 ball 0.04 ; joint_7 z -6.28 6.28
    end_effector_link ^ 0 0 0.06 0.01 ball 0.01
    """,
    floats=False,
)
_SAWYER = Limbs(
    """
    base - 0 0 0 5 ball 0.08
    right_l0 ^ 0 0 0.08 5.32 ; right_j0 z -3.05 3.05
    head right_l0 0.03 0 0.3 1.5 ball 0.08 ; head_pan z -5.1 0.9
    right_l1 right_l0 0.081 0.05 0.237 4.5 rod 0.2 0 0 ; right_j1 y -3.81 2.27
    right_l2 ^ 0.14 0.14 0 1.75 ; right_j2 x -3.04 3.04
    right_l3 ^ 0.26 -0.042 0 2.51 ; right_j3 y -3.04 3.04
    right_l4 ^ 0.125 -0.127 0 1.11 ; right_j4 x -2.98 2.98
    right_l5 ^ 0.275 0.031 0 1.56 ; right_j5 y -2.98 2.98
    right_l6 ^ 0.11 0.106 0 0.33 ball 0.04 ; right_j6 x -4.71 4.71
    right_hand ^ 0.024 0 0 0.01 ball 0.01
    """,
    floats=False,
)

_ALLEGRO_FINGER = """
    {0}_link_0 palm_link {1} 0.012 ball 0.01 ; {0}_joint_0 z -0.47 0.47
    {0}_link_1 ^ 0 0 0.0164 0.065 ; {0}_joint_1 y -0.196 1.61
    {0}_link_2 ^ 0 0 0.054 0.036 ; {0}_joint_2 y -0.174 1.709
    {0}_link_3 ^ 0 0 0.0384 0.03 ; {0}_joint_3 y -0.227 1.618
    {0}_biotac_tip ^ 0 0 0.03 0.01 ball 0.012
    """
_KUKA_ALLEGRO = Limbs(
    """
    iiwa7_link_0 - 0 0 0 5 ball 0.08
    iiwa7_link_1 ^ 0 0 0.15 3.45 ball 0.05 ; iiwa7_joint_1 z -2.97 2.97
    iiwa7_link_2 ^ 0 0 0.19 3.48 rod 0 0 0.21 ; iiwa7_joint_2 y -2.09 2.09
    iiwa7_link_3 ^ 0 0 0.21 4.06 ball 0.05 ; iiwa7_joint_3 z -2.97 2.97
    iiwa7_link_4 ^ 0 0 0.19 3.48 rod 0 0 0.21 ; iiwa7_joint_4 -y -2.09 2.09
    iiwa7_link_5 ^ 0 0 0.21 2.16 ball 0.05 ; iiwa7_joint_5 z -2.97 2.97
    iiwa7_link_6 ^ 0 0 0.19 2.36 ball 0.05 ; iiwa7_joint_6 y -2.09 2.09
    iiwa7_link_7 ^ 0 0 0.081 0.4 ball 0.04 ; iiwa7_joint_7 z -3.05 3.05
    palm_link ^ 0 0 0.06 0.42 box 0.034 0.12 0.094 0 0 0.045
    """
    + _ALLEGRO_FINGER.format("index", "0 0.0455 0.095")
    + _ALLEGRO_FINGER.format("middle", "0 0 0.0995")
    + _ALLEGRO_FINGER.format("ring", "0 -0.0455 0.095")
    + """
    thumb_link_0 palm_link 0.018 0.03 0.035 0.012 ball 0.01 ; thumb_joint_0 z 0.263 1.7
    thumb_link_1 ^ 0.0164 0 0 0.065 rod 0.054 0 0 ; thumb_joint_1 -y -0.105 1.163
    thumb_link_2 ^ 0.054 0 0 0.036 rod 0.0384 0 0 ; thumb_joint_2 -y -0.189 1.644
    thumb_link_3 ^ 0.0384 0 0 0.03 rod 0.03 0 0 ; thumb_joint_3 -y -0.162 1.719
    thumb_biotac_tip ^ 0.03 0 0 0.01 ball 0.012
    """,
    radius=0.011,
    floats=False,
    scopes={"[!i]*": "ee_link", "index_*": "ee_link"},
)

_CART_DOUBLE_PENDULUM = Limbs(
    """
    slider - 0 0 0 1 box 0.03 8 0.03 0 0 0
    cart ^ 0 0 0 1 box 0.2 0.25 0.2 0 0 0 ; slider_to_cart slide_y -4 4
    pole ^ 0.12 0 0 0.5 rod 0 0 0.6 ; cart_to_pole x -31.4 31.4
    pendulum ^ 0.06 0 0.6 0.5 rod 0 0 0.6 ; pole_to_pendulum x -31.4 31.4
    """,
    radius=0.02,
    floats=False,
)

_CABINET = Limbs(
    """
    sektion - 0 0 0 20 box 0.5 0.78 0.03 0 0 -0.38
    drawer_top ^ 0 0 0.26 2 box 0.56 0.72 0.18 -0.02 0 0 ; drawer_top_joint slide_x 0 0.4
    drawer_handle_top ^ 0 0 0 0.1 box 0.02 0.16 0.02 0.305 0 0.01
    drawer_bottom sektion 0 0 0.05 2 box 0.56 0.72 0.18 -0.02 0 0
    ; drawer_bottom_joint slide_x 0 0.4
    drawer_handle_bottom ^ 0 0 0 0.1 box 0.02 0.16 0.02 0.305 0 0.01
    door_* sektion 0.3 0.38 -0.2 1 box 0.02 0.36 0.28 0 -0.18 0 ; door_*_joint z 0 1.57
    door_handle_* ^ 0.03 -0.33 0.08 0.1 box 0.02 0.02 0.16 0 0 0
    """,
    floats=False,
    kind=MECHANISM,
)

_LAB, _SIM = "Isaac/IsaacLab/Robots", "Isaac/Robots"

_GANTRY = Suction(
    Limbs(
        """
        base - 0 0 0 10 box 0.1 0.1 0.1 0 0 2.5
        x_carriage ^ 0 0 2 2 box 0.2 6 0.1 0 0 0.2 ; x_axis slide_x -3 3
        y_carriage ^ 0 0 0 2 box 0.3 0.3 0.1 0 0 0.1 ; y_axis slide_y -3 3
        picker_head ^ 0 0 0 2 box 0.2 0.2 0.8 0 0 -0.4 ; z_axis slide_-z -0.5 1.5
        """,
        floats=False,
    ),
    "picker_head",
    "Z",
    {"Cup": -0.8},
    flipped=True,
)

BUILT_ROBOTS: dict[str, Limbs | Suction] = {
    f"{_LAB}/ANYbotics/ANYmal-B/anymal_b.usd": _ANYMAL,
    f"{_LAB}/ANYbotics/ANYmal-C/anymal_c.usd": _ANYMAL,
    f"{_LAB}/ANYbotics/ANYmal-D/anymal_d.usd": _ANYMAL,
    f"{_SIM}/ANYbotics/anymal_c/anymal_c.usd": _ANYMAL,
    f"{_LAB}/Unitree/H1/h1.usd": _H1,
    f"{_LAB}/Unitree/H1/h1_minimal.usd": _H1,
    f"{_LAB}/Unitree/G1/g1.usd": _G1,
    f"{_LAB}/Unitree/G1/g1_minimal.usd": _G1,
    f"{_SIM}/Unitree/G1/g1.usd": _G1_29,
    f"{_LAB}/Agility/Cassie/cassie.usd": _CASSIE,
    f"{_SIM}/Agility/Digit/digit_v4.usd": _DIGIT,
    f"{_LAB}/Classic/Humanoid28/humanoid_28.usd": _HUMANOID_28,
    f"{_LAB}/Classic/CartDoublePendulum/cart_double_pendulum.usd": _CART_DOUBLE_PENDULUM,
    f"{_LAB}/Flexiv/Rizon4s/rizon4s.usd": _RIZON,
    f"{_LAB}/KukaAllegro/kuka.usd": _KUKA_ALLEGRO,
    f"{_SIM}/Kinova/Jaco2/J2N7S300/j2n7s300_instanceable.usd": _JACO_7,
    f"{_SIM}/Kinova/Jaco2/J2N6S300/j2n6s300_instanceable.usd": _JACO_6,
    f"{_SIM}/Kinova/Gen3/gen3n7_instanceable.usd": _GEN3,
    f"{_SIM}/RethinkRobotics/Sawyer/sawyer_instanceable.usd": _SAWYER,
    f"{_SIM}/OpenArm/openarm_bimanual/openarm_bimanual.usd": _OPENARM_PAIR,
    f"{_SIM}/OpenArm/openarm_unimanual/openarm_unimanual.usd": _OPENARM,
    f"{_SIM}/ShadowRobot/ShadowHand/shadow_hand_instanceable.usd": _SHADOW,
    "Isaac/IsaacLab/Tests/PickAndPlace/pick_and_place_robot.usd": _GANTRY,
    "Isaac/Props/Sektion_Cabinet/sektion_cabinet_instanceable.usd": _CABINET,
}
"""Stand-ins by path of the file on the server."""
