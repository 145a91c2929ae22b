"""Contact of one pair of convex hulls: ours beside coal and SciPy's Qhull."""

import argparse
import itertools
from importlib.metadata import version
from typing import Any

import coal
import numpy as np
from benchmark import Report, Subject, interleave, pin, ratio
from scipy.spatial import ConvexHull, HalfspaceIntersection

from hapticd.kernel import layout
from hapticd.kernel._jit import kernel
from hapticd.kernel.contact.pair import pair_contact
from hapticd.scene.convex import ConvexShape
from hapticd.scene.pack import make_solid, pack_shapes

SHALLOW, DEEP = 0.02, 0.5  # overlap over the diameter


@kernel
def repeat_pair(n, shapes, X_W, solid, contact):
    """n ticks of a pair at rest: every one a full clip, from the last one's normal."""
    status = 0
    for _ in range(n):
        status += pair_contact(shapes, 0, 1, X_W, 0, 1, solid, contact, 0)
    return status


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--repeats", type=int, default=5)
    arguments.add_argument("--seconds", type=float, default=0.2, help="of each repeat of each subject")
    options = arguments.parse_args()
    pin()
    report = Report("kernel")
    overhead = interleave([Subject("spheres", coal_pair(coal.Sphere(0.5), coal.Sphere(0.5), (0, 0, 0.99)))], 3, 0.1)
    bindings = overhead["spheres"].median
    rows, ratios = [], {}
    for name, a, b, shift in cases():
        subjects = [Subject("ours", our_pair(a, b, shift)), Subject("coal", coal_pair(convex(a), convex(b), shift))]
        if "shallow" not in name or "32" in name:
            subjects.append(Subject("Qhull", qhull_pair(a, b, shift)))
        times = interleave(subjects, options.repeats, options.seconds, name)
        ours, peer = times["ours"], times["coal"]
        ratios[name, "coal"] = ratio(ours, peer)
        qhull = times.get("Qhull")
        if qhull:
            ratios[name, "Qhull"] = ratio(ours, qhull)
        rows.append(
            [name, ours.median, ours.p99, peer.median, peer.p99, ratios[name, "coal"],
             ours.median / max(peer.median - bindings, 1e-3),
             qhull.median if qhull else "", ratios.get((name, "Qhull"), "")]
        )  # fmt: skip
    report.table(
        "One pair, us of CPU time (median, p99 of chunks)",
        ["pair", "ours", "p99", "coal", "p99", "ratio", "ratio net", "Qhull", "ratio"],
        rows,
    )
    report.data["coal_binding_us"] = bindings
    print(f"  ratio net: coal less {bindings:.2f} us, what its Python call takes for two spheres")
    report.judge("box face / coal", ratios["box face", "coal"], 0.25)
    report.judge("box face / Qhull", ratios["box face", "Qhull"], 0.015)
    report.judge("32 faces shallow / coal", ratios["32 faces shallow", "coal"], 0.3)
    report.judge("300 faces shallow / coal", ratios["300 faces shallow", "coal"], 1.0)
    report.save(numba=version("numba"), coal=version("coal"), scipy=version("scipy"))


def cases() -> list[tuple[str, ConvexShape, ConvexShape, np.ndarray]]:
    block = ConvexShape.box((1.0, 1.0, 2.0))
    found = [
        ("box face", block, block, np.array([0.2, 0.3, 1.99])),
        ("box face, flush", block, block, np.array([0.0, 0.0, 1.99])),
    ]
    for faces in (32, 100, 300):
        a, b = hull(faces, 1), hull(faces, 2)
        u = np.array([0.98, 0.2, 0.1]) / np.linalg.norm([0.98, 0.2, 0.1])
        touch = (b.vertices @ u).max() - (a.vertices @ u).min()
        found.append((f"{faces} faces shallow", a, b, shallow(a, b, u, touch)))
        found.append((f"{faces} faces deep", a, b, (touch - DEEP) * u))
    return found


def shallow(a: ConvexShape, b: ConvexShape, u: np.ndarray, touch: float) -> np.ndarray:
    """The place along u where the two overlap by SHALLOW of their size, measured along u once they really touch."""
    low, high = 0.0, touch
    for _ in range(50):
        middle = 0.5 * (low + high)
        run = our_pair(a, b, middle * u)
        low, high = (middle, high) if run(1) else (low, middle)
    return (low - SHALLOW) * u


def hull(faces: int, seed: int) -> ConvexShape:
    points = np.random.default_rng(seed).normal(size=(faces // 2 + 2, 3))
    return ConvexShape(0.5 * points / np.linalg.norm(points, axis=1)[:, None])


def our_pair(a: ConvexShape, b: ConvexShape, shift: np.ndarray) -> Any:
    shapes = pack_shapes([a, b])
    solid, row = make_solid(shapes), np.zeros((1, layout.CONTACT_SIZE))
    X_W = np.array([[1, 0, 0, 0, 1, 0, 0, 0, 1, *shift], [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]], dtype=float)
    return lambda n: repeat_pair(n, shapes, X_W, solid, row)


def convex(shape: ConvexShape) -> Any:
    points, triangles = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
    for vertex in shape.vertices:
        points.append(np.array(vertex))
    for face in shape.faces:
        for i, j in itertools.pairwise(face[1:]):
            triangles.append(coal.Triangle(int(face[0]), int(i), int(j)))
    return coal.Convex(points, triangles)


def coal_pair(a: Any, b: Any, shift: Any) -> Any:
    """Collision and contact patch, results reused. Its own cached guess made it slower here, so it is off."""
    T_A, T_B = coal.Transform3s(), coal.Transform3s()
    T_A.setTranslation(np.array(shift, dtype=float))
    request, result = coal.CollisionRequest(), coal.CollisionResult()
    patch_request, patch_result = coal.ContactPatchRequest(), coal.ContactPatchResult()
    request.num_max_contacts = 1

    def run(n: int) -> int:
        for _ in range(n):
            result.clear()
            patch_result.clear()
            coal.collide(a, T_A, b, T_B, request, result)
            coal.computeContactPatch(a, T_A, b, T_B, result, patch_request, patch_result)
        return int(patch_result.numContactPatches())

    if run(1) != 1:
        raise SystemExit("coal finds no contact where one should be")
    return run


def qhull_pair(a: ConvexShape, b: ConvexShape, shift: np.ndarray) -> Any:
    """The intersection by SciPy: half-spaces about a point inside, then the hull of its corners."""
    planes = np.vstack([a.planes + np.c_[np.zeros((len(a.planes), 3)), a.planes[:, :3] @ shift], b.planes])
    halfspaces = planes * np.array([1, 1, 1, -1])
    shapes = pack_shapes([a, b])
    row = np.zeros((1, layout.CONTACT_SIZE))
    X_W = np.array([[1, 0, 0, 0, 1, 0, 0, 0, 1, *shift], [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]], dtype=float)
    pair_contact(shapes, 0, 1, X_W, 0, 1, make_solid(shapes), row, 0)
    inside = row[0, layout.CENTROID : layout.CENTROID + 3].copy()

    def run(n: int) -> float:
        volume = 0.0
        for _ in range(n):
            volume = ConvexHull(HalfspaceIntersection(halfspaces, inside).intersections).volume
        return volume

    if abs(run(1) - row[0, layout.VOLUME]) > 1e-9:
        raise SystemExit("Qhull and ours differ in volume")
    return run


if __name__ == "__main__":
    main()
