# ruff: noqa: E501
"""MJCF models of one feature each."""

from __future__ import annotations

__all__ = ["FEATURES"]

_TETRA = 'vertex="0 0 0  1 0 0  0 1 0  0 0 1  .3 .2 1.4"'
_ARM = """
  <body name="arm" pos="0 0 1"><joint name="j" axis="0 1 0" range="-90 60"/>
    <geom name="g" type="capsule" size=".05 .3"/><site name="s" pos="0 0 .3" size=".02"/>
    <body name="hand" pos="0 0 .4" quat="1 .2 .3 .1"><joint name="k" axis="1 0 0"/>
      <geom name="h" type="box" size=".1 .05 .02" pos=".1 0 0"/><site name="t"/></body>
  </body>"""


def _world(body: str, extra: str = "", head: str = "") -> str:
    return f"<mujoco>{head}<worldbody>{body}</worldbody>{extra}</mujoco>"


TREE = {
    "empty": "<mujoco/>",
    "one_geom": '<mujoco><worldbody><geom size="1"/></worldbody></mujoco>',
    "odd_model_name": """<mujoco model="a model/with 1 odd name"><worldbody><geom size="1"/></worldbody>
      </mujoco>""",
    "defaults": """<mujoco><default><geom rgba="1 0 0 1" friction=".3"/><default class="a">
      <joint damping="3" armature=".1"/><geom type="box" size=".1 .2 .3"/></default></default>
      <worldbody><body childclass="a"><joint/><geom/><body><joint class="main"/><geom class="main"
      size=".1"/></body></body></worldbody></mujoco>""",
    "nested_frames": _world("""<frame pos="1 2 3" euler="10 20 30"><frame pos=".1 0 0" quat="1 1 0 0">
      <body pos="0 0 1"><frame euler="5 0 40" pos="0 .2 0"><joint axis="1 2 3" pos=".1 .2 .3"/>
      <geom size=".1 .2 .3" type="ellipsoid" pos="1 0 0"/><site pos="0 1 0"/><camera/></frame></body>
      <geom size=".2"/></frame></frame>"""),
    "replicate_nested": _world("""<replicate count="3" offset="0 0 1" euler="0 0 20">
      <replicate count="2" offset=".5 0 0"><body><joint/><geom size=".1"/></body></replicate>
      </replicate>"""),
    "frame_scale": _world("""<frame scale="2 2 2"><body pos="1 0 0"><joint type="slide" range="-1 1"
      limited="true" damping="1"/><geom type="box" size=".1 .2 .3" pos=".1 0 0"/><body pos="0 0 1">
      <joint stiffness="3"/><geom size=".1"/></body></body></frame>"""),
    "odd_names": _world("""<body name="left/arm"><joint name="1 a"/><geom name="é" size=".1"/>
      <body name="left_arm"><joint name="robot0:j"/><geom size=".1"/></body></body>
      <body name="Physics"><geom name="Library" size=".1" mass="1"/></body>"""),
    "unnamed": _world("""<body><joint/><geom size=".1"/><geom size=".2"/><site/><site/><body><joint/>
      <geom size=".1"/></body><body><joint/><joint axis="1 0 0"/><geom size=".1"/></body></body>"""),
    "hinge": _world(
        """<body pos="1 2 3" euler="10 20 30"><joint name="j" axis="1 -2 .5" pos=".1 0 .2"
      range="-30 75" ref="20" springref="-10" stiffness="5" damping=".2" armature=".01"
      frictionloss=".3" margin=".01" solreflimit=".01 .8" solimplimit=".8 .9 .01 .4 3"
      solreffriction=".03 1.1" solimpfriction=".7 .8 .02 .3 1" group="2" actuatorfrcrange="-3 4"
      actuatorgravcomp="true" user="1 2"/><geom size=".1" pos=".3 0 0"/></body>""",
        head='<size nuser_jnt="3"/>',
    ),
    "slide": _world(
        '<body><joint type="slide" axis="0 1 1" range="-1 2" ref=".5"/><geom size=".1"/></body>'
    ),
    "unlimited_range": _world(
        '<body><joint limited="false" range="-20 20"/><geom size=".1"/></body>'
    ),
    "ball": _world("""<body><joint name="b" type="ball" pos=".1 .2 .3" range="0 50" damping="1"
      stiffness="2" frictionloss=".1"/><geom size=".1" pos="1 0 0"/></body>"""),
    "free": _world("""<body name="f" pos="1 2 3" euler="30 0 0"><joint name="root" type="free"
      damping=".5" armature=".1" frictionloss=".2" group="3"/><geom size=".1"/></body>"""),
    "freejoint": _world(
        '<body pos="0 0 1"><freejoint name="root" group="1"/><geom size=".1"/></body>'
    ),
    "align_free": _world("""<body pos="0 0 1"><freejoint align="true"/><geom size=".1" pos="1 0 0"/>
      <geom size=".2" pos="0 1 .4"/></body>"""),
    "several_joints": _world("""<body pos="0 0 1"><joint type="slide" axis="1 0 0"/><joint name="a"
      axis="0 1 0" pos="0 0 .1"/><joint name="b" axis="1 0 1" pos=".2 0 0"/><joint type="ball"
      pos="0 .3 0" armature=".1"/><geom type="capsule" fromto="0 0 0 1 0 0" size=".05"/></body>"""),
    "poly_spring": _world("""<body><joint stiffness="5 1 2" damping="1 .1 .2"/><geom size=".1"/>
      </body>"""),
    "springdamper": _world(
        '<body><joint springdamper=".1 1"/><geom size=".1" pos="1 0 0"/></body>'
    ),
    "static_child": _world("""<body name="a" pos="0 0 1"><joint/><geom size=".1"/><body name="b"
      pos=".2 0 0" quat="0 1 0 0"><geom size=".1"/><body name="c" pos="1 0 0"><site name="tip"/></body>
      </body></body>"""),
    "static_world_bodies": _world("""<body name="table" pos="1 0 0"><geom type="box" size="1 1 .1"/>
      <body name="leg" pos="0 0 -1"><geom type="cylinder" size=".1 .5"/></body><body name="moving"
      pos="0 0 1"><joint/><geom size=".1"/></body></body>"""),
    "mocap": _world("""<body name="m" mocap="true" pos="1 0 1" euler="0 90 0"><geom size=".1"/></body>
      <body name="n" mocap="true"><site/></body>"""),
    "gravcomp": _world('<body gravcomp=".7"><joint/><geom size=".1"/></body>'),
    "sleep": _world(
        '<body sleep="never"><freejoint/><geom size=".1"/></body>',
        head='<option><flag sleep="enable"/></option>',
    ),
    "user_data": _world("""<body user="1 2 3"><joint user="4"/><geom size=".1" user="5 6"/>
      <site user="7"/><camera user="8"/></body>"""),
    "negative_quat": _world("""<body quat="-.5 .5 .5 .5"><joint/><geom size=".1 .2" quat="-1 .1 0 0"
      type="capsule"/><camera quat="-.2 1 0 0"/><site quat="0 0 0 -1"/></body>"""),
}

INERTIA = {
    "inertial": _world("""<body><inertial pos=".1 .2 .3" quat="1 .1 .2 .3" mass="2.5"
      diaginertia=".1 .2 .25"/><joint/></body>"""),
    "inertial_euler": _world("""<body><inertial pos=".1 0 0" euler="20 30 40" mass="1"
      diaginertia=".1 .2 .25"/><joint/></body>"""),
    "full_inertia": _world("""<body><inertial pos="0 .1 0" mass="1" fullinertia=".3 .2 .25 .01 .02 .03"/>
      <joint/></body>"""),
    "massless_collider": _world("""<body><joint/><geom size=".1"/><geom size=".5" mass="0"/>
      <geom size=".4" density="0" pos="1 0 0"/></body>"""),
    "visual_mass": _world("""<body><joint/><geom size=".1" contype="0" conaffinity="0" mass="3"/>
      <geom type="box" size=".1 .1 .1"/></body>"""),
    "inertia_from_geom": _world(
        """<body><inertial pos="0 0 0" mass="9" diaginertia="1 1 1"/><joint/>
      <geom size=".1" pos=".1 0 0"/></body>""",
        head='<compiler inertiafromgeom="true"/>',
    ),
    "inertia_group": _world(
        """<body><joint/><geom size=".1" group="1"/><geom size=".5" group="4"/>
      </body>""",
        head='<compiler inertiagrouprange="0 2"/>',
    ),
    "bound_mass": _world(
        '<body><joint/><geom size=".001"/></body>',
        head='<compiler boundmass=".5" boundinertia=".01"/>',
    ),
    "balance_inertia": _world(
        """<body><inertial pos="0 0 0" mass="1" diaginertia="1 1 9"/><joint/>
      </body>""",
        head='<compiler balanceinertia="true"/>',
    ),
    "total_mass": _world(
        '<body><joint/><geom size=".1"/></body><body><freejoint/><geom size=".2"/></body>',
        head='<compiler settotalmass="14"/>',
    ),
    "shell_inertia": _world(
        '<body><joint/><geom size=".1" shellinertia="true" density="10"/></body>'
    ),
    "radian_euler": _world(
        '<body euler=".1 .2 .3"><joint range="-1 1"/><geom size=".1"/></body>',
        head='<compiler angle="radian" eulerseq="zyx"/>',
    ),
}

GEOMS = {
    "primitives": _world("""<geom type="plane" size="3 4 .1"/><geom type="plane" size="0 0 .05"
      zaxis="0 1 1"/><body><freejoint/><geom type="sphere" size=".1"/><geom type="capsule"
      size=".1 .3" pos="0 0 1"/><geom type="cylinder" size=".2 .1" euler="20 0 0"/><geom type="box"
      size=".1 .2 .3"/><geom type="ellipsoid" size=".3 .1 .2"/></body>"""),
    "round_ellipsoids": _world("""<body><freejoint/><geom type="ellipsoid" size=".1 .1 .1"/>
      <geom type="ellipsoid" size=".2 .2 .2" contype="0" conaffinity="0"/>
      <site type="ellipsoid" size=".3 .3 .3"/></body>"""),
    "spare_sizes": _world(
        '<geom size=".1 .2 .3"/><site size=".1 .2 .3"/><site type="capsule" size=".1 .2 .7"/>'
    ),
    "fromto": _world("""<body><joint/><geom type="capsule" fromto="0 0 0 .3 .4 .5" size=".03"/>
      <geom type="box" fromto="0 0 1 0 1 1" size=".1 .2"/><site type="cylinder" fromto="0 0 0 1 0 0"
      size=".1"/></body>"""),
    "contact_values": _world("""<geom name="f" type="plane" size="1 1 1" friction="1.2 .01 .002"/>
      <body><freejoint/><geom size=".1" condim="6" priority="2" solref=".01 .5"
      solimp=".8 .85 .02 .6 3" solmix=".3" margin=".01" gap=".002" friction=".6 .02 .003" group="4"
      contype="3" conaffinity="5" rgba=".1 .2 .3 .4" surfacevel=".1 .2 .3 .4 .5 .6"/></body>"""),
    "adhesion": _world('<geom size=".1" adhesion="3"/>'),
    "fluid": _world(
        """<body><freejoint/><geom type="ellipsoid" size=".1 .2 .3"
      fluidshape="ellipsoid" fluidcoef="1 2 3 4 5"/></body>""",
        head='<option density="1.2" viscosity=".1" wind="1 2 3"/>',
    ),
    "masks": _world("""<geom size=".1" contype="1" conaffinity="2"/><geom size=".1" contype="2"
      conaffinity="1"/><geom size=".1" contype="0" conaffinity="4"/><geom size=".1" contype="8"
      conaffinity="0"/><geom size=".1" contype="0" conaffinity="0"/>"""),
    "mesh_inline": _world(
        '<body><freejoint/><geom type="mesh" mesh="m" pos="1 0 0"/></body>',
        head=f'<asset><mesh name="m" {_TETRA}/></asset>',
    ),
    "mesh_scaled": _world(
        """<body><freejoint/><geom type="mesh" mesh="m" euler="10 20 30"
      pos=".1 .2 .3"/><geom type="mesh" mesh="r" contype="0"/></body>""",
        head=f"""<asset>
      <mesh name="m" {_TETRA} scale="2 .5 1"/><mesh name="r" {_TETRA} scale="1 1 -1"
      inertia="exact"/><mesh name="unused" {_TETRA} scale=".1 .1 .1"/></asset>""",
    ),
    "mesh_surface_velocity": _world(
        """<geom type="mesh" mesh="m" pos="1 0 0" euler="10 20 30"
      surfacevel=".1 .2 .3 .4 .5 .6"/>""",
        head=f'<asset><mesh name="m" {_TETRA}/></asset>',
    ),
    "light_texture": _world(
        '<light type="image" texture="sky"/><geom size=".1"/>',
        head="""<asset><texture name="sky" type="skybox" builtin="gradient" width="8"
      height="48"/></asset>""",
    ),
    "mesh_moved": _world(
        '<body><freejoint/><geom type="mesh" mesh="m"/></body>',
        head=f"""<asset>
      <mesh name="m" {_TETRA} refpos="1 2 3" refquat="1 .2 .3 .4" scale="1 2 3"/></asset>""",
    ),
    "mesh_builtin": _world(
        '<body><freejoint/><geom type="mesh" mesh="m"/></body>',
        head="""<asset>
      <mesh name="m" builtin="supersphere" params="8 .5 .5" smoothnormal="true" maxhullvert="12"/>
      </asset>""",
    ),
    "mesh_material": _world(
        '<body><freejoint/><geom type="mesh" mesh="m"/></body>',
        """<asset><material name="red" rgba="1 0 0 1"/><mesh name="m" builtin="sphere" params="0"
      material="red"/></asset>""",
    ),
    "mesh_normals": _world(
        '<geom type="mesh" mesh="m"/>',
        head=f"""<asset><mesh name="m" {_TETRA}
      face="0 2 1  0 1 4  1 2 4  2 0 4  0 3 4" inertia="shell"
      texcoord="0 0 1 0 0 1 1 1 .5 .5"/></asset>""",
    ),
    "mesh_fitted": _world(
        """<body><joint/><geom type="box" mesh="m"/><geom type="capsule" mesh="m"
      fitscale=".8" contype="0"/></body>""",
        head=f'<asset><mesh name="m" {_TETRA}/></asset>',
    ),
    "mesh_site": _world(
        '<site type="mesh" mesh="m" pos="1 2 3" euler="10 0 0"/><geom type="mesh" mesh="m"/>',
        head=f'<asset><mesh name="m" {_TETRA}/></asset>',
    ),
    "sdf": _world(
        '<body><freejoint/><geom type="sdf" mesh="m"/></body>',
        head='<asset><mesh name="m" builtin="sphere" params="2"/></asset>',
    ),
    "hfield": _world(
        """<geom type="hfield" hfield="h" pos="0 0 1"/><body><freejoint/>
      <geom size=".1"/></body>""",
        head="""<asset><hfield name="h" nrow="3" ncol="4"
      size="2 1 .5 .1" elevation="0 1 2 3  1 2 3 4  5 4 3 2"/></asset>""",
    ),
    "hfield_flat": _world(
        '<geom type="hfield" hfield="h"/>',
        head="""<asset><hfield name="h"
      nrow="2" ncol="2" size="1 1 1 .1" elevation="0 0 0 0"/></asset>""",
    ),
}

LOOKS = {
    "camera": _world(f"""{_ARM}<camera name="c" pos="1 0 0" euler="0 90 0" fovy="30"/>
      <camera name="t" mode="targetbody" target="hand" ipd=".1"/><camera name="o"
      projection="orthographic" fovy="2" resolution="640 480" output="depth"/><camera name="p"
      sensorsize=".02 .01" focal=".01 .012" principal=".001 .002" resolution="200 100"/>"""),
    "light": _world(f"""{_ARM}<light name="l" pos="0 0 3" dir="1 2 -3" diffuse=".5 .6 .7"
      castshadow="false" cutoff="30" exponent="5" attenuation="1 .1 .2" range="7"
      ambient=".1 .1 .1" specular=".2 .2 .2" bulbradius=".05" intensity="40"/><light type="directional"
      active="false"/><light type="point" mode="targetbody" target="arm"/>"""),
    "material": _world(
        '<geom size=".1" material="m"/><site material="n"/>',
        head="""<asset>
      <texture name="t" type="2d" builtin="checker" rgb1="1 0 0" rgb2="0 1 0" width="16" height="16"
      mark="edge" markrgb="0 0 1"/><texture name="c" type="cube" builtin="gradient" width="8" height="48"/>
      <texture type="skybox" builtin="flat" width="4" height="24" mark="random" random=".1"/>
      <material name="m" texture="t" texrepeat="2 3" texuniform="true" specular=".1" shininess=".2"
      reflectance=".3" emission=".4" metallic=".5" roughness=".6" rgba=".1 .2 .3 .4"/>
      <material name="n" rgba="1 0 0 1"><layer role="rgb" texture="t"/><layer role="normal"
      texture="t"/></material></asset>""",
    ),
    "visual": """<mujoco><worldbody><geom size="1"/></worldbody><visual><global fovy="30" azimuth="10" offwidth="100"/><quality shadowsize="16"/>
      <headlight ambient=".1 .2 .3" active="0"/><map znear=".2" haze=".4"/><scale forcewidth=".3"/>
      <rgba fog="1 0 0 1" bv="0 1 0 1"/></visual><statistic extent="3" center="1 2 3" meansize=".4"/>
      </mujoco>""",
}

CONSTRAINTS = {
    "exclude": _world(
        _ARM,
        """<contact><exclude body1="arm" body2="hand"/><exclude name="w"
      body1="world" body2="hand"/></contact>""",
    ),
    "pair": _world(
        f'<geom name="f" type="plane" size="1 1 1"/>{_ARM}',
        """<contact><pair name="p"
      geom1="f" geom2="g"/><pair geom1="h" geom2="f" condim="4" friction=".1 .2 .3 .4 .5"
      solref=".01 .9" solreffriction=".02 .7" solimp=".7 .8 .01 .4 3" margin=".1" gap=".05"/>
      </contact>""",
    ),
    "connect": _world(
        _ARM,
        """<equality><connect name="c" body1="hand" anchor=".1 .2 .3"
      solref=".03 1"/><connect body1="hand" body2="arm" anchor="0 0 .1" active="false"/>
      <connect site1="s" site2="t"/></equality>""",
    ),
    "weld": _world(
        f'{_ARM}<body name="free"><freejoint/><geom size=".1"/></body>',
        """<equality>
      <weld body1="free" body2="hand"/><weld body1="free" relpose="1 2 3 1 .1 .2 .3" anchor=".1 0 0"
      torquescale="2.5" solimp=".8 .9 .01 .4 3"/><weld site1="s" site2="t" torquescale=".5"/>
      </equality>""",
    ),
    "joint_equality": _world(
        _ARM,
        """<equality><joint joint1="j" joint2="k" polycoef=".1 2 .3 .4 .5"/>
      <joint name="locked" joint1="k" polycoef=".3 0 0 0 0"/></equality>""",
    ),
    "tendon_equality": _world(
        _ARM,
        """<tendon><fixed name="a"><joint joint="j" coef="2"/></fixed>
      <fixed name="b"><joint joint="k" coef="-1"/></fixed></tendon><equality><tendon tendon1="a"
      tendon2="b" polycoef="0 1 0 0 0"/><tendon tendon1="b"/></equality>""",
    ),
    "fixed_tendon": _world(
        _ARM,
        """<tendon><fixed name="a" limited="true" range="-1 2" stiffness="3"
      springlength=".1 .2" damping=".4" frictionloss=".5" armature=".1" margin=".01" group="2"
      solreflimit=".01 .8" solimpfriction=".7 .8 .02 .3 1" user="1 2"><joint joint="j" coef="2"/>
      <joint joint="k" coef="-.5"/></fixed></tendon>""",
    ),
    "spatial_tendon": _world(
        f"""<site name="w" pos="1 0 2"/><site name="x" pos="-1 0 2"/>
      <geom name="cyl" type="cylinder" size=".1 .5" pos="0 0 2.5" euler="90 0 0"/><site name="side"
      pos="0 0 3"/>{_ARM}""",
        """<asset><material name="m"/></asset><tendon><spatial name="a" range="0 3" width=".02" rgba="1 0 0 1"
      stiffness="5 1 2" damping="1 .2 .3" actuatorfrcrange="-1 1"><site site="w"/><geom geom="cyl"
      sidesite="side"/><site site="x"/><geom geom="cyl"/><site site="s"/></spatial>
      <spatial name="same_ends" material="m"><site site="s"/><site site="w"/><site site="s"/></spatial></tendon>""",
    ),
    "pulleys": _world(
        f'<site name="w" pos="1 0 2"/><site name="x" pos="-1 0 2"/>{_ARM}',
        """<tendon>
      <spatial><pulley divisor="2"/><site site="s"/><site site="w"/><pulley divisor="3"/>
      <site site="w"/><site site="x"/><pulley divisor="1"/><site site="t"/><site site="x"/></spatial>
      <spatial><site site="s"/><site site="w"/><pulley divisor="1"/><site site="w"/><site site="x"/>
      </spatial></tendon>""",
    ),
}

_ACTUATED = f"""<body name="ball" pos="3 0 0"><joint name="ball" type="ball"/><geom size=".1"
  pos="0 0 .1"/></body><body name="free" pos="5 0 0"><freejoint name="free"/><geom size=".1"/></body>
  <body pos="7 0 0"><joint name="slide" type="slide" axis="1 0 0"/><geom size=".1"/><site name="crank"/>
  <site name="slider" pos=".2 0 0"/></body>{_ARM}"""


def _actuators(text: str, extra: str = "", head: str = "") -> str:
    return _world(_ACTUATED, f"{extra}<actuator>{text}</actuator>", head)


ACTUATORS = {
    "motor": _actuators("""<motor name="m" joint="j" gear="3" ctrlrange="-1 2" forcerange="-5 6"
      ctrllimited="true" forcelimited="true" group="2"/><motor joint="k"/>"""),
    "position": _actuators("""<position joint="j" kp="20" kv="3" ctrlrange="-1 1"/><position
      joint="k" kp="10" dampratio="1" timeconst=".1"/><position joint="j" inheritrange=".9"/>"""),
    "velocity": _actuators(
        '<velocity joint="j" kv="3"/><damper joint="k" kv="2" ctrlrange="0 1"/>'
    ),
    "intvelocity": _actuators("""<intvelocity joint="j" kp="3" kv=".1" actrange="-1 1"/><intvelocity
      joint="j" inheritrange=".5"/>"""),
    "cylinder": _actuators('<cylinder joint="slide" timeconst=".2" area="2" bias="1 2 3"/>'),
    "muscle": _actuators("""<muscle joint="j" lengthrange=".1 .5" force="200"/><muscle name="auto"
      joint="slide" timeconst=".02 .05" scale="300" lengthrange="-1 1" tausmooth=".1"/>"""),
    "adhesion": _actuators('<adhesion body="hand" ctrlrange="0 1" gain="3"/>'),
    "derived_gains": _actuators(
        """<position tendon="t" kp="3" dampratio=".7"/><muscle joint="j"/><muscle tendon="t"
      lengthrange="-1 1"/>""",
        '<tendon><fixed name="t"><joint joint="j" coef="2"/></fixed></tendon>',
    ),
    "pid": _actuators(
        '<pid joint="j" kp="3" kv=".2" ki=".1"/><pid joint="k" kp="1" input="pos vel ff" velrange="-1 1"/>'
    ),
    "dcmotor": _actuators('<dcmotor joint="j" motorconst=".05 .05" resistance="2"/>'),
    "general": _actuators("""<general joint="j" dyntype="filter" dynprm=".1 2 3" gaintype="affine"
      gainprm="1 2 3" biastype="affine" biasprm="4 5 6" actlimited="true" actrange="-2 2"
      actearly="true" actdim="1"/><general joint="k" dyntype="integrator" gear="2"/><general joint="k"
      dyntype="filterexact" dynprm=".3" damping="1" armature=".2"/>"""),
    "user_dynamics": _actuators(
        '<general joint="j" dyntype="user" actdim="3"/><general joint="k" gaintype="user" biastype="user"/>'
    ),
    "transmissions": _actuators(
        """<motor name="in" jointinparent="ball" gear="1 2 3"/><motor
      joint="free" gear="1 2 3 4 5 6"/><motor jointinparent="free" gear="0 0 1 0 0 1"/><motor site="t"
      gear="0 0 1 0 0 0"/><motor site="t" refsite="s" gear="1 0 0 0 0 0"/><motor cranksite="crank"
      slidersite="slider" cranklength=".4"/><motor tendon="ten" gear="2"/>""",
        '<tendon><fixed name="ten"><joint joint="j" coef="1"/></fixed></tendon>',
    ),
    "orientation": _actuators(
        '<orientation joint="ball" kp="3" kv=".2"/><orientation site="t" refsite="s" kp="1"'
        ' input="quat"/>',
        '<keyframe><key ctrl="1 2 3 4 5 6 7"/></keyframe>',
    ),
    "controls": _actuators(
        """<pid joint="j" kp="1"/><pid joint="k" kp="1" input="pos vel ff"/><pid joint="k" kp="1"
      input="ff"/><dcmotor joint="j" motorconst="1" resistance="2"/><dcmotor joint="j" motorconst="1"
      resistance="2" input="none"/><dcmotor joint="j" motorconst="1" resistance="2"
      input="pos vel ff voltage" controller="1"/><position joint="j" kp="1"/>""",
        '<keyframe><key ctrl="1 2 3 4 5 6 7 8 9 10 11 12"/></keyframe>',
    ),
    "delays": _actuators(
        '<motor joint="j" delay=".02" nsample="12" interp="linear" user="1 2"/>',
        head='<size nuser_actuator="2"/>',
    ),
}

_SENSED = """<tendon><fixed name="ten"><joint joint="j" coef="1"/></fixed></tendon><actuator>
  <motor name="act" joint="j"/></actuator>"""


def _sensors(text: str) -> str:
    body = f"{_ACTUATED}<camera name='cam' resolution='10 10'/>"
    return _world(body, f"{_SENSED}<sensor>{text}</sensor>")


SENSORS = {
    "site_sensors": _sensors("""<touch site="t"/><accelerometer name="a" site="s" noise=".1" cutoff="5"/>
      <velocimeter site="s"/><gyro site="s"/><force site="t"/><torque site="t"/><magnetometer site="s"/>
      <rangefinder site="s"/><camprojection site="s" camera="cam"/>"""),
    "joint_sensors": _sensors("""<jointpos joint="j"/><jointvel joint="k"/><tendonpos tendon="ten"/>
      <tendonvel tendon="ten"/><actuatorpos actuator="act"/><actuatorvel actuator="act"/>
      <actuatorfrc actuator="act"/><jointactuatorfrc joint="j"/><tendonactuatorfrc tendon="ten"/>
      <ballquat joint="ball"/><ballangvel joint="ball"/><jointlimitpos joint="j"/><jointlimitvel
      joint="j"/><jointlimitfrc joint="j"/>"""),
    "frame_sensors": _sensors("""<framepos objtype="body" objname="hand"/><framequat objtype="xbody"
      objname="hand" reftype="site" refname="s"/><framexaxis objtype="geom" objname="g"/><framelinvel
      objtype="site" objname="t" reftype="body" refname="arm"/><frameangvel objtype="camera"
      objname="cam"/><framelinacc objtype="body" objname="hand"/><frameangacc objtype="site"
      objname="t"/><subtreecom body="arm"/><subtreelinvel body="hand"/><subtreeangmom body="arm"/>
      <insidesite site="s" objtype="body" objname="hand"/>"""),
    "contact_sensors": _sensors("""<distance geom1="g" geom2="h" cutoff="1"/><normal body1="arm"
      body2="free" cutoff="2"/><fromto geom1="g" body2="free" cutoff="3"/><contact geom1="g" num="3"
      data="force dist" reduce="mindist"/><contact body1="hand" data="found"/><contact subtree1="arm"
      subtree2="arm" data="found force"/>"""),
    "global_sensors": _sensors("""<e_potential/><e_kinetic/><clock/><user dim="3" datatype="positive"
      needstage="vel" objtype="body" objname="arm" user="1 2"/>"""),
    "sensor_delay": _sensors('<jointpos joint="j" delay=".01" nsample="8" interp="zoh"/>'),
}

CUSTOM = {
    "keyframes": _world(
        f"""{_ARM}<body mocap="true" pos="1 2 3"/>""",
        """<actuator><general joint="j"
      dyntype="integrator"/></actuator><keyframe><key name="home" qpos=".1 .2" qvel="1 2" time="3"/>
      <key ctrl=".5" act=".3" mpos="1 0 0" mquat="0 1 0 0"/></keyframe>""",
    ),
    "custom": _world(
        _ARM,
        """<custom><numeric name="n" data="1 2 3" size="5"/><text name="t"
      data="some text: 'é'"/><tuple name="u"><element objtype="body" objname="hand" prm="2"/><element
      objtype="geom" objname="g"/><element objtype="body" objname="hand" prm="1"/></tuple></custom>""",
    ),
    "options": """<mujoco><worldbody><geom size="1"/></worldbody><option timestep=".003" gravity="1 2 -3" integrator="RK4" cone="elliptic"
      solver="CG" jacobian="sparse" impratio="5" iterations="7" tolerance="1e-6" ls_iterations="9"
      noslip_iterations="3" ccd_tolerance="1e-5" o_margin=".1" sdf_iterations="3" magnetic="1 2 3"
      actuatorgroupdisable="1 4" density="3"><flag gravity="disable" contact="disable"
      energy="enable" override="enable" invdiscrete="enable" warmstart="disable"/></option>
      <size memory="2M" nuserdata="7" nuser_body="2"/></mujoco>""",
    "size_legacy": '<mujoco><worldbody><geom size="1"/></worldbody><size njmax="100" nconmax="50" nkey="3"/></mujoco>',
    "plugin": _world(
        _ARM,
        """<actuator><plugin name="p" plugin="mujoco.pid" instance="one" joint="j"
      actdim="1"/></actuator>""",
        """<extension><plugin plugin="mujoco.pid"><instance name="one">
      <config key="kp" value="4"/><config key="ki" value="1"/></instance></plugin></extension>""",
    ),
    "plugin_unnamed": _world(
        _ARM,
        """<actuator><plugin plugin="mujoco.pid" joint="j"><config key="kp" value="3"/></plugin>
      <plugin plugin="mujoco.pid" joint="k"><config key="kp" value="4"/></plugin></actuator>""",
        """<extension><plugin plugin="mujoco.pid"/></extension>""",
    ),
    "plugin_sdf": """<mujoco><extension><plugin plugin="mujoco.sdf.torus"/></extension><asset><mesh name="t">
      <plugin plugin="mujoco.sdf.torus"><config key="radius1" value=".35"/></plugin></mesh></asset>
      <worldbody><body><freejoint/><geom type="sdf" mesh="t"><plugin plugin="mujoco.sdf.torus"/></geom>
      </body></worldbody></mujoco>""",
    "same_names": """<mujoco><worldbody><geom name="a" size="1"/><site name="a"/><body name="a"><joint
      name="a"/><geom size=".1"/></body><camera name="a"/></worldbody><sensor><framepos name="a"
      objtype="site" objname="a"/><framepos objtype="geom" objname="a"/></sensor><tendon>
      <spatial name="a"><site site="a"/><geom geom="a"/><site site="a"/></spatial></tendon></mujoco>""",
    "fused": _world(
        """<body><joint/><geom size=".1"/><body pos="1 0 0"><geom size=".2"/><site name="x"/>
      <body pos="0 1 0"><joint/><geom size=".1"/></body></body></body>""",
        head='<compiler fusestatic="true"/>',
    ),
    "discarded": _world(
        """<body><joint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
      <geom size=".1"/><geom size=".2" contype="0" conaffinity="0" material="m"/></body>""",
        head='<compiler discardvisual="true"/><asset><material name="m"/></asset>',
    ),
    "plastic": _world("""<body><joint stiffness="3" springyield=".1"/><geom size=".1" pos="1 0 0"/>
      </body>"""),
    "tactile": _world(
        """<body><freejoint/><geom name="g" type="mesh" mesh="m"/></body>""",
        '<sensor><tactile geom="g" mesh="m"/></sensor>',
        '<asset><mesh name="m" builtin="sphere" params="2"/></asset>',
    ),
    "flex_shell": """<mujoco><worldbody><flexcomp name="f" type="grid" count="4 4 1" spacing=".1 .1 .1"
      dim="2" radius=".01" mass=".3" flatskin="true" group="3"><pin id="0 3"/><elasticity young="1e5"
      poisson=".3" thickness=".01" elastic2d="both" damping=".001"/><contact selfcollide="auto"/>
      </flexcomp></worldbody></mujoco>""",
    "flex_strain": """<mujoco><worldbody><flexcomp name="f" type="grid" count="3 3 3"
      spacing=".1 .1 .1" dim="3" dof="trilinear" radius=".01" mass=".3"><edge equality="strain"/>
      </flexcomp></worldbody></mujoco>""",
    "flex": """<mujoco><option timestep=".001"/><worldbody><flexcomp name="cloth" type="grid"
      count="3 4 1" spacing=".1 .1 .1" dim="2" radius=".01" mass=".3" rgba="1 0 0 1"><contact
      condim="3" solref=".01 1" selfcollide="none"/><edge equality="true" damping=".1"/></flexcomp>
      <body pos="0 0 1"><freejoint/><geom size=".1"/></body></worldbody></mujoco>""",
    "flex_solid": """<mujoco><worldbody><flexcomp name="soft" type="grid" count="3 3 3"
      spacing=".1 .1 .1" dim="3" radius=".01" mass=".3" dof="trilinear"><elasticity young="1e4"
      poisson=".2" damping=".01"/></flexcomp></worldbody></mujoco>""",
    "flex_pinned": """<mujoco><worldbody><flexcomp name="rope" type="grid" count="5 1 1"
      spacing=".1 .1 .1" dim="1" radius=".01" mass=".1"><pin id="0"/><edge stiffness="10"
      damping=".2"/></flexcomp></worldbody></mujoco>""",
    "skin": _world(
        _ARM,
        """<deformable><skin name="k" rgba="1 0 0 1" inflate=".01" vertex="0 0 0 1 0 0 0 1 0 1 1 0"
      face="0 1 2 1 3 2"><bone body="arm" bindpos="0 0 0" bindquat="1 0 0 0" vertid="0 1 2"
      vertweight="1 .5 1"/><bone body="hand" bindpos="1 0 0" bindquat="1 0 0 0" vertid="3 1"
      vertweight="1 .5"/></skin></deformable>""",
    ),
    "skin_of_the_world": _world(
        _ARM,
        """<deformable><skin name="k" vertex="0 0 0 1 0 0 0 1 0" face="0 1 2"><bone body="world"
      bindpos="0 0 0" bindquat="1 0 0 0" vertid="0 1 2" vertweight="1 .5 1"/></skin>
      </deformable>""",
    ),
}

FEATURES = {
    **TREE, **INERTIA, **GEOMS, **LOOKS, **CONSTRAINTS, **ACTUATORS, **SENSORS, **CUSTOM,
}  # fmt: skip
"""MJCF text by the name of what it exercises."""
