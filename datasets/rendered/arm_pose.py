"""
Pose an arm: shapes of the hand, inverse kinematics from the shoulder to the fingertips, and the skin that follows.

World frame: millimetres, right-handed, z up from the table; the table frame of ``datasets.clips.stage`` with y turned
round (``from_table``). Angles are in radians, in tables of shapes in degrees.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from datasets.rendered.arm_model import BONES, ArmModel, Surface

REST_CURL_DEG = (17.0, 7.0, 7.0)
"""How far the fingers of the mesh at rest are bent; shapes count from straight fingers."""
TWIST_SHARES = {"lowerarm01": 0.25, "lowerarm02": 0.7}
"""How much of the wrist's twist the two halves of the forearm follow."""
ELBOW_LEAST_MM = 55.0
"""An elbow over the table stays so high."""
REACH = 0.97
"""Share of the arm's length that is used before the person leans forward."""


@dataclass(frozen=True, slots=True)
class HandShape:
    """
    How the fingers are bent, degrees: index to little finger, each (aside, knuckle, middle joint, last joint).

    ``thumb_to``: where the thumb's tip is, mm from the middle of index and middle fingertips: forwards, out of the
    palm, to the thumb's side. ``pitch``, ``roll``: of the hand against the table. ``grips``: the fingers that hold.
    """

    fingers: tuple[tuple[float, float, float, float], ...]
    thumb_to: tuple[float, float, float]
    pitch: float = 0.0
    roll: float = 0.0
    grips: tuple[int, ...] = (2, 3)


SHAPES: Mapping[str, HandShape] = {
    "pinch": HandShape(((5, 24, 34, 18), (0, 27, 36, 18), (-5, 36, 44, 22), (-9, 44, 48, 24)), (-12, 8, 12), 24, 10),
    "open": HandShape(((3, 16, 24, 12), (0, 18, 24, 12), (-3, 24, 30, 14), (-6, 30, 34, 16)), (-34, 14, 26), 22, 10),
    "flat": HandShape(((6, 6, 9, 4), (0, 6, 9, 4), (-5, 7, 10, 4), (-11, 9, 11, 5)), (-56, 8, 40), 8, 0, (3,)),
    "rest": HandShape(
        ((5, 26, 24, 12), (0, 28, 26, 12), (-4, 32, 30, 14), (-9, 36, 34, 16)), (-40, 12, 30), 10, 6, (3,)
    ),
    "point": HandShape(((0, 8, 8, 4), (0, 62, 80, 40), (-3, 66, 82, 42), (-6, 68, 84, 42)), (-55, 14, 6), 16, 4, (2,)),
    "fan": HandShape(((3, 20, 28, 14), (0, 24, 30, 14), (-4, 32, 36, 16), (-9, 40, 40, 18)), (-6, 9, 8), 0, 0),
}


def from_table(points: np.ndarray) -> np.ndarray:
    """Turn (..., 3) points of the table frame into the world frame, and back."""
    return points * np.array([1.0, -1.0, 1.0])


def turning(axis: np.ndarray, angle: float) -> np.ndarray:
    """Return the (3, 3) rotation about an axis (Rodrigues)."""
    x, y, z = axis / np.linalg.norm(axis)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.asarray(np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross)


def frame(ahead: np.ndarray, normal: np.ndarray) -> np.ndarray:
    """Return the (3, 3) rotation whose columns are a direction, a second one square to it, and the third axis."""
    first = ahead / np.linalg.norm(ahead)
    second = normal - first * (normal @ first)
    second = second / np.linalg.norm(second)
    return np.column_stack([first, second, np.cross(first, second)])


@dataclass(frozen=True, slots=True, eq=False)
class PlacedBones:
    """Where the bones are: rotations (b, 3, 3) from rest, and the heads (b, 3) mm."""

    rotations: np.ndarray
    heads: np.ndarray


@dataclass(slots=True, eq=False)
class PosableArm:
    """An arm of one person, right or left, that can be posed. ``hand``: (3, 3) its directions at rest."""

    model: ArmModel
    left: bool = False
    hand: np.ndarray = field(init=False)
    _thumbs: dict[HandShape, np.ndarray] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.left:
            self.model = mirrored(self.model)
        heads = self.model.heads
        wrist = heads[BONES.index("wrist")]
        ahead = heads[BONES.index("finger3-1")] - wrist
        palm = np.cross(heads[BONES.index("finger2-1")] - wrist, heads[BONES.index("finger5-1")] - wrist)
        self.hand = frame(ahead, -palm if self.left else palm)

    # The hand

    def bent(self, shape: HandShape) -> dict[str, np.ndarray]:
        """Return the rotation of each bone of the fingers within the hand at rest."""
        found: dict[str, np.ndarray] = {}
        palm = self.hand[:, 1]
        for finger, (aside, *joints) in enumerate(shape.fingers, start=2):
            turned = np.eye(3)
            for joint, angle in enumerate(joints, start=1):
                bone = BONES.index(f"finger{finger}-{joint}")
                along = self.model.tails[bone] - self.model.heads[bone]
                bend = turning(np.cross(along, palm), np.radians(angle - REST_CURL_DEG[joint - 1]))
                if joint == 1:
                    bend = turning(palm, np.radians(aside if not self.left else -aside)) @ bend
                turned = turned @ bend
                found[f"finger{finger}-{joint}"] = turned
        if shape not in self._thumbs:
            self._thumbs[shape] = self._search_thumb(shape, found)
        return found | self._thumb(self._thumbs[shape])

    def _thumb(self, angles: np.ndarray) -> dict[str, np.ndarray]:
        bones = [BONES.index(f"finger1-{joint}") for joint in (1, 2, 3)]
        along = [self.model.tails[bone] - self.model.heads[bone] for bone in bones]
        inwards = np.cross(along[0], self.hand[:, 1])
        across = np.cross(along[0], self.hand[:, 1] * 0.2 + np.cross(self.hand[:, 1], inwards) * 0 - self._side)
        first = turning(across, angles[1]) @ turning(inwards, angles[0])
        bend = np.cross(along[1], along[2])
        second = first @ turning(bend, angles[2])
        third = second @ turning(bend, angles[3])
        return {"finger1-1": first, "finger1-2": second, "finger1-3": third}

    @property
    def _side(self) -> np.ndarray:
        """Return the direction to the thumb's side."""
        return np.asarray(self.hand[:, 2] if not self.left else -self.hand[:, 2])

    def tip(self, finger: int, bent: Mapping[str, np.ndarray]) -> np.ndarray:
        """Return a fingertip (3,) mm, with the hand at rest and the fingers bent."""
        first = BONES.index(f"finger{finger}-1")
        place = self.model.heads[first]
        for joint in (1, 2, 3):
            bone = BONES.index(f"finger{finger}-{joint}")
            place = place + bent[f"finger{finger}-{joint}"] @ (self.model.tails[bone] - self.model.heads[bone])
        return np.asarray(place)

    def _search_thumb(self, shape: HandShape, bent: dict[str, np.ndarray]) -> np.ndarray:
        """Return the thumb's four angles that bring its tip where the shape wants it, found by descent."""
        middle = (self.tip(2, bent) + self.tip(3, bent)) / 2
        ahead, palm = self.hand[:, 0], self.hand[:, 1]
        goal = middle + ahead * shape.thumb_to[0] + palm * shape.thumb_to[1] + self._side * shape.thumb_to[2]

        def cost(angles: np.ndarray) -> float:
            off = self.tip(1, self._thumb(angles)) - goal
            return float(off @ off + 40.0 * (angles @ angles))

        angles, step = np.zeros(4), 0.4
        best = cost(angles)
        lowest, highest = np.array([-0.6, -0.6, -0.4, -0.5]), np.array([1.0, 1.1, 0.9, 1.1])
        while step > 0.004:
            better = False
            for k in range(4):
                for way in (step, -step):
                    tried = angles.copy()
                    tried[k] = np.clip(tried[k] + way, lowest[k], highest[k])
                    if (now := cost(tried)) < best - 1e-9:
                        angles, best, better = tried, now, True
            if not better:
                step /= 2
        return angles

    # The arm

    def reach(
        self, shape: HandShape, tip: np.ndarray, hand: np.ndarray, shoulder: np.ndarray, out: np.ndarray
    ) -> PlacedBones:
        """
        Place the arm so that the gripping fingertips are at ``tip`` (3,), the hand turned as ``hand`` says.

        ``hand``: (3, 3), columns forwards, out of the palm, and the third. ``shoulder``: (3,); a person leans forward
        where the arm is too short. ``out``: (3,) direction to which the elbow is held.
        """
        bent = self.bent(shape)
        model, at = self.model, BONES.index
        turned = hand @ self.hand.T
        grip = np.mean([self.tip(finger, bent) for finger in shape.grips], axis=0)
        wrist = tip - turned @ (grip - model.heads[at("wrist")])
        upper = model.heads[at("lowerarm01")] - model.heads[at("upperarm01")]
        lower = model.heads[at("wrist")] - model.heads[at("lowerarm01")]
        elbow, shoulder = _elbow(shoulder, wrist, float(np.linalg.norm(upper)), float(np.linalg.norm(lower)), out)
        hinge, bend = np.cross(upper, lower), np.cross(elbow - shoulder, wrist - elbow)
        arm = frame(elbow - shoulder, bend) @ frame(upper, hinge).T
        forearm = frame(wrist - elbow, bend) @ frame(lower, hinge).T
        twist = _twist(forearm.T @ turned, lower)
        rotations = np.empty((len(BONES), 3, 3))
        heads = np.empty((len(BONES), 3))
        for name in BONES:
            bone = at(name)
            if name.startswith("upperarm"):
                rotations[bone], joint, origin = arm, shoulder, at("upperarm01")
            elif name.startswith("lowerarm"):
                rotations[bone] = forearm @ turning(lower, twist * TWIST_SHARES[name])
                joint, origin = elbow, at("lowerarm01")
            else:
                rotations[bone] = turned @ bent[name] if name in bent else turned
                joint, origin = wrist, at("wrist")
            carried = rotations[bone] if not name.startswith("finger") else turned
            heads[bone] = joint + carried @ (model.heads[bone] - model.heads[origin])
            if name.startswith("finger") and not name.endswith("-1"):
                before = at(f"{name[:-1]}{int(name[-1]) - 1}")
                heads[bone] = heads[before] + rotations[before] @ (model.tails[before] - model.heads[before])
        return PlacedBones(rotations, heads)

    def surface(self, placed: PlacedBones, surface: Surface) -> np.ndarray:
        """Return the vertices (n, 3) mm of a surface that hangs on the bones."""
        shift = placed.heads - np.einsum("bij,bj->bi", placed.rotations, self.model.heads)
        turn = np.einsum("vb,bij->vij", surface.weights, placed.rotations)
        return np.asarray(np.einsum("vij,vj->vi", turn, surface.vertices) + surface.weights @ shift)


def mirrored(model: ArmModel) -> ArmModel:
    """Return the left arm of a right one."""
    flip = np.array([-1.0, 1.0, 1.0])

    def turned(surface: Surface) -> Surface:
        return Surface(surface.vertices * flip, surface.faces[:, ::-1], surface.weights)

    return replace(
        model, skin=turned(model.skin), sleeve=turned(model.sleeve), heads=model.heads * flip, tails=model.tails * flip
    )


def _elbow(
    shoulder: np.ndarray, wrist: np.ndarray, upper: float, lower: float, out: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the elbow and the shoulder, moved towards the wrist where the arm is too short."""
    way = wrist - shoulder
    far, most = float(np.linalg.norm(way)), REACH * (upper + lower)
    if far > most:
        shoulder = wrist - way / far * most
        far = most
    far = max(far, abs(upper - lower) + 1.0)
    way = (wrist - shoulder) / np.linalg.norm(wrist - shoulder)
    along = (upper**2 - lower**2 + far**2) / (2 * far)
    aside = np.sqrt(max(upper**2 - along**2, 0.0))
    down = np.array([0.0, 0.0, -1.0])
    elbow = shoulder
    for share in (0.25, 0.5, 0.75, 1.0, 1.3, 1.7):
        pole = down * (1 - share) + out * min(share, 1.0)
        pole = pole - way * (pole @ way)
        elbow = shoulder + way * along + pole / np.linalg.norm(pole) * aside
        if elbow[2] >= ELBOW_LEAST_MM:
            break
    return np.asarray(elbow), np.asarray(shoulder)


def _twist(rotation: np.ndarray, axis: np.ndarray) -> float:
    """Return the angle by which a rotation turns about an axis (swing and twist)."""
    axis = axis / np.linalg.norm(axis)
    vector = np.array(
        [rotation[2, 1] - rotation[1, 2], rotation[0, 2] - rotation[2, 0], rotation[1, 0] - rotation[0, 1]]
    )
    real = np.sqrt(max(0.0, 1 + np.trace(rotation))) / 2
    if real < 1e-6:
        return float(np.pi)
    return float(2 * np.arctan2(vector @ axis / (4 * real), real))


def upon_table(shape: HandShape, yaw: float, left: bool) -> np.ndarray:
    """
    Return the (3, 3) directions of a hand over the table: forwards, out of the palm, and the third.

    ``yaw``: direction of the forearm in the table frame (clockwise as the camera sees it).
    """
    ahead = np.array([np.cos(yaw), -np.sin(yaw), 0.0])
    down = np.array([0.0, 0.0, -1.0])
    pitch, roll = np.radians(shape.pitch), np.radians(shape.roll if not left else -shape.roll)
    tilted = ahead * np.cos(pitch) + down * np.sin(pitch)
    palm = down * np.cos(pitch) - ahead * np.sin(pitch)
    palm = turning(tilted, roll) @ palm
    return frame(tilted, palm)
