"""A card that nobody could read never accuses anybody in a game without faults, and is never named to people."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

import pytest

from referee.belief.interpretation import accuses
from referee.cards import Card
from referee.game import Attack, Bout, UnreadCard
from referee.match_judge import MatchJudge
from referee.rulings import Announcement, Ruling
from tests.referee.falsified import fed
from tests.referee.unread import accusations, session_of, with_unread_cards
from webapp.match.view import TablePosition
from webapp.text.catalogue import LANGUAGES
from webapp.text.present import say

Line = Mapping[str, Any]


def laid(card: str, by: str | None, on: str | None = None) -> Line:
    return {"event": "placed", "card": card, "by": by, **({} if on is None else {"on": on})}


def drawn(by: str, count: int) -> Line:
    return {"event": "drawn", "by": by, "count": count}


def swept(to: str) -> Line:
    return {"event": "swept", "to": to}


def judged(
    *lines: Line, rules: str = "perevodnoy", seats: str = "ABC", witness: str = "person", **options: str
) -> MatchJudge:
    """Return a judge after these lines, a second apart, from the middle of a deal in which A attacks B."""
    start = {"hands": dict.fromkeys(seats, 6), "talon": 18, "trump": "h", "turnup": "6h"}
    start |= {"attacker": "A", "defender": "B"}
    header = {"kozyr": 1, "rules": rules, "seats": list(seats), "dealer": seats[-1], "witness": witness, "start": start}
    header |= {"options": options} if options else {}
    return fed((header, *({"at": float(at), **line} for at, line in enumerate(lines, start=1))))


def test_unread_throw_in_gives_those_who_had_declined_another_turn() -> None:
    # Under hand-over A had stopped; the card that C then threw in, and B beat, brings new ranks.
    judge = judged(
        laid("7d", "A"),
        laid("8d", "B", "7d"),
        {"event": "pressed", "button": "pass", "by": "A"},
        laid("back", "C"),
        laid("back", "B"),
        {"event": "pressed", "button": "pass", "by": "C"},
        laid("7c", "A"),
        laid("9c", "B", "7c"),
        rules="podkidnoy-36",
        throw_order="handoff",
    )
    assert [message for message in judge.holding if isinstance(message.what, Ruling) and accuses(message.what)] == []


def test_last_of_cards_laid_at_the_same_moment_is_the_last_attack() -> None:
    attacks = (Attack(Card.parse("7d"), "A", 0), Attack(Card.parse("7c"), "C", 0, thrown=True))
    bout = Bout(1, "A", "B", 6, {}, attacks)
    assert bout.last_to_attack == "C"
    assert bout.replace(faceless=(UnreadCard("A", None, 1),)).last_to_attack == "A"


@pytest.mark.parametrize(
    ("seed", "game", "number"),
    [
        pytest.param(5, 50, 1, id="a-second-unread-card-beats-the-first"),
        pytest.param(5, 129, 4, id="an-unread-throw-in-and-its-beat"),
        pytest.param(5, 129, 5, id="an-unread-throw-in-and-its-beat-of-unknown-seats"),
        pytest.param(8, 91, 4, id="two-sevens-are-laid-after-the-third-was-not-read"),
        pytest.param(5, 20, 1, id="an-unread-lead-and-its-beat-of-unknown-seats"),
        pytest.param(5, 62, 5, id="a-loose-unread-beat-counts-as-no-attack"),
        pytest.param(8, 87, 3, id="two-unread-throw-ins-of-unknown-seats-and-a-draw-of-four"),
        pytest.param(7, 17, 2, id="all-other-cards-of-its-rank-follow-an-unread-lead"),
    ],
)
def test_records_of_unread_cards_accuse_nobody(seed: int, game: int, number: int) -> None:
    # Numbers as ``python -m tests.referee.unread --seed SEED`` prints them.
    session = session_of(game, seed)
    header = {**session.record[0], "witness": "person"}
    record = list(with_unread_cards((header, *session.record[1:]), 3, random.Random(f"{seed}/{game}")))[number]
    assert list(accusations(record.record)) == []


@pytest.mark.ordinary(2)
@pytest.mark.parametrize(
    ("game", "rules", "witness"),
    [
        *((game, None, "person") for game in (0, 1, 2, 3, 5, 7, 9, 11)),
        *((game, "perevodnoy", "person") for game in (0, 7, 13, 19, 25)),
        *((game, "perevodnoy", "camera") for game in (1, 8)),
        (4, None, "camera"),
    ],
)
def test_unread_card_accuses_nobody_in_a_game_without_faults(game: int, rules: str | None, witness: str) -> None:
    session = session_of(game, 1, rules)
    header = {**session.record[0], "witness": witness}
    rng = random.Random(game)
    records = list(with_unread_cards((header, *session.record[1:]), 2 if witness == "person" else 1, rng))
    assert records
    assert [found for record in records for found in accusations(record.record)] == []


@pytest.mark.parametrize("witness", ["person", "camera"])
def test_unread_transfer_is_followed_when_later_lines_fit_only_so(witness: str) -> None:
    judge = judged(
        *(laid("8s", "A"), laid("back", "B"), laid("8d", "C")),
        *(laid("9s", "A", on="8s"), laid("9d", "A", on="8d"), laid("Tc", "A")),
        *(swept("heap"), drawn("C", 1), drawn("B", 1), drawn("A", 4), laid("7c", "A"), laid("8c", "B", on="7c")),
        witness=witness,
    )
    rulings = {message.line: message.what for message in judge.holding if isinstance(message.what, Ruling)}
    assert [rulings[line].play for line in (5, 6, 7, 12)] == ["beat", "beat", "beat", "lead"]
    assert not any(map(accuses, rulings.values()))


def test_unread_transfer_may_be_taken() -> None:
    """With two players a card passed on without a name is taken by the one who led."""
    judge = judged(
        *(laid("8s", "A"), laid("back", "B"), swept("A"), drawn("B", 1), laid("7c", "B"), laid("Tc", "A", on="7c")),
        seats="AB",
    )
    assert list(judge.holding)
    assert not [
        message.what for message in judge.holding if isinstance(message.what, Ruling) and message.what.fault is not None
    ]


def test_name_assumed_for_an_unread_card_is_not_told() -> None:
    judge = judged(laid("back", "A"), laid("8s", "B"), rules="podkidnoy-36")
    (beat,) = [message.what for message in judge.holding if isinstance(message.what, Ruling)]
    assert beat.as_json() == {"ruling": "legal", "play": "beat", "cards": ["8s"], "by": "B", "facts": {"over": "back"}}
    assert say(beat) == "B beats an unread card with 8♠."
    sentences = {say(beat, language) for language in LANGUAGES}
    assert len(sentences) == len(LANGUAGES)
    assert not [sentence for sentence in sentences if any(sign in sentence.replace("8♠", "") for sign in "♠♥♦♣{")]
    position = TablePosition.of(judge.state)
    assert position.table == [["back", "8s"]]
    assert [(pair.attack, pair.defence, pair.by, pair.beaten_by) for pair in position.lying] == [
        ("back", "8s", "A", "B")
    ]
    assert position.ranks == ["8"]
    assert position.cards == ["8s"]


def test_unread_card_that_is_read_at_last_has_its_name() -> None:
    judge = judged(laid("back", "A"), laid("8s", "B", on="7s"), rules="podkidnoy-36")
    (beat,) = [message.what for message in judge.holding if isinstance(message.what, Ruling)]
    assert say(beat) == "B beats 7♠ with 8♠."
    assert TablePosition.of(judge.state).table == [["7s", "8s"]]


def test_card_that_may_pass_the_attack_on_is_announced_as_unread_first() -> None:
    judge = judged(laid("8s", "A"), laid("back", "B"))
    announced = [
        message.what for message in judge.holding if isinstance(message.what, Announcement) and message.line == 3
    ]
    assert [message.as_json() for message in announced] == [{"announce": "unread", "by": "B", "on": None}]
