"""hapticd with gains per area: for a face of 1 m2 the same spring and damper as per contact, for others not."""

import dataclasses

import engine_hapticd
from engines import Engine, Maker

from hapticd.scene.file import Scene


def build(scene: Scene, dt: float) -> Engine:
    table = dataclasses.replace(scene.table, stiffness_is="per_area")
    return engine_hapticd.Hapticd(dataclasses.replace(scene, table=table), dt)


def maker() -> Maker:
    return Maker("hapticd area", engine_hapticd.maker().version, "20 kN/m3, 60 Ns/m3", build)
