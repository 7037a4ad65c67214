"""
Propose the position of a game from what the camera sees before it begins, and find what contradicts a stated one.

One picture of a game under way shows the turn-up, the talon, the discard pile and the bout. What cards people hold is
not visible.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from msgspec import field

from referee.cards import Card, pack
from referee.fields import PlainValue
from referee.rulebook import FREE, PRESETS, rulebook
from vision.detection.detections import BACK_INDEX, CLASS_NAMES, EVEN_ODDS, FACE_COUNT, Detections
from vision.detection.z_order import attack_defence_pairs, z_order
from vision.geometry.quads import gap, overlap, size
from vision.table.piles import TALON_REACH
from vision.table.track import UNDER_TALON
from webapp.live.game_setup import NO_OPTIONS, GameSetup

LEAST_SHARE = 0.9
"""Probability from which a card is used. A wrong refusal is worse than a missing one. Chosen by hand."""
Pair = tuple[str, str | None]


class SeenTable(PlainValue, frozen=True):
    """
    ``turnup``: the card under the talon, None if none was read. ``has_talon``, ``has_heap``: does a talon, does a
    discard pile lie there. ``bout``: (attack, defence or None) from left to right.
    """

    turnup: str | None = None
    has_talon: bool = field(default=False, name="talon")
    has_heap: bool = field(default=False, name="heap")
    bout: tuple[Pair, ...] = ()

    @property
    def cards(self) -> tuple[str, ...]:
        named = [card for pair in self.bout for card in pair if card is not None]
        return (*(() if self.turnup is None else (self.turnup,)), *named)

    def confirmed(self, before: SeenTable) -> SeenTable:
        """
        Return what this picture and the one before agree on.

        >>> SeenTable("Ad", True, bout=(("7s", None),)).confirmed(SeenTable("Ad", True, bout=(("7c", None),)))
        SeenTable(turnup='Ad', has_talon=True, has_heap=False, bout=())
        """
        return SeenTable(
            self.turnup if self.turnup == before.turnup else None,
            self.has_talon and before.has_talon,
            self.has_heap and before.has_heap,
            self.bout if self.bout == before.bout else (),
        )


def read_table(image_bgr: np.ndarray, seen: Detections) -> SeenTable:
    """Return what the cards of a (h, w, 3) uint8 picture show of a game."""
    best = seen.best
    shares = seen.probabilities[np.arange(len(seen)), best] if len(seen) else np.zeros(0)
    kept = [i for i in range(len(seen)) if best[i] <= BACK_INDEX and shares[i] >= LEAST_SHARE]
    quads = seen.corners_px[kept]
    names = [CLASS_NAMES[best[i]] for i in kept]
    backs = [k for k, i in enumerate(kept) if best[i] == BACK_INDEX]
    faces = [k for k, i in enumerate(kept) if best[i] < FACE_COUNT]
    order = z_order(image_bgr, quads)
    covered = [
        (overlap(quads[face], quads[back]), face, back)
        for face in faces
        for back in backs
        if order.upper[back, face] > EVEN_ODDS
    ]
    share, turnup, talon = max(covered, default=(0.0, -1, -1))
    if share < UNDER_TALON:
        turnup = talon = -1
    open_faces = np.array([k in faces and k != turnup for k in range(len(kept))], bool)
    areas = np.array([cv2.contourArea(quad) for quad in quads])
    chosen = dict(attack_defence_pairs(order, areas, open_faces)) if len(kept) else {}
    bout = [
        (names[k], names[chosen[k]] if k in chosen else None)
        for k in np.argsort(quads[:, :, 0].mean(axis=1), kind="stable")
        if open_faces[k] and k not in chosen.values()
    ]
    return SeenTable(
        turnup=names[turnup] if turnup >= 0 else None,
        has_talon=talon >= 0,
        has_heap=talon >= 0
        and any(gap(quads[back], quads[talon]) >= TALON_REACH * size(quads[talon]) for back in backs),
        bout=tuple(bout),
    )


NOTHING_SEEN = SeenTable()


NAMED_IN_START = ("attacker", "defender")
COUNTED_IN_START = ("hands", "known", "picked")


@dataclass(frozen=True, slots=True)
class Contradiction:
    """
    A stated position that the camera's view contradicts.

    ``kind``: ``dealt`` (stated is that no card is dealt yet), ``gathered`` (that the game before lies there no more),
    ``trump``, ``turnup``, ``talon``, ``hands`` or ``pack``.
    ``stated``: a suit, a card, or a count. ``seen``: the card or the number of cards that the camera sees.
    """

    kind: str
    stated: str
    seen: str


def contradictions(
    rules: str, options: Mapping[str, Any], start: Mapping[str, Any] | None, table: SeenTable
) -> tuple[Contradiction, ...]:
    """
    Return what contradicts the view in a position, a record header's ``start``; None: before the deal.

    >>> start = {"trump": "s", "turnup": None, "talon": 24, "hands": {"A": 6, "B": 6}}
    >>> contradictions("podkidnoy-36", {}, start, SeenTable("Ad", True))
    (Contradiction(kind='trump', stated='s', seen='Ad'),)
    >>> contradictions("podkidnoy-36", {}, {**start, "trump": "d"}, SeenTable("Ad", True))
    ()
    """
    if rules == FREE:
        return ()
    book = rulebook(rules, options)
    members = {str(card) for card in pack(book.pack)}
    found = [Contradiction("pack", str(book.pack), card) for card in table.cards if card not in members]
    if start is not None:
        if table.turnup is not None and book.turn_up == "under_talon":
            stated, trump = start.get("turnup"), start.get("trump")
            if trump is not None and trump != table.turnup[1]:
                found.append(Contradiction("trump", str(trump), table.turnup))
            elif stated is not None and stated != table.turnup:
                found.append(Contradiction("turnup", str(stated), table.turnup))
            if start.get("talon") == 0:
                found.append(Contradiction("talon", "0", table.turnup))
        laid = [card for pair in table.bout for card in pair if card is not None]
        held = sum(count for count in start.get("hands", {}).values() if isinstance(count, int))
        if len(laid) > held:  # the cards of the bout count to the hands that laid them
            found.append(Contradiction("hands", str(held), str(len(laid))))
    elif table.turnup is not None:
        found.append(Contradiction("dealt", "0", table.turnup))
    return tuple(found)


def proposed_start(
    rules: str, options: Mapping[str, Any], seats: Sequence[str], table: SeenTable, trump: str | None = None
) -> dict[str, Any] | None:
    """
    Propose the position of a game under way from what is seen; None without players or for the free table.

    Each hand is full: cards of the bout count to the hands that laid them, and nobody draws during a bout. ``trump``:
    used if no turn-up is seen. What neither the picture nor the rules say is None: the trump without a turn-up, the
    talon's count beside a discard pile, who attacks.

    >>> proposed_start("podkidnoy-36", {}, ("A", "B"), SeenTable("Ad", has_talon=True, has_heap=True))
    {'trump': 'd', 'turnup': 'Ad', 'talon': None, 'hands': {'A': 6, 'B': 6}, 'attacker': None}
    """
    if rules == FREE or len(seats) < 2:
        return None
    book = rulebook(rules, options)
    turnup = None if table.turnup is None else Card.parse(table.turnup)
    talon = max(0, book.talon_after_deal(len(seats)))
    return {
        "trump": trump if turnup is None else turnup.suit.value,
        "turnup": table.turnup if talon else None,
        "talon": None if table.has_heap and talon else talon,
        "hands": dict.fromkeys(seats, book.hand_size),
        "attacker": None,
    }


def values_for_seats(setup: GameSetup, values: Mapping[str, Any], table: SeenTable) -> Mapping[str, Any]:
    """
    Add to ``values`` of ``POST /api/setup`` the rules, the dealer and the position that fit their ``seats``.

    A renamed player keeps cards and place. With another number of players the cards are counted as after a new deal.

    >>> two = GameSetup(source="0", seats=("A", "B"), rules="french-2")
    >>> dict(values_for_seats(two, {"seats": ["A", "B", "C"]}, SeenTable()))["rules"]
    'podkidnoy-36'
    """
    seats = values.get("seats")
    if not isinstance(seats, list) or len(seats) < 2 or not all(isinstance(name, str) for name in seats):
        return values  # GameSetup.changed says what is wrong
    adapted = dict(values)
    rules, options = setup.rules, setup.options
    if not {"rules", "options"} & values.keys():
        rules, options = fitting_rules(rules, options, len(seats))
        adapted |= {"rules": rules, "options": dict(options)}
    # Who was replaced gave the place to whoever is new.
    gone = [name for name in setup.seats if name not in seats]
    new = [name for name in seats if name not in setup.seats] if len(setup.seats) == len(seats) else []
    renamed = dict(zip(gone, new, strict=False))
    adapted |= {
        key: renamed[name]
        for key, name in (("dealer", setup.dealer), ("lead", setup.lead))
        if name is not None and name in renamed and key not in values
    }
    if "start" in values or setup.start is None:
        return adapted
    if len(seats) == len(setup.seats):
        start = dict(setup.start)
        for key in COUNTED_IN_START:
            if isinstance(start.get(key), Mapping):
                start[key] = {renamed.get(name, name): value for name, value in start[key].items()}
        for key in NAMED_IN_START:
            if key in start:
                start[key] = renamed.get(start[key], start[key])
        if "out" in start:
            start["out"] = [renamed.get(name, name) for name in start["out"]]
        return {**adapted, "start": start}
    proposed = proposed_start(rules, options, seats, table, setup.start.get("trump"))
    if proposed is not None and proposed["turnup"] is None and proposed["talon"]:
        proposed["turnup"] = setup.start.get("turnup")
    return {**adapted, "start": proposed}


def fitting_rules(rules: str, options: Mapping[str, Any], seats: int) -> tuple[str, Mapping[str, Any]]:
    """
    Return the rule set and options by which ``seats`` players can play: if possible these, else with the usual pack,
    else the first rule set that admits them.

    >>> fitting_rules("podkidnoy-36", {"pack": 24, "transfer": True}, 6)
    ('podkidnoy-36', {'transfer': True})
    """
    usual_pack = {key: value for key, value in options.items() if key not in ("pack", "hand_size")}
    for name, chosen in (
        (rules, options),
        (rules, usual_pack),
        (rules, NO_OPTIONS),
        *((n, NO_OPTIONS) for n in PRESETS),
    ):
        try:
            if seats in rulebook(name, chosen).players():
                return name, chosen
        except ValueError:
            continue
    return rules, options
