"""Contact of one pair of convex hulls: ours beside coal and SciPy's Qhull."""

import argparse
import itertools
from functools import partial
from importlib.metadata import version
from typing import Any

import coal
import numpy as np
from benchmark import Report, Subject, interleave, pin, ratio
from scipy.spatial import ConvexHull, HalfspaceIntersection
from scipy.spatial.transform import Rotation

from hapticd.kernel import layout
from hapticd.kernel._jit import kernel
from hapticd.kernel.contact.pair import pair_contact
from hapticd.scene.convex import ConvexShape
from hapticd.scene.pack import make_solid, pack_shapes

SHALLOW, DEEP = 0.02, 0.5  # overlap over the diameter
PLACES = 32  # a processor learns the branches of a single place by heart: two to three times too fast
TILT, JITTER = 0.02, 0.003  # rad and m by which the places differ


@kernel
def repeat_pair(n, shapes, X_W, solid, contact):
    """A pair in contact n times, in many places by turns, each from its last normal; X_W (places, 2, 12)."""
    touching = 0
    for k in range(n):
        i = k % X_W.shape[0]
        touching += pair_contact(shapes, 0, 1, X_W[i], 0, 1, solid, contact, i) > 0
    return touching


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--repeats", type=int, default=10)
    options = arguments.parse_args()
    pin()
    report = Report("kernel")
    pairs = {name: partial(subjects, name, a, b, places(shift)) for name, a, b, shift in cases()}
    times = interleave({"spheres": spheres, **pairs}, options.repeats, label="pairs")
    bindings = times.pop("spheres")["coal"].cost
    rows, ratios = [], {}
    for name, of in times.items():
        ours, peer, qhull = of["ours"], of["coal"], of.get("Qhull")
        ratios |= {(name, other): ratio(ours, timing) for other, timing in of.items() if other != "ours"}
        rows.append(
            [name, ours.cost, ours.p99, peer.cost, peer.p99, ratios[name, "coal"],
             ours.cost / max(peer.cost - bindings, 1e-3),
             qhull.cost if qhull else "", ratios.get((name, "Qhull"), "")]
        )  # fmt: skip
    report.table(
        "One pair, us of CPU time (quickest repeat, p99 of all chunks)",
        ["pair", "ours", "p99", "coal", "p99", "ratio", "ratio net", "Qhull", "ratio"],
        rows,
    )
    report.data["us"] = {
        name: {other: {"cost": timing.cost, "repeats": timing.medians} for other, timing in of.items()}
        for name, of in times.items()
    }
    report.data["coal_binding_us"] = bindings
    print(f"  ratio net: coal less {bindings:.2f} us, what its Python call takes for two spheres")
    for (name, peer), value in ratios.items():
        report.ratio(f"{name} / {peer}", value)
    report.judge("box face / coal", ratios["box face", "coal"], 0.25)
    report.judge("box face / Qhull", ratios["box face", "Qhull"], 0.015)
    report.judge("32 faces shallow / coal", ratios["32 faces shallow", "coal"], 0.3)
    report.judge("300 faces shallow / coal", ratios["300 faces shallow", "coal"], 1.0)
    report.save(numba=version("numba"), coal=version("coal"), scipy=version("scipy"))


def spheres() -> list[Subject]:
    """What a call of coal costs when there is next to nothing to work out."""
    X_W = places(np.array([0, 0, 0.9]))
    return [Subject("coal", coal_pair(coal.Sphere(0.5), coal.Sphere(0.5), X_W))]


def subjects(name: str, a: ConvexShape, b: ConvexShape, X_W: np.ndarray) -> list[Subject]:
    found = [Subject("ours", our_pair(a, b, X_W)), Subject("coal", coal_pair(convex(a), convex(b), X_W))]
    if "shallow" not in name or "32" in name:
        found.append(Subject("Qhull", qhull_pair(a, b, X_W)))
    return found


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
        low, high = (middle, high) if our_pair(a, b, places(middle * u, 1))(1) else (low, middle)
    return (low - SHALLOW) * u


def places(shift: np.ndarray, count: int = PLACES) -> np.ndarray:
    """(count, 2, 12): pose rows of A, a little turned and moved, and of B in the origin. The first is as asked for."""
    rng = np.random.default_rng(4)
    X_W = np.zeros((count, 2, 12))
    X_W[:, :, [0, 4, 8]] = 1.0
    X_W[:, 0, 9:] = shift
    for X in X_W[1:, 0]:
        X[9:] += rng.normal(0, JITTER, 3)
        X[:9] = Rotation.from_rotvec(rng.normal(0, TILT, 3)).as_matrix().ravel()
    return X_W


def hull(faces: int, seed: int) -> ConvexShape:
    points = np.random.default_rng(seed).normal(size=(faces // 2 + 2, 3))
    return ConvexShape(0.5 * points / np.linalg.norm(points, axis=1)[:, None])


def our_pair(a: ConvexShape, b: ConvexShape, X_W: np.ndarray) -> Any:
    shapes = pack_shapes([a, b])
    solid, rows = make_solid(shapes), np.zeros((len(X_W), layout.CONTACT_SIZE))
    return lambda n: repeat_pair(n, shapes, X_W, solid, rows)


def convex(shape: ConvexShape) -> Any:
    points, triangles = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
    for vertex in shape.vertices:
        points.append(np.array(vertex))
    for face in shape.faces:
        for i, j in itertools.pairwise(face[1:]):
            triangles.append(coal.Triangle(int(face[0]), int(i), int(j)))
    return coal.Convex(points, triangles)


def coal_pair(a: Any, b: Any, X_W: np.ndarray) -> Any:
    """Collision and contact patch, results reused. Its own cached guess made it slower here, so it is off."""
    transforms = [tuple(coal.Transform3s(X[:9].reshape(3, 3), X[9:]) for X in pair) for pair in X_W]
    request, result = coal.CollisionRequest(), coal.CollisionResult()
    patch_request, patch_result = coal.ContactPatchRequest(), coal.ContactPatchResult()
    request.num_max_contacts = 1

    def run(n: int) -> int:
        for k in range(n):
            T_A, T_B = transforms[k % len(transforms)]
            result.clear()
            patch_result.clear()
            coal.collide(a, T_A, b, T_B, request, result)
            coal.computeContactPatch(a, T_A, b, T_B, result, patch_request, patch_result)
        return int(patch_result.numContactPatches())

    if run(1) != 1:
        raise SystemExit("coal finds no contact where one should be")
    return run


def qhull_pair(a: ConvexShape, b: ConvexShape, X_W: np.ndarray) -> Any:
    """The intersection by SciPy: half-spaces about a point inside, then the hull of its corners; in the first place."""
    shift = X_W[0, 0, 9:]
    planes = np.vstack([a.planes + np.c_[np.zeros((len(a.planes), 3)), a.planes[:, :3] @ shift], b.planes])
    halfspaces = planes * np.array([1, 1, 1, -1])
    shapes = pack_shapes([a, b])
    row = np.zeros((1, layout.CONTACT_SIZE))
    pair_contact(shapes, 0, 1, X_W[0], 0, 1, make_solid(shapes), row, 0)
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
