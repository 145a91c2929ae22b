"""MuJoCo: elliptic friction cone, otherwise its defaults; mj_step(nstep=n), so no binding is in the time."""

import mujoco
import numpy as np
from engines import Floats, Item, Maker, friction_of, items, rotation

from hapticd.scene.file import Scene


class MuJoCo:
    def __init__(self, scene: Scene, dt: float, option: str = "") -> None:
        self.model = mujoco.MjModel.from_xml_string(model_text(scene, dt, option))
        self.data = mujoco.MjData(self.model)
        listed = items(scene)
        moving = [item for item in listed if item.mass]
        self._ids = np.array([i + 1 for i, item in enumerate(listed) if item.mass], dtype=int)  # body 0: the world
        qvel = self.data.qvel.reshape(len(moving), 6)
        for row, item in zip(qvel, moving, strict=True):
            row[:3] = item.twist[:3]
            row[3:] = rotation(np.array(item.pose[3:])).T @ item.twist[3:]  # its free joints turn in the body frame
        mujoco.mj_forward(self.model, self.data)

    def step(self, n: int) -> None:
        mujoco.mj_step(self.model, self.data, n)

    def poses(self) -> Floats:
        q = self.data.qpos.reshape(-1, 7)
        return np.hstack([q[:, :3], q[:, 4:], q[:, 3:4]])

    def twists(self) -> Floats:
        v = self.data.qvel.reshape(-1, 6)
        turned = [rotation(pose[3:]) @ row[3:] for pose, row in zip(self.poses(), v, strict=True)]
        return np.hstack([v[:, :3], np.array(turned).reshape(-1, 3)])

    def push(self, wrenches: Floats) -> None:
        self.data.xfrc_applied[self._ids] = wrenches


def model_text(scene: Scene, dt: float, option: str = "") -> str:
    gravity = " ".join(map(str, scene.table.gravity))
    mu = friction_of(scene)
    bodies = "".join(_body_text(item, mu) for item in items(scene))
    options = f'<option timestep="{dt}" gravity="{gravity}" cone="elliptic" {option}/>'
    return f"<mujoco>{options}<worldbody>{bodies}</worldbody></mujoco>"


def _body_text(item: Item, mu: float) -> str:
    x, y, z, qx, qy, qz, qw = item.pose
    half = " ".join(str(0.5 * s) for s in item.size)
    mass = f'mass="{item.mass}"' if item.mass else ""
    return (
        f'<body pos="{x} {y} {z}" quat="{qw} {qx} {qy} {qz}">{"<freejoint/>" if item.mass else ""}'
        f'<geom type="box" size="{half}" {mass} friction="{mu} 0.005 0.0001"/></body>'
    )


def maker() -> Maker:
    return Maker("MuJoCo", mujoco.__version__, "mj_step(nstep=n), elliptic cone", MuJoCo)
