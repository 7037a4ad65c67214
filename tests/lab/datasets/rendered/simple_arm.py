"""Simple arm model of boxes around an adult's bones, for tests without the base mesh."""

from __future__ import annotations

import numpy as np

from datasets.rendered.arm_model import BONES, ArmModel, Surface

JOINTS = {
    "upperarm01": (-188, -21, 582), "upperarm02": (-230, -22, 525), "lowerarm01": (-355, -19, 390),
    "lowerarm02": (-423, -114, 328), "wrist": (-488, -207, 263), "metacarpal1": (-501, -237, 248),
    "metacarpal2": (-501, -237, 248), "metacarpal3": (-514, -226, 230), "metacarpal4": (-514, -226, 230),
    "finger1-1": (-490, -256, 257), "finger1-2": (-467, -280, 248), "finger1-3": (-452, -315, 235),
    "finger2-1": (-519, -313, 223), "finger2-2": (-523, -337, 207), "finger2-3": (-522, -356, 189),
    "finger3-1": (-538, -294, 210), "finger3-2": (-545, -318, 182), "finger3-3": (-548, -337, 159),
    "finger4-1": (-546, -275, 202), "finger4-2": (-555, -292, 174), "finger4-3": (-561, -307, 152),
    "finger5-1": (-547, -254, 190), "finger5-2": (-554, -263, 170), "finger5-3": (-556, -270, 154),
}  # fmt: skip
TIPS = {1: (-447, -338, 216), 2: (-518, -376, 168), 3: (-548, -355, 135), 4: (-563, -320, 126), 5: (-558, -279, 134)}
AFTER = {"upperarm01": "upperarm02", "upperarm02": "lowerarm01", "lowerarm01": "lowerarm02", "lowerarm02": "wrist",
         "wrist": "metacarpal2", **{f"metacarpal{k}": f"finger{k + 1}-1" for k in range(1, 5)}}  # fmt: skip
CORNERS = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
SIDES = np.array([[0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7], [3, 2, 1, 0], [4, 5, 6, 7]])


def _tail(bone: str) -> tuple[int, int, int]:
    if bone.startswith("finger"):
        finger, joint = int(bone[6]), int(bone[8])
        return TIPS[finger] if joint == 3 else JOINTS[f"finger{finger}-{joint + 1}"]
    return JOINTS[AFTER[bone]]


def _boxes(bones: tuple[str, ...], radius: float) -> Surface:
    vertices, faces, weights = [], [], np.zeros((8 * len(bones), len(BONES)))
    for number, bone in enumerate(bones):
        head, tail = np.array(JOINTS[bone], float), np.array(_tail(bone), float)
        axis = (tail - head) / np.linalg.norm(tail - head)
        side = np.cross(axis, [0.3, 0.9, 0.2])
        side /= np.linalg.norm(side)
        round_it = CORNERS @ np.stack([side, np.cross(axis, side)]) * radius
        vertices += [head + round_it, tail + round_it]
        faces.append(SIDES + 8 * number)
        weights[8 * number : 8 * number + 8, BONES.index(bone)] = 1.0
    return Surface(np.vstack(vertices), np.vstack(faces), weights)


def simple_arm() -> ArmModel:
    """Return the arm model."""
    heads = np.array([JOINTS[bone] for bone in BONES], float)
    tails = np.array([_tail(bone) for bone in BONES], float)
    skin = _boxes(BONES, 8.0)
    return ArmModel(skin, _boxes(BONES[:4], 30.0), heads, tails, np.zeros(len(skin.vertices)))
