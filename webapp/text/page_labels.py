"""The words on the page itself (labels, buttons), per language; what the referee says is in ``present``."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from webapp.text.present import LANGUAGES

FOLDER = Path(__file__).parent / "page_words"


@cache
def page_words(language: str) -> Mapping[str, str]:
    """The page's words in one language; ``KeyError`` for a language that is not there."""
    if language not in LANGUAGES:
        raise KeyError(language)
    words: dict[str, str] = tomllib.loads((FOLDER / f"{language}.toml").read_text(encoding="utf-8"))
    return words


def chosen_language(*wishes: str | None) -> str:
    """
    The first wish that is a language of ours.

    >>> chosen_language(None, "xx", "ru")
    'ru'
    >>> chosen_language()
    'en'
    """
    return next((wish for wish in wishes if wish in LANGUAGES), LANGUAGES[0])
