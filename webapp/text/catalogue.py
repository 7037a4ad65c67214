"""
Read the gettext catalogues in ``webapp/text/catalogues``, one file for each language.

A message is named by the referee's own id (``fault.rank-not-on-table``), or by ``page.`` and its place on the page; the
English catalogue is one as the others are. Counted messages have a form for each plural of their language. What is read
here is compiled from the catalogues when the program is installed (``scripts/compile_catalogues.py``).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from gettext import GNUTranslations
from pathlib import Path
from typing import Any

LANGUAGES = ("en", "ru", "fr", "es", "he")
"""The first is the default."""

FOLDER = Path(__file__).parent / "catalogues"


@cache
def _of(language: str) -> Mapping[str, Any]:
    if language not in LANGUAGES:
        raise ValueError(f"expected a language out of {', '.join(LANGUAGES)}, got {language!r}")
    return dict(json.loads((FOLDER / "languages.json").read_text("utf-8"))[language])


@cache
def messages(language: str) -> Mapping[str, str]:
    """Return all messages without a count, by name; raise ``ValueError`` for an unknown language."""
    return dict(_of(language)["messages"])


@cache
def nested(language: str) -> Mapping[str, Any]:
    """Return the messages by the parts of their names: ``nested("en")["fault"]["game-over"]``."""
    tree: dict[str, Any] = {}
    for name, text in messages(language).items():
        *path, last = name.split(".")
        place = tree
        for part in path:
            place = place.setdefault(part, {})
        place[last] = text
    return tree


@cache
def _translations(language: str) -> GNUTranslations:
    with (FOLDER / f"{language}.mo").open("rb") as file:
        return GNUTranslations(file)


def counted(name: str, count: int, language: str) -> str:
    """
    Return a counted message in the plural form of the number.

    >>> [counted("word.card", count, "en") for count in (1, 2)]
    ['1 card', '2 cards']
    >>> [counted("word.card", count, "ru") for count in (1, 2, 5, 11, 21)]
    ['1 карта', '2 карты', '5 карт', '11 карт', '21 карта']
    """
    return str(_translations(language).ngettext(name, name, count)).format(count=count, n=count)


@cache
def plural_forms(language: str) -> Mapping[str, Mapping[str, str]]:
    """
    Return all counted messages by name, each form by its CLDR category, as ``Intl.PluralRules`` names them.

    >>> plural_forms("ru")["page.players_count"]["few"]
    '{n} игрока'
    """
    return dict(_of(language)["counted"])


@cache
def direction(language: str) -> str:
    """
    Return the reading direction, ``ltr`` or ``rtl``.

    >>> direction("fr"), direction("he")
    ('ltr', 'rtl')
    """
    return str(_of(language)["direction"])


PREFIX = "page."


@cache
def page_words(language: str) -> Mapping[str, str]:
    """Return the labels in one language; raise ``ValueError`` for an unknown language."""
    return _of_page(messages(language))


@cache
def page_counts(language: str) -> Mapping[str, Mapping[str, str]]:
    return _of_page(plural_forms(language))


def _of_page(texts: Mapping[str, Any]) -> Mapping[str, Any]:
    return {name.removeprefix(PREFIX): text for name, text in texts.items() if name.startswith(PREFIX)}


def words_of(language: str) -> Mapping[str, Any]:
    """Return the variables of every template: labels, counted labels, reading direction, names of the languages."""
    return {
        "words": page_words(language),
        "counts": page_counts(language),
        "direction": direction(language),
        "languages": LANGUAGES,
        "names": {name: page_words(name)["language"] for name in LANGUAGES},
    }


def chosen_language(*wishes: str | None) -> str:
    """
    Return the first of the wishes that is an available language.

    >>> chosen_language(None, "xx", "ru")
    'ru'
    >>> chosen_language()
    'en'
    """
    return next((wish for wish in wishes if wish in LANGUAGES), LANGUAGES[0])
