"""Text of a played game for people."""

from __future__ import annotations

from webapp.text.present import played_game


def placed(card: str, by: str | None, **more: str) -> dict[str, object]:
    return {"event": {"event": "placed", "card": card, **({"by": by} if by else {}), **more}}


def test_lifted_cards_are_omitted_and_taken_bouts_name_the_taker() -> None:
    steps = [
        placed("7s", "A"),
        placed("8s", "B", on="7s"),
        {"event": {"event": "lifted", "card": "8s"}},
        placed("Kd", "C"),
        {"event": {"event": "lifted", "card": "Kd"}},
        {"event": {"event": "lifted", "card": "Ac"}},
        {"event": {"event": "swept", "to": "B"}},
        {"event": {"event": "swept", "to": "heap"}},
        placed("back", None) | {"comment": "whose?"},
    ]
    assert played_game(steps) == "1. A 7♠. B takes\n2. ? ?.\n   (whose?)\n"


def test_card_letters_are_those_of_the_language() -> None:
    steps = [placed("Js", "A"), placed("Qs", "B", on="Js"), {"event": {"event": "swept", "to": "heap"}}]
    assert played_game(steps, "ru") == "1. A В♠ - B Д♠. Отбито\n"
