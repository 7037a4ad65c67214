"""Reading of hand-written notation, and the errors for mistakes."""

from __future__ import annotations

from typing import Any

import pytest

from features.notation.parser import parse_notation, read_games
from features.notation.writer import write_games
from webapp.errors import NotationError

TAGS = '[Rules "podkidnoy-36"]\n[Seats Anna Boris]\n[Dealer Boris]\n'
START = "[Hands Anna 6 Boris 6] [Talon 24] [Turnup 9h] [Attacker Anna]\n"


def lines_of(plays: str) -> list[dict[str, Any]]:
    """Return the events of a game with these plays."""
    return [dict(line) for line in read_games(TAGS + plays)[0].event_lines]


def printed(plays: str) -> str:
    """Return the plays in canonical form."""
    return write_games(read_games(TAGS + plays)).split("\n\n", 1)[1].rstrip("\n")


def test_plays_without_times_take_a_tenth_of_a_second() -> None:
    assert [line["at"] for line in lines_of("Anna: 7s Boris: 7s/9s >heap Anna: +1@5 Boris: +1")] == [
        0.1,
        0.2,
        0.3,
        5.0,
        5.1,
    ]


def test_cards_laid_together_have_one_time() -> None:
    assert [line["at"] for line in lines_of("Anna: 7s & 7d & 7c Boris: & take")] == [0.1] * 4


@pytest.mark.parametrize(
    ("written", "card"), [("10h", "Th"), ("tH", "Th"), ("qC", "Qc"), ("9♥", "9h"), ("A♠\ufe0f", "As"), ("10♦", "Td")]
)
def test_variants_of_card_names_are_read(written: str, card: str) -> None:
    assert lines_of(f"Anna: {written}") == [{"at": 0.1, "event": "placed", "card": card, "by": "Anna"}]
    assert printed(f"Anna: {written}") == f"1. Anna: {card}"


@pytest.mark.parametrize(
    ("play", "event"),
    [
        ("Anna: 7s", {"event": "placed", "card": "7s", "by": "Anna"}),
        ("Boris: 7s/9s", {"event": "placed", "card": "9s", "by": "Boris", "on": "7s"}),
        ("?: 7s", {"event": "placed", "card": "7s"}),
        ("?: ??", {"event": "blocked", "reason": "unread"}),
        ("Boris: 7s/??", {"event": "blocked", "reason": "unread", "by": "Boris", "on": "7s"}),
        ("Anna: -7s", {"event": "lifted", "card": "7s", "by": "Anna"}),
        ("Anna: +2", {"event": "drawn", "by": "Anna", "count": 2}),
        ("Anna: +Ad", {"event": "drawn", "by": "Anna", "count": 1, "card": "Ad"}),
        ("Anna: +3(Ad)", {"event": "drawn", "by": "Anna", "count": 3, "card": "Ad"}),
        ("dealt 9h", {"event": "dealt", "turnup": "9h"}),
        ("dealt ??", {"event": "dealt", "turnup": None}),
        (">heap", {"event": "swept", "to": "heap"}),
        (">Anna (left 7s Th)", {"event": "swept", "to": "Anna", "left": ["7s", "Th"]}),
        ("Anna: swap 6h", {"event": "swapped", "card": "6h", "by": "Anna"}),
        ("Anna: show 6h", {"event": "shown", "card": "6h", "by": "Anna"}),
        ("?: undo", {"event": "pressed", "button": "undo"}),
        ("?: undo %of=3", {"event": "pressed", "button": "undo", "of": 3}),
        ("Anna: allow Boris", {"event": "pressed", "button": "allow", "by": "Anna", "for": "Boris"}),
        ("Anna: claim none", {"event": "pressed", "button": "claim", "by": "Anna", "card": None}),
        ("Anna: claim ?? high K", {"event": "pressed", "button": "claim", "by": "Anna", "highest": "K"}),
        ("Anna: claim 6h", {"event": "pressed", "button": "claim", "by": "Anna", "card": "6h"}),
        ("Anna: touched pack", {"event": "pressed", "button": "touched", "by": "Anna"}),
        ("Anna: touched heap", {"event": "pressed", "button": "touched", "by": "Anna", "what": "heap"}),
        ("?: assign 7s Anna", {"event": "pressed", "button": "assign", "card": "7s", "to": "Anna"}),
        ('Anna: take %card="7s"', {"event": "pressed", "button": "take", "by": "Anna", "card": "7s"}),
        ("read 9h as 6h", {"event": "reread", "was": "9h", "card": "6h"}),
        ('blocked "an arm"', {"event": "blocked", "reason": "an arm"}),
        ("tick", {"event": "tick"}),
        ("Anna: 7s~0.8|7c~0.1", {"confidence": 0.8, "alternatives": [["7c", 0.1]]}),
        ("Anna: 7s|nothing~0.2|Boris:~0.1", {"otherwise": [[None, 0.2], [{"by": "Boris"}, 0.1]]}),
        (">heap|to Anna~0.2", {"otherwise": [[{"to": "Anna"}, 0.2]]}),
        (">Anna|to heap~0.2", {"otherwise": [[{"to": "heap"}, 0.2]]}),
        ("Anna: +1|+2~0.2", {"otherwise": [[{"count": 2}, 0.2]]}),
        ('Anna: 7s|{"on": "6s"}~0.2', {"otherwise": [[{"on": "6s"}, 0.2]]}),
        ("Anna: 7s !rank-not-on-table", {"fault": "rank-not-on-table"}),
        ("Anna: 7s ?who", {"question": "who"}),
        ("Anna: 7s??", {"judgement": "??"}),
        (
            'Anna: 7s?@2 !rank-not-on-table %best="take"',
            {"judgement": "?", "fault": "rank-not-on-table", "best": "take"},
        ),
        ("Anna: take!", {"judgement": "!"}),
        ('Anna: 7s %frame=12 %"odd key"=[1, {"a": null}]', {"frame": 12, "odd key": [1, {"a": None}]}),
        ("Anna: 7s {well done}", {"comment": "well done"}),
    ],
)
def test_each_form_of_an_event_round_trips(play: str, event: dict[str, Any]) -> None:
    (line,) = lines_of(play)
    assert {key: line[key] for key in event} == event
    assert printed(play).removeprefix("1. ") == play


def test_other_kinds_of_events_are_written_by_name() -> None:
    assert lines_of('event placed %card="7s" %by="Anna"') == lines_of("Anna: 7s")


def test_comments_belong_to_the_preceding_play_or_to_the_game() -> None:
    text = "; one\n" + TAGS + "{two}  1. {three} Anna: {four\n  five} 7s {six} ; seven\nBoris: ; eight }\n 7s/9s {}"
    (game,) = read_games(text)
    assert game.header_line["comment"] == "one two three four five"
    assert [line.get("comment") for line in game.event_lines] == ["six seven eight }", None]
    assert write_games([game]).endswith("1. Anna: 7s ; six seven eight }\n   Boris: 7s/9s\n")


def test_header_with_position_and_all_other_tags_is_read() -> None:
    text = (
        '[Rules "perevodnoy"]\n[Date "2026-11-20"]\n[Seats A B C D]\n[Dealer D]\n[Option attack_limit 5]\n'
        "[Option throw_order handoff]\n[Tone hint]\n[Witness camera]\n[Hands A 6 B 5 C 0 D 6]\n[Talon 3]\n[Trump h]\n"
        "[Attacker A]\n[Defender B]\n[Known A 6h]\n[Known B Qs Ks]\n[Picked B Qs]\n[Heap 6s 7s]\n[HeapCount 9]\n"
        "[Out C]\n[Bout 8]\n[BeatenOff 6]\n[Teams A C / B D]\n[Deal 2]\n[Fool A C]\n[Winner B]\n"
        '[%Start guess [1, 2]]\n[%room "kitchen"]\n{A comment.}\n\n8. A: 7s\n9. B: 8s\n'
    ).replace("8. A: 7s\n9. B: 8s", "8. A: 7s  >heap\n9. B: 8s")
    (game,) = read_games(text)
    assert write_games([game]) == text
    assert game.header.start is not None
    assert game.header.start.teams == (("A", "C"), ("B", "D"))
    assert (game.header.tone, game.header.witness, game.header.options["throw_order"]) == ("hint", "camera", "handoff")
    assert game.header_line["tags"] == {"Date": "2026-11-20"}
    assert game.header_line["room"] == "kitchen"


def test_byte_order_mark_and_commas_are_ignored() -> None:
    assert len(parse_notation('\ufeff[Rules "podkidnoy-36"] [Seats Anna, Boris, Vera] [Dealer Anna]')[0][0].seats) == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", '1:1: expected a game ([Rules "podkidnoy-36"] ...), got the end of the text'),
        ("hello", "1:1: expected a game ([Rules \"podkidnoy-36\"] ...), got 'hello'"),
        ('[Rules "x"]', "1:1: expected a tag such as [Seats Anna Boris] in this game, got none"),
        (TAGS + "[Talon 3]", "4:1: expected a tag such as [Hands Anna 6 Boris 6] in this game, got none"),
        ('[Rules "x"][Seats A B]\n[Dealer C]', "2:1: expected \"dealer\" to be one of the seats A, B, got 'C'"),
        (TAGS + START + "[Talon 3]", "5:1: expected 'talon' once, got it again"),
        (TAGS + "[Hands Anna 6 Anna 5]", "4:1: expected each seat once, got Anna, Anna"),
        (TAGS + START + "[Trump d]", "5:1: expected \"trump\" to be the suit of the turn-up 9h, got 'd'"),
        (TAGS + '[Date "a"] [Date "b"]', "4:12: expected 'tags' once, got it again"),
        (TAGS + "[Foo Bar]", "4:6: expected a text in quotation marks such as \"podkidnoy-36\", got 'Bar]'"),
        (TAGS + "[Talon 9999999999]", "4:1: expected a whole number of at most nine digits, got '9999999999'"),
        (TAGS + "Anna 7s", "4:1: expected a seat (Anna:) or the end of a bout (>heap), got 'Anna'"),
        (TAGS + "Anna: 7x", "4:7: expected a play (7s, 7s/9s, +2, take, ...), got '7x'"),
        (TAGS + "Anna: 7s/", "4:10: expected a card such as 9h, got the end of the text"),
        (TAGS + "\nAnna: show Boris", "5:12: expected a card such as 9h, got 'Boris'"),
        (TAGS + "Bors: 7s", "4:1: expected one of the seats Anna, Boris, got 'Bors'"),
        (TAGS + "Anna: 7s >hep", "4:10: expected one of the seats Anna, Boris, got 'hep'"),
        (TAGS + "Anna: 7s@x", "4:10: expected a number such as 12.93, got 'x'"),
        (TAGS + "Anna: 7s@3 8s@2", '4:12: expected "at" of at least 3 (time never runs backwards), got 2.0'),
        (TAGS + "Anna: 7s@3@4", "4:11: expected 'at' once, got it again"),
        (TAGS + "Anna: 7s {oops", "4:10: expected } where the comment ends, got the end of the text"),
        (TAGS + "Anna: 7s %comment=5 {x}", "4:21: expected no comment beside '5', got 'x'"),
        (TAGS + "Anna: 7s #a 8s #a", "4:16: expected each play to have its own mark, got 'a' again"),
        (TAGS + "Anna: correct #a nothing", "4:7: expected the mark of an earlier play of this game, got '#a'"),
        (TAGS + "Anna: 7s~3", '4:7: expected "confidence" from 0 to 1, got 3.0'),
        (TAGS + "Anna: +1|+9999999999~0.1", "4:11: expected a whole number of at most nine digits, got '9999999999'"),
        (TAGS + "Anna: 7s %a=012", "4:13: expected a value in JSON, got '012'"),
        (TAGS + "Anna: 7s %a=1e999", "4:13: expected finite numbers, got 1e999"),
        (TAGS + "Anna: 7s %a=" + "[" * 9**5 + "]" * 9**5, "4:13: expected brackets that end, got too many of them"),
        (TAGS + "Anna: correct #1 (" + "?: correct #1 (" * 9**4 + "?: 7s" + ")" * 9**4 + ")", "1:1: expected brackets"),
        (TAGS + "?: claim 6h", "4:4: expected \"by\" with the button 'claim', got None"),
        (TAGS + "7s", "4:1: expected a seat (Anna:) or the end of a bout (>heap), got '7s'"),
        (TAGS + "Anna: 7s >heap +1", "4:16: expected a seat (Anna:) or the end of a bout (>heap)"),
    ],
)
def test_error_has_the_place_of_the_mistake(text: str, message: str) -> None:
    with pytest.raises(NotationError) as error:
        read_games(text, "game.durak")
    assert str(error.value).startswith(f"game.durak:{message}")
