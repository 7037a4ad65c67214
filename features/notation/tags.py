"""Read and write the tags before a game's plays, which hold the header line's object."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from lark import Token

from features.notation.grammar import Node, SourceText, branches, leaves, reserved_words
from features.notation.words import as_json, is_bare, name, read_card, read_suit, read_text, whole

_INFO_TAG = re.compile(r"[A-Z][A-Za-z0-9]*")


def read_tags(nodes: Sequence[Node], source: SourceText) -> tuple[dict[str, Any], dict[str, Node]]:
    """
    Parse a header line's object as it was written, and the tag that each key comes from.

    Raises :class:`~webapp.errors.NotationError` where a tag occurs twice.
    """
    data: dict[str, Any] = {"kozyr": 1}
    places: dict[str, Node] = {}
    start = [node for node in nodes if node.data in _START_TAGS]
    for node in nodes:
        if node.data not in _START_TAGS:
            key, value = _TAGS[str(node.data)](node, source)
            _add(data, key, value, node, source)
            places[key] = node
    if start:
        _add(data, "start", read_start(start, source), start[0], source)
        places |= {"start": start[0], **{str(node.data): node for node in start}}
    return data, places


def read_start(nodes: Sequence[Node], source: SourceText) -> dict[str, Any]:
    data: dict[str, Any] = {}
    for node in nodes:
        try:
            key, value = str(node.data), _START_TAGS[str(node.data)](node)
        except ValueError as error:
            raise source.error(node, error) from None
        if key == "more_start":
            key, value = _more(node, source)
        _add(data, key, value, node, source)
    return data


def _add(data: dict[str, Any], key: str, value: Any, node: Node, source: SourceText) -> None:
    """Add the content of a tag; tags of one kind may list different things."""
    if key not in data:
        data[key] = value
    elif isinstance(value, dict) and isinstance(data[key], dict) and not set(value) & set(data[key]):
        data[key] |= value
    else:
        raise source.error(node, f"expected {key!r} once, got it again")


def _more(node: Node, source: SourceText) -> tuple[str, Any]:
    return read_text(leaves(branches(node)[0])[0]), source.json(branches(node)[1])


def _option(node: Node, source: SourceText) -> tuple[str, Any]:
    option, value = node.children
    assert not isinstance(option, Token)
    return "options", {read_text(leaves(option)[0]): str(value) if isinstance(value, Token) else source.json(value)}


_TAGS: Mapping[str, Callable[[Node, SourceText], tuple[str, Any]]] = {
    "rules": lambda node, _: ("rules", read_text(leaves(node)[1])),
    "seats": lambda node, _: ("seats", _names(node)),
    "dealer": lambda node, _: ("dealer", _names(node)[0]),
    "option": _option,
    "tone": lambda node, _: ("tone", _names(node)[0]),
    "witness": lambda node, _: ("witness", _names(node)[0]),
    "info": lambda node, _: ("tags", {str(leaves(node)[0]): read_text(leaves(node)[1])}),
    "more": _more,
}
"""What each tag gives the header line: key and value."""


def _names(node: Node) -> list[str]:
    return [read_text(leaf) for leaf in leaves(node)]


def _name(node: Node) -> str:
    return _names(node)[0]


def _cards(node: Node) -> list[str]:
    return [read_card(leaf) for leaf in leaves(node)]


def _count(node: Node) -> int:
    return whole(leaves(node)[0])


def _hands(node: Node) -> dict[str, int]:
    words = leaves(node)
    hands = {read_text(seat): whole(count) for seat, count in zip(words[::2], words[1::2], strict=True)}
    if len(hands) * 2 != len(words):
        raise ValueError(f"expected each seat once, got {', '.join(words[::2])}")
    return hands


def _seen(node: Node) -> dict[str, list[str]]:
    seat, *cards = leaves(node)
    return {read_text(seat): [read_card(card) for card in cards]}


_START_TAGS: Mapping[str, Callable[[Node], Any]] = {
    "hands": _hands,
    "talon": _count,
    "turnup": lambda node: None if leaves(node)[0].type == "NONE" else _cards(node)[0],
    "trump": lambda node: read_suit(leaves(node)[0]),
    "attacker": _name,
    "defender": _name,
    "known": _seen,
    "picked": _seen,
    "heap": _cards,
    "heap_count": _count,
    "out": _names,
    "bout": _count,
    "beaten_off": _count,
    "teams": lambda node: [_names(team) for team in branches(node)],
    "hand": _count,
    "fool": _names,
    "winner": _names,
    "more_start": lambda node: None,
}
"""What each tag of a start says; the key is its own."""


def write_tags(line: Mapping[str, Any]) -> Iterator[str]:
    """Yield the tags of a header line in its normal form, without its comment."""
    rest = {key: value for key, value in line.items() if key not in ("kozyr", "comment")}
    yield f"[Rules {as_json(rest.pop('rules'))}]"
    if _is_info(rest.get("tags")):
        yield from (f"[{tag} {as_json(text)}]" for tag, text in rest.pop("tags").items())
    yield f"[Seats {' '.join(map(name, rest.pop('seats')))}]"
    if rest.get("dealer") is not None:
        yield f"[Dealer {name(rest.pop('dealer'))}]"
    for option, value in rest.pop("options", {}).items():
        word = isinstance(value, str) and is_bare(value)
        yield f"[Option {name(option)} {value if word else as_json(value)}]"
    for key in ("tone", "witness"):
        if isinstance(rest.get(key), str):
            yield f"[{key.capitalize()} {name(rest.pop(key))}]"
    start = dict(rest.pop("start", {}))
    if start.get("turnup") is None:
        start.pop("turnup", None)
    elif start.get("trump") == start["turnup"][1]:
        del start["trump"]
    yield from write_start({key: value for key, value in start.items() if key != "trump" or value is not None})
    yield from (f"[%{name(key)} {as_json(value)}]" for key, value in rest.items())


def _is_info(tags: object) -> bool:
    return (
        isinstance(tags, dict)
        and bool(tags)
        and all(_INFO_TAG.fullmatch(tag) and tag not in reserved_words() for tag in tags)
        and all(isinstance(text, str) for text in tags.values())
    )


def write_start(start: Mapping[str, Any]) -> Iterator[str]:
    for key, (tag, write) in _WRITTEN.items():
        if key in start:
            yield from (f"[{tag} {text}]" for text in write(start[key]))
    yield from (f"[%Start {name(key)} {as_json(value)}]" for key, value in start.items() if key not in _WRITTEN)


def _seats(value: str | Sequence[str]) -> list[str]:
    return [" ".join(map(name, [value] if isinstance(value, str) else value))]


def _seen_by(value: Mapping[str, Sequence[str]]) -> list[str]:
    return [" ".join((name(seat), *cards)) for seat, cards in value.items()]


_WRITTEN: Mapping[str, tuple[str, Callable[[Any], list[str]]]] = {
    "hands": ("Hands", lambda hands: [" ".join(f"{name(seat)} {count}" for seat, count in hands.items())]),
    "talon": ("Talon", lambda count: [str(count)]),
    "turnup": ("Turnup", lambda card: [card or "none"]),
    "trump": ("Trump", lambda suit: [suit]),
    "attacker": ("Attacker", _seats),
    "defender": ("Defender", _seats),
    "known": ("Known", _seen_by),
    "picked": ("Picked", _seen_by),
    "heap": ("Heap", lambda cards: [" ".join(cards)]),
    "heap_count": ("HeapCount", lambda count: [str(count)]),
    "out": ("Out", _seats),
    "bout": ("Bout", lambda count: [str(count)]),
    "beaten_off": ("BeatenOff", lambda count: [str(count)]),
    "teams": ("Teams", lambda teams: [" / ".join(" ".join(map(name, team)) for team in teams)]),
    "hand": ("Deal", lambda count: [str(count)]),
    "fool": ("Fool", _seats),
    "winner": ("Winner", _seats),
}
"""Each key of a start as its tag, and what is written in it: a text for each tag of the kind."""
