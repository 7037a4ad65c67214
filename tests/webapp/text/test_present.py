"""Sentences for every fault and announcement, in every language."""

from __future__ import annotations

import pytest

from referee.cards import Card, Suit
from referee.rulebook import PRESETS, FaultId, rulebook
from referee.rulings import Announcement, Fault, Ruling, Verdict
from webapp.text.catalogue import LANGUAGES
from webapp.text.present import card_name, explain, say

NINE = Card.parse("9h")


def ruling(fault: Fault, by: str | None = "Anna", question: dict[str, object] | None = None) -> Ruling:
    return Ruling(fault.verdict, "throw-in", (NINE,), by, fault.id, fault.facts, question)


def test_sentence_of_a_fault_has_its_reason() -> None:
    fault = Fault.of(FaultId.RANK_NOT_ON_TABLE, card=NINE, ranks=frozenset("7TJ"))
    assert say(ruling(fault)) == "Anna can't add 9♥: ranks allowed now: 7, 10, J."
    assert say(ruling(fault), "ru") == "Anna: 9♥ подкинуть нельзя, сейчас можно только 7, 10, В."


def test_question_follows_the_reason() -> None:
    fault = Fault.of(FaultId.PRIORITY, before="Vera")
    assert say(ruling(fault, question={"ask": "card", "card": NINE})).endswith("Please look again at 9♥.")
    assert say(ruling(fault, question={"ask": "leave", "seat": "Vera"})).endswith("Was it agreed?")


@pytest.mark.parametrize(("language", "again"), [("en", "Please look again"), ("ru", "Посмотрите ещё раз")])
@pytest.mark.parametrize("id_", [FaultId.DEAD_CARD, FaultId.DUPLICATE_CARD, FaultId.NOT_IN_HAND, FaultId.HAND_LEDGER])
def test_request_to_check_again_occurs_once(id_: FaultId, language: str, again: str) -> None:
    fault = Fault.of(id_, Verdict.UNCLEAR, card=NINE, held=2)
    assert say(ruling(fault), language).count(again) == 1
    assert say(ruling(fault, question={"ask": "card", "card": NINE}), language).count(again) == 1


def test_unknown_player_is_written_as_somebody() -> None:
    fault = Fault.of(FaultId.PRIORITY, before="Vera")
    assert say(ruling(fault, None), "ru") == "Сначала Vera, потом кто-то."
    fault = Fault.of(FaultId.RANK_NOT_ON_TABLE, card=NINE, ranks=frozenset("7"))
    assert say(ruling(fault, None)) == "Somebody can't add 9♥: ranks allowed now: 7."
    assert say(ruling(fault, None), "ru") == "Кто-то: 9♥ подкинуть нельзя, сейчас можно только 7."
    assert say(Announcement.of("unread", by=None, on=None)).startswith("A card that somebody laid")


def test_legal_play_has_a_sentence() -> None:
    play = Ruling(Verdict.LEGAL, "beat", (NINE,), "Anna", None, {"over": Card.parse("8h")})
    assert say(play) == "Anna beats 8♥ with 9♥."


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("fault", FaultId)
def test_sentences_are_written_without_optional_facts(fault: FaultId, language: str) -> None:
    assert say(ruling(Fault.of(fault)), language)


@pytest.mark.parametrize(
    ("announcement", "english", "russian"),
    [
        (
            Announcement.of("draw", due=(("A", 2), ("B", 1))),
            "To draw, in this order: A 2, B 1.",
            "Добирают по порядку: A 2, B 1.",
        ),
        (Announcement.of("trump", trump=Suit.CLUBS), "The trump is now clubs.", "Теперь козыри трефы."),
        (
            Announcement.of("limit", count=None),
            "Attack cards allowed in this bout: no limit.",
            "Карт в этом заходе: без предела.",
        ),
        (
            Announcement.of("result", kind="draw", seats=()),
            "A draw: nobody has cards left.",
            "Ничья: карт ни у кого нет.",
        ),
        (Announcement.of("result", kind="team-fool", seats=("N", "S")), "N, S are the fools.", "Дураки: N, S."),
        (
            Announcement.of("lead", seat="A", reason="lowest-trump"),
            "A leads with the lowest trump.",
            "Ходит A: младший козырь.",
        ),
        (
            Announcement.of("deal", dealer=None, leads=None, dealers=("N", "S")),
            "Next to deal: N or S. Next to lead: still open.",
            "Сдаёт N или S. Ходит пока неизвестно кто.",
        ),
        (Announcement.of("score", losses={"A": 1, "B": 0}), "Losses so far: A 1, B 0.", "Проигрыши: A 1, B 0."),
        (Announcement.of("withdrawn", of="result"), "Taken back: the result.", "Отменено: итог."),
    ],
)
def test_announcements_in_two_languages(announcement: Announcement, english: str, russian: str) -> None:
    assert (say(announcement), say(announcement, "ru")) == (english, russian)


def test_cards_are_written_as_printed() -> None:
    assert [card_name(Card.parse(card), "ru") for card in ("Js", "Qh", "Kd", "Ac", "Ts", "6s")] == [
        "В♠",
        "Д♥",
        "К♦",
        "Т♣",
        "10♠",
        "6♠",
    ]


def test_fault_with_a_number_of_cards() -> None:
    fault = Fault.of(FaultId.HAND_LEDGER, seat="Anna", held=1)
    assert "only 1 card left" in say(ruling(fault))
    assert "claimed: lowest trump nothing" in say(ruling(Fault.of(FaultId.FALSE_LEAD_CLAIM, card=NINE, claimed=None)))


def test_rule_sets_with_different_options_have_different_explanations() -> None:
    explanations = {name: tuple(explain(rulebook(name))) for name in PRESETS}
    assert len({*explanations.values()}) == len({rulebook(name).as_json().__repr__() for name in PRESETS})
    assert "The attack can't be passed on." in explanations["podkidnoy-36"]
    assert "No fixed number of attack cards in a bout." in explain(rulebook("spanish"))
    assert "Early in the deal at most 5 attack cards." in explain(rulebook("hebrew-first5"))
