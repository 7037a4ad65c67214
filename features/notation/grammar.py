"""Make a parser of the grammar (``grammar.lark``), and word the error where a text does not follow it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from features.notation.notated_game import shortened, strict_json
from webapp.errors import NotationError

Node = Tree[Token]

_PHRASES = (
    ("RULES", 'a game ([Rules "podkidnoy-36"] ...)'),
    ("TAG", "a tag (Seats, Dealer, Hands, ...)"),
    ("TALON", "a tag (Hands, Talon, Attacker, ...)"),
    ("TAKE", "a play (7s, 7s/9s, +2, take, ...)"),
    ("CARD", "a card such as 9h"),
    ("SEAT", "a seat (Anna:)"),
    ("MORETHAN", "the end of a bout (>heap)"),
    ("NAME", 'a name such as Anna or "Mary Ann"'),
    ("STRING", 'a text in quotation marks such as "podkidnoy-36"'),
    ("INT", "a whole number"),
    ("NUMBER", "a number such as 12.93"),
    ("LABEL", "the mark of a play such as #7"),
    ("RANK", "a rank such as K"),
    ("SUIT", "a suit: s, h, d or c"),
    ("NONE", "none"),
    ("NOTHING", "nothing"),
    ("HEAP", "heap"),
    ("PACK", "pack"),
    ("START", "Start"),
    ("HIGH", "high"),
    ("LEFT", "left"),
    ("AS", "as"),
    ("LSQB", "["),
    ("RSQB", "]"),
    ("RPAR", ")"),
    ("LPAR", "("),
    ("EQUAL", "="),
    ("TILDE", "~"),
    ("SLASH", "/"),
    ("COLON", ":"),
    ("COMMA", "a comma"),
    ("LBRACE", "{"),
    ("RBRACE", "}"),
)
"""Names of what may come in error messages, the most informative first."""

_MOST_PHRASES = 3
_HIDES = {
    "TAKE": {"CARD"},
    "SEAT": {"RULES", "LSQB"},
    "MORETHAN": {"RULES"},
    "RULES": {"LSQB"},
    "NAME": {"STRING"},
    "TAG": {"TALON"},
}
"""Where the first may come, the others are left out: it includes them, or is more likely meant."""


@cache
def grammar_text() -> str:
    return files(__package__).joinpath("grammar.lark").read_text(encoding="utf-8")


@cache
def _parser() -> Lark:
    return Lark(grammar_text(), parser="lalr", propagate_positions=True, maybe_placeholders=False)


@cache
def reserved_words() -> frozenset[str]:
    """Return the reserved words of the notation: a seat of such a name is written in quotation marks."""
    fixed = {terminal.pattern.value for terminal in _parser().terminals if terminal.pattern.type == "str"}
    return frozenset({word for word in fixed if word.isalpha()} | {"true", "false", "null", "Rules"})


def parse(text: str, name: str) -> Node:
    try:
        return _parser().parse(text)
    except UnexpectedInput as error:
        raise _explained(error, text, name) from None


def _explained(error: UnexpectedInput, text: str, name: str) -> NotationError:
    is_end = isinstance(error, UnexpectedToken) and error.token.type == "$END"
    place = len(text.rstrip()) if is_end else error.pos_in_stream or 0
    if text.startswith("{", place) and "}" not in text[place:]:
        return error_at(text, name, place, "expected } where the comment ends, got the end of the text")
    while 0 < place < len(text) and text[place - 1].isalnum() and text[place].isalnum():
        place -= 1
    word = re.match(r"\S+", text[place:])
    got = shortened(word.group()) if word else "the end of the text"
    # The most informative of the tokens that were expected.
    assert isinstance(error, UnexpectedToken | UnexpectedCharacters)
    possible = set(error.accepts or error.expected) if isinstance(error, UnexpectedToken) else set(error.allowed)
    possible -= {hidden for terminal in possible for hidden in _HIDES.get(terminal, ())}
    expected = " or ".join([phrase for terminal, phrase in _PHRASES if terminal in possible][:_MOST_PHRASES])
    return error_at(text, name, place, f"expected {expected}, got {got}")


def error_at(text: str, name: str, place: int, sentence: str) -> NotationError:
    """Return the error at a place of the text (characters from its beginning)."""
    line = text.count("\n", 0, place) + 1
    column = place - text.rfind("\n", 0, place)
    return NotationError(f"{name}:{line}:{column}: {sentence}")


def leaves(node: Node) -> list[Token]:
    """Return the tokens directly under a node; a seat or a text is one."""
    return [child if isinstance(child, Token) else _only(child) for child in node.children]


def branches(node: Node) -> list[Node]:
    """Return the nodes directly under a node that are no single token."""
    return [child for child in node.children if isinstance(child, Tree)]


def _only(node: Node) -> Token:
    (token,) = node.children
    assert isinstance(token, Token)
    return token


@dataclass(frozen=True, slots=True)
class SourceText:
    """A text and its name, for errors that name the place."""

    text: str
    name: str

    def error(self, at: Node | Token, sentence: object) -> NotationError:
        place = at.start_pos if isinstance(at, Token) else at.meta.start_pos
        return error_at(self.text, self.name, place or 0, str(sentence))

    def json(self, node: Node) -> Any:
        try:
            return strict_json(self.text[node.meta.start_pos : node.meta.end_pos])
        except ValueError as error:
            raise self.error(node, error) from None
