"""The process in which CoACD runs: a mesh in (npz), convex parts out (npz), its own progress lines on stdout.

Started by `decompose` only. It is a process of its own because CoACD is one long native call: a Ctrl-C would wait for
its end, and a crash of it would take the caller along.

    python -m hapticd.scene.coacd_child IN.npz OUT.npz THRESHOLD SEED MOST_PARTS
"""

import ctypes
import sys

import coacd
import numpy as np

LINE_BUFFERED = 1  # _IOLBF of glibc: progress lines come when they are said


def main(source: str, target: str, threshold: str, seed: str, most_parts: str) -> None:
    libc = ctypes.CDLL(None)
    libc.setvbuf(ctypes.c_void_p.in_dll(libc, "stdout"), None, LINE_BUFFERED, 0)
    given = np.load(source)
    parts = coacd.run_coacd(
        coacd.Mesh(given["vertices"], given["triangles"]),
        threshold=float(threshold),
        seed=int(seed),
        max_convex_hull=int(most_parts),
    )
    np.savez(target, **{f"part{i}": vertices for i, (vertices, _) in enumerate(parts)})


if __name__ == "__main__":
    main(*sys.argv[1:])
