"""
Express the referee's ids and facts as sentences for people.

The catalogues (``webapp.text.catalogue``) hold the sentences, named by the referee's own ids. Whatever a sentence names
is put into words here: cards with their suit's sign, seats, ranks, counts. A page shows the ids as labels and these
sentences as the reason.

A message chooses the form of a card's name, such as its case or article: ``{card:the}``. ``page.card_forms`` names the
forms of a language, the first without a name; names of ranks list theirs in that order, or have one for all.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from referee.cards import BACK, RANKS, Card, Suit
from referee.rulebook import FREE, OPTIONS, Rulebook
from referee.rulings import Announcement, Ruling, Withdrawal
from webapp.text.catalogue import counted, direction, messages, nested, page_words

PHRASES = frozenset({"again", "asked", "clock", "found", "of", "why"})
"""Facts that are in words already: they need no direction of their own."""
_SIGNS = {Suit.SPADES: "♠", Suit.HEARTS: "♥", Suit.DIAMONDS: "♦", Suit.CLUBS: "♣"}


@dataclass(frozen=True, slots=True)
class Wording:
    """How sentences are worded. ``is_spelled``: with cards as a voice reads them ("ten of hearts"), not "10♥"."""

    language: str = "en"
    is_spelled: bool = False


def say(
    what: Ruling | Announcement | Withdrawal | str, language: str = "en", is_spelled: bool = False, **facts: object
) -> str:
    """
    Return the sentence for a ruling, announcement or withdrawal, or for a phrase's key with its facts.

    >>> say(Announcement.of("turn", attacker="Anna", defender="Boris"))
    'Anna attacks, Boris defends.'
    >>> say("put_right.card", "fr", was=Card.parse("As"), card=Card.parse("Ts"), is_spelled=True)
    "L'as de pique était en fait le dix de pique."
    """
    wording = Wording(language, is_spelled)
    if isinstance(what, Ruling):
        return _ruling(what, wording)
    if isinstance(what, Announcement):
        return _announcement(what, wording)
    if isinstance(what, Withdrawal):
        return messages(language)["word.ruling_withdrawn" if what.fault is None else "word.fault_withdrawn"]
    return _fill(messages(language)[what], facts, wording)


def card_name(card: Card, language: str = "en", form: str = "", is_spelled: bool = False) -> str:
    """
    Return a card as people write it or as a voice reads it, in a form of the language.

    >>> card_name(Card.parse("Th")), card_name(Card.parse("Js"), "ru"), card_name(Card.parse("Qh"), "fr", "of")
    ('10♥', 'В♠', 'de la D♥')
    """
    rank, words = _rank(card.rank, Wording(language, is_spelled), form), page_words(language)
    spelled = words["card_name"].format(rank=rank, suit=words[f"suit_{card.suit}"])
    return spelled if is_spelled else rank + _SIGNS[card.suit]


def explain(rules: Rulebook, language: str = "en") -> list[str]:
    """
    Return a rule set in words, one sentence for each option, derived from the options.

    >>> explain(Rulebook())[:2]
    ['36 cards are in play.', 'Everybody gets 6 cards.']
    """
    if rules.name == FREE:
        return [nested(language)["rules"]["free"].format(value=rules.pack)]
    options = (option.name for option in OPTIONS.values() if not option.is_idle(rules))
    sentences = [say_option(name, getattr(rules, name), language) for name in options]
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


def _ruling(ruling: Ruling, wording: Wording) -> str:
    table = nested(wording.language)
    facts = {"by": ruling.by, "cards": ruling.cards, "seat": ruling.by, **ruling.facts}
    if ruling.fault is None:
        return _fill(table["legal"][ruling.play], facts, wording)
    question = ruling.question
    again = table["question"]["again"] if question is None else ""  # a question says what to look at
    asked = table["question"]["agreed"].get(str(ruling.fault), "") if ruling.asks_leave else ""
    named = f"{ruling.fault}_{ruling.facts.get('reason')}"
    phrase = table["because"].get(named, table["fault"][str(ruling.fault)])
    sentence = _fill(phrase, {**facts, "again": again, "asked": asked}, wording)
    if question is None or ruling.asks_leave:
        return sentence
    return f"{sentence} {_fill(table['question'][question['ask']], {'cards': question.get('card')}, wording)}"


def _announcement(announcement: Announcement, wording: Wording) -> str:
    table = nested(wording.language)
    facts = announcement.facts
    if announcement.kind in ("lead", "doubt", "result"):
        return _fill(table[announcement.kind][facts["kind" if "kind" in facts else "reason"]], facts, wording)
    if announcement.kind == "withdrawn":
        return _fill(table["announce"]["withdrawn"], {"of": table["withdrawn"][facts["of"]]}, wording)
    if announcement.kind == "challenge":
        count = facts["count"]
        found = counted("challenge.found", count, wording.language) if count else table["challenge"]["nothing"]
        return _fill(table["announce"]["challenge"], {"found": found}, wording)
    if announcement.kind == "trump":
        facts = {**facts, "suit": Suit(str(facts["trump"]))}
    if announcement.kind == "deal" and facts["dealer"] is None:
        facts = {**facts, "dealer": _Either(facts.get("dealers", ()))}
    return _fill(table["announce"][announcement.kind], facts, wording)


class _Either(tuple[object, ...]):
    """Alternatives: one of them holds."""


@dataclass(frozen=True, slots=True)
class _Fact:
    """A fact that a message fills in, in the form that the message chooses; an unknown player is "somebody"."""

    name: str
    value: object
    wording: Wording

    def __format__(self, form: str) -> str:
        return _words(self.name, self.value, self.wording, form)


def _fill(phrase: str, facts: Mapping[str, object], wording: Wording) -> str:
    """Return the sentence. It begins with a capital letter, unless with a name: names come as they are."""
    known = {name: _Fact(name, value, wording) for name, value in facts.items()}
    sentence = phrase.format_map(defaultdict(lambda: _Fact("", None, wording), known))
    names = tuple(part for value in facts.values() for part in (value if isinstance(value, tuple) else (value,)))
    is_name = sentence.startswith(tuple(name for name in names if isinstance(name, str) and name))
    return sentence if is_name else sentence[:1].upper() + sentence[1:]


def _words(name: str, value: object, wording: Wording, form: str) -> str:
    word, language = nested(wording.language)["word"], wording.language
    if value is None:
        return str(word[{"claimed": "nothing", "count": "no_limit", "leads": "open"}.get(name, "somebody")])
    if value == BACK:
        return str(word["unread"])
    if isinstance(value, Card):
        return isolated(card_name(value, language, form, wording.is_spelled), language)
    if isinstance(value, Suit):
        return str(word[value.value])
    if name == "ranks" and isinstance(value, Iterable):
        return ", ".join(_rank(rank, wording, form) for rank in sorted(value, key=RANKS.index))
    if name == "opening":
        return str(nested(wording.language)["opening"][value])
    if name in ("held", "would_lie", "short") and isinstance(value, int):
        return counted("word.card", value, language)
    if isinstance(value, Mapping):
        return ", ".join(f"{isolated(key, language)} {count}" for key, count in value.items())
    if isinstance(value, tuple | list | frozenset):
        return _join(value, wording, form)
    return isolated(value, language) if isinstance(value, str) and name not in PHRASES else str(value)


def isolated(text: str, language: str) -> str:
    """
    Isolate a name or a card in a right-to-left sentence, so that its characters stay together.

    >>> isolated("J♠", "en"), isolated("J♠", "he") == "\\u2068J♠\\u2069"
    ('J♠', True)
    """
    return f"\u2068{text}\u2069" if direction(language) == "rtl" else text


def _join(values: Iterable[object], wording: Wording, form: str) -> str:
    words = [
        f"{isolated(str(value[0]), wording.language)} {value[1]}"
        if isinstance(value, tuple) and len(value) == 2
        else _words("", value, wording, form)
        for value in values
    ]
    if len(words) < 2 or not isinstance(values, _Either):
        return ", ".join(words) or str(nested(wording.language)["word"]["nobody"])
    return f"{', '.join(words[:-1])} {nested(wording.language)['word']['or']} {words[-1]}"


def _rank(rank: str, wording: Wording, form: str = "") -> str:
    """Return the rank as it is written on cards, in words where those are spelled."""
    key = f"rank_{rank}" if wording.is_spelled else f"index_{rank if rank in 'JQKA' else 'n'}"
    words = page_words(wording.language)
    forms = words[key].format(n=10 if rank == "T" else rank).split("|")
    return forms[words["card_forms"].split("|").index(form)] if len(forms) > 1 else forms[0]


def why_sentence(reason: Mapping[str, str], language: str) -> str:
    """
    Return the sentence of a reason as an analysis line holds it.

    >>> why_sentence({"id": "could_add", "card": "8c"}, "en")
    '8♣ could have been thrown in.'
    """
    facts = {name: tuple(map(Card.parse, value.split())) for name, value in reason.items() if name not in ("id", "who")}
    return _fill(page_words(language)[f"analysis_why_{reason['id']}"], {**reason, **facts}, Wording(language))


def say_contradiction(kind: str, stated: str, seen: str, language: str) -> str:
    """
    Return the sentence. ``kind``, ``stated``, ``seen``: as in ``webapp.live.position_proposal.Contradiction``.

    >>> say_contradiction("trump", "s", "Ad", "en")
    'You say that spades are trumps, I see the ace of diamonds under the draw pile.'
    """
    facts = {"stated": _parsed(stated), "seen": _parsed(seen)}
    return _fill(page_words(language)[f"against_{kind}"], facts, Wording(language, is_spelled=True))


def _parsed(value: str) -> object:
    """Return the suit or the card; a count as it is."""
    return value if value.isdigit() else Suit(value) if len(value) == 1 else Card.parse(value)


def clock(at_s: float) -> str:
    """Return a time as minutes and seconds."""
    return f"{int(at_s) // 60}:{int(at_s) % 60:02}"
