"""Return the labels of the pages in a language; rulings and announcements are in ``present``."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from webapp.text.catalogue import LANGUAGES, direction, messages, plural_forms

PREFIX = "page."


@cache
def page_words(language: str) -> Mapping[str, str]:
    """Return the labels in one language; raise ``ValueError`` for an unknown language."""
    return _of_page(messages(language))


@cache
def page_counts(language: str) -> Mapping[str, Mapping[str, str]]:
    """Return the counted labels: name -> CLDR category -> form."""
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
        "names": {each: page_words(each)["language"] for each in LANGUAGES},
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
