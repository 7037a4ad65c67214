"""The words on the page itself (labels, buttons), per language; what the referee says is in ``present``."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from webapp.text.catalogue import LANGUAGES, direction, messages, plural_forms

PREFIX = "page."


@cache
def page_words(language: str) -> Mapping[str, str]:
    """The page's words in one language; ``ValueError`` for a language that is not there."""
    return _of_page(messages(language))


@cache
def page_counts(language: str) -> Mapping[str, Mapping[str, str]]:
    """The page's counted words: name -> CLDR category -> form."""
    return _of_page(plural_forms(language))


def _of_page(texts: Mapping[str, Any]) -> Mapping[str, Any]:
    return {name.removeprefix(PREFIX): text for name, text in texts.items() if name.startswith(PREFIX)}


def words_of(language: str) -> Mapping[str, Any]:
    """What every page's template is given: words, counted words, reading direction, the languages by their names."""
    return {
        "words": page_words(language),
        "counts": page_counts(language),
        "direction": direction(language),
        "languages": LANGUAGES,
        "names": {each: page_words(each)["language"] for each in LANGUAGES},
    }


def chosen_language(*wishes: str | None) -> str:
    """
    The first wish that is a language of ours.

    >>> chosen_language(None, "xx", "ru")
    'ru'
    >>> chosen_language()
    'en'
    """
    return next((wish for wish in wishes if wish in LANGUAGES), LANGUAGES[0])
