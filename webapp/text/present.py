"""
Express the referee's ids and facts as sentences for people.

The catalogues (``webapp.text.catalogue``) hold the sentences, named by the referee's own ids. Whatever a sentence names
is put into words here: cards with their suit's sign, seats, ranks, counts. A page shows the ids as labels and these
sentences as the reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from referee.cards import RANKS, Card, Suit
from referee.messages import Withdrawal
from referee.rulebook import FREE, OPTIONS, Rulebook
from referee.rulings import Announcement, Ruling
from webapp.text.catalogue import counted, direction, nested
from webapp.text.page_labels import page_words

PHRASES = frozenset({"again", "asked", "found", "of"})
"""Facts that are in words already: they need no direction of their own."""
_SIGNS = {Suit.SPADES: "♠", Suit.HEARTS: "♥", Suit.DIAMONDS: "♦", Suit.CLUBS: "♣"}


def say(what: Ruling | Announcement | Withdrawal | str, language: str = "en", **facts: object) -> str:
    """
    Return the sentence for a ruling, announcement or withdrawal, or for a phrase's key with its facts.

    >>> say(Announcement.of("turn", attacker="Anna", defender="Boris"))
    'Anna attacks, Boris defends.'
    >>> say("result.fool", seats=("Vera",))
    'Vera is the fool.'
    """
    if isinstance(what, Ruling):
        return _ruling(what, language)
    if isinstance(what, Announcement):
        return _announcement(what, language)
    if isinstance(what, Withdrawal):
        return str(nested(language)["word"]["ruling_withdrawn" if what.fault is None else "fault_withdrawn"])
    phrase: Any = nested(language)
    for part in what.split("."):
        phrase = phrase[part]
    return _fill(phrase, facts, language)


def card_name(card: Card, language: str = "en") -> str:
    """
    Return a card as people write it.

    >>> card_name(Card.parse("Th")), card_name(Card.parse("Js"), "ru")
    ('10♥', 'В♠')
    """
    return _rank(card.rank, language) + _SIGNS[card.suit]


def explain(rules: Rulebook, language: str = "en") -> list[str]:
    """
    Return a rule set in words, one sentence for each option, derived from the options.

    >>> explain(Rulebook())[:2]
    ['36 cards are in play.', 'Everybody gets 6 cards.']
    """
    if rules.name == FREE:
        return [nested(language)["rules"]["free"].format(value=rules.pack)]
    sentences = [say_option(name, getattr(rules, name), language) for name in OPTIONS if not _is_idle(name, rules)]
    return [sentence for sentence in sentences if sentence]


def say_option(name: str, value: object, language: str = "en") -> str:
    """
    Return the meaning of an option with this value as a sentence; empty if there is nothing to say.

    >>> say_option("transfer", True)
    'The attack may be passed on with a card of the same rank.'
    """
    table = nested(language)["option"]
    phrase = table[f"{name}_none"] if value is None else table[name]
    if isinstance(phrase, Mapping):
        phrase = phrase[str(value).lower()]
    return str(phrase).format(value=value)


def _is_idle(option: str, rules: Rulebook) -> bool:
    """Check whether the option has no effect under these rules."""
    return (
        (option.startswith("transfer_") and not rules.transfer)
        or (option == "give_order" and rules.give_on == "off")
        or (option in ("no_trump", "one_without_trump") and rules.first_lead == "left_of_dealer")
        or (option == "throw_order" and rules.throwers == "principal" and rules.throw_order != "handoff")
        or (option == "give_order" and rules.throwers == "principal")
        or (option == "low_limit_gives" and rules.low_limit is None)
        or (option == "ace_trump" and rules.turn_up == "dealers_last_card")
        or (option == "defender_out_next" and _one_out_ends_the_deal(rules))
        or (option == "team_end" and rules.teams == "none")
        or (option == "all_out" and rules.result == "first_out_wins")
        or (option == "trump_swap" and rules.trump_swap != "off" and rules.turn_up == "dealers_last_card")
        or (option == "excess" and rules.attack_limit is None and rules.low_limit is None and not rules.limit_by_hand)
    )


def _one_out_ends_the_deal(rules: Rulebook) -> bool:
    return rules.result == "first_out_wins" and (rules.teams == "none" or rules.team_end == "first_player_out")


def _ruling(ruling: Ruling, language: str) -> str:
    table = nested(language)
    facts = {"by": ruling.by, "cards": ruling.cards, "seat": ruling.by, **ruling.facts}
    if ruling.fault is None:
        return _fill(table["legal"][ruling.play], facts, language)
    question = ruling.question
    again = table["question"]["again"] if question is None else ""  # a question says what to look at
    asked = table["question"]["agreed"].get(str(ruling.fault), "") if ruling.asks_leave else ""
    named = f"{ruling.fault}_{ruling.facts.get('reason')}"
    phrase = table["because"].get(named, table["fault"][str(ruling.fault)])
    sentence = _fill(phrase, {**facts, "again": again, "asked": asked}, language)
    if question is None or ruling.asks_leave:
        return sentence
    ask, cards, seats = question["ask"], question.get("cards", ()), question.get("seats", ())
    about: dict[str, object] = {"card": question.get("card"), "cards": question.get("card")}
    if len(seats) > 1:
        about["seats"] = _join(seats, language, "or")
    if len(cards) > 1:
        ask, about["cards"] = "which", _join(cards, language, "or")
    return f"{sentence} {_fill(table['question'][ask], about, language)}"


def _announcement(announcement: Announcement, language: str) -> str:
    table = nested(language)
    facts = announcement.facts
    if announcement.kind == "lead":
        return _fill(table["lead"][facts["reason"]], facts, language)
    if announcement.kind == "result":
        return _fill(table["result"][facts["kind"]], facts, language)
    if announcement.kind == "doubt":
        return _fill(table["doubt"][facts["reason"]], facts, language)
    if announcement.kind == "withdrawn":
        return _fill(table["announce"]["withdrawn"], {"of": table["withdrawn"][facts["of"]]}, language)
    if announcement.kind == "challenge":
        count = facts["count"]
        found = counted("challenge.found", count, language) if count else table["challenge"]["nothing"]
        return _fill(table["announce"]["challenge"], {"found": found}, language)
    if announcement.kind == "trump":
        facts = {**facts, "suit": table["word"][str(facts["trump"])]}
    if announcement.kind == "deal" and facts["dealer"] is None:
        facts = {**facts, "dealer": _join(facts.get("dealers", ()), language, "or")}
    return _fill(table["announce"][announcement.kind], facts, language)


class _Facts(dict[str, str]):
    """Formats facts as words; an unknown player is "somebody"."""

    def __init__(self, facts: Mapping[str, object], language: str) -> None:
        super().__init__({name: _words(name, value, language) for name, value in facts.items()})
        self.language = language

    def __missing__(self, key: str) -> str:
        return str(nested(self.language)["word"]["somebody"])


def _fill(phrase: str, facts: Mapping[str, object], language: str) -> str:
    table = nested(language)
    sentence = phrase.format_map(_Facts(facts, language))
    # Names come as they are; "somebody" is a word, and begins a sentence like one.
    unknown = str(table["word"]["somebody"])
    return sentence[0].upper() + sentence[1:] if sentence.startswith(unknown) else sentence


def _words(name: str, value: object, language: str) -> str:
    table = nested(language)
    word = table["word"]
    if value is None:
        return str(
            {"claimed": word["nothing"], "count": word["no_limit"], "leads": word["open"]}.get(name, word["somebody"])
        )
    if isinstance(value, Card):
        return isolated(card_name(value, language), language)
    if isinstance(value, Suit):
        return str(word[value.value])
    if name == "ranks" and isinstance(value, Iterable):
        return ", ".join(_rank(rank, language) for rank in sorted(value, key=RANKS.index))
    if name == "opening":
        return str(table["opening"][value])
    if name in ("held", "would_lie", "short") and isinstance(value, int):
        return counted("word.card", value, language)
    if isinstance(value, Mapping):
        return ", ".join(f"{isolated(key, language)} {count}" for key, count in value.items())
    if isinstance(value, tuple | list | frozenset):
        return _join(value, language)
    return isolated(value, language) if isinstance(value, str) and name not in PHRASES else str(value)


def isolated(text: str, language: str) -> str:
    """
    Isolate a name or a card in a right-to-left sentence, so that its characters stay together.

    >>> isolated("J♠", "en"), isolated("J♠", "he") == "\\u2068J♠\\u2069"
    ('J♠', True)
    """
    return f"\u2068{text}\u2069" if direction(language) == "rtl" else text


def _join(values: Iterable[object], language: str, last: str = "and") -> str:
    table = nested(language)
    words = [
        f"{isolated(str(each[0]), language)} {each[1]}"
        if isinstance(each, tuple) and len(each) == 2
        else _words("", each, language)
        for each in values
    ]
    if len(words) < 2 or last == "and":
        return ", ".join(words) or str(table["word"]["nobody"])
    return f"{', '.join(words[:-1])} {table['word'][last]} {words[-1]}"


def _rank(rank: str, language: str) -> str:
    table = nested(language)
    return "10" if rank == "T" else str(table["word"].get(rank, rank))


def why_sentence(reason: Mapping[str, str], language: str) -> str:
    """
    Return the sentence of a reason as an analysis line holds it.

    >>> why_sentence({"id": "could_add", "card": "8c"}, "en")
    '8c could have been thrown in.'
    """
    return page_words(language)[f"analysis_why_{reason['id']}"].format(**reason)


def say_contradiction(kind: str, stated: str, seen: str, language: str) -> str:
    """
    Return the sentence. ``kind``, ``stated``, ``seen``: as in ``webapp.live.position_proposal.Contradiction``.

    >>> say_contradiction("trump", "s", "Ad", "en")
    'You say that spades are trumps, I see the ace of diamonds under the deck.'
    """
    words = page_words(language)
    return words[f"against_{kind}"].format(stated=_named(stated, language), seen=_named(seen, language))


def _named(value: str, language: str) -> str:
    """Return the name of a suit or a card in words; a count as it is."""
    if value.isdigit():
        return value
    words = page_words(language)
    if len(value) == 1:
        return words[f"suit_{value}"]
    return words["card_name"].format(rank=words[f"rank_{value[0]}"], suit=words[f"suit_{value[1]}"])
