"""
The words in every language: gettext catalogues, read with Babel, one file a language in ``webapp/text/catalogues``.

A message is named by the referee's own id (``fault.rank-not-on-table``), or by ``page.`` and its place on the page; the
English catalogue is one as the others are. Counted messages have a form for each plural of their language.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

from babel import Locale
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.support import Translations

LANGUAGES = ("en", "ru", "fr", "es", "he")
"""The first is the default."""

FOLDER = Path(__file__).parent / "catalogues"
COUNTS = (*range(200), 1_000_000)
"""Numbers among which every plural of our languages has its like."""


@cache
def catalogue(language: str) -> Catalog:
    """The catalogue of a language; ``ValueError`` where there is none."""
    if language not in LANGUAGES:
        raise ValueError(f"expected a language out of {', '.join(LANGUAGES)}, got {language!r}")
    with (FOLDER / f"{language}.po").open("rb") as file:
        return read_po(file, locale=language, abort_invalid=True)


@cache
def messages(language: str) -> Mapping[str, str]:
    """Every message that counts nothing, by its name."""
    return {str(each.id): str(each.string) for each in catalogue(language) if each.id and not each.pluralizable}


@cache
def nested(language: str) -> Mapping[str, Any]:
    """The same by the parts of their names: ``nested("en")["fault"]["game-over"]``."""
    tree: dict[str, Any] = {}
    for name, text in messages(language).items():
        *path, last = name.split(".")
        place = tree
        for part in path:
            place = place.setdefault(part, {})
        place[last] = text
    return tree


@cache
def _translations(language: str) -> Translations:
    compiled = BytesIO()
    write_mo(compiled, catalogue(language))
    compiled.seek(0)
    return Translations(compiled)


def counted(name: str, count: int, language: str) -> str:
    """
    A counted message in the form that goes with the number.

    >>> [counted("word.card", count, "en") for count in (1, 2)]
    ['1 card', '2 cards']
    >>> [counted("word.card", count, "ru") for count in (1, 2, 5, 11, 21)]
    ['1 карта', '2 карты', '5 карт', '11 карт', '21 карта']
    """
    return str(_translations(language).ungettext(name, name, count)).format(count=count, n=count)


@cache
def plural_forms(language: str) -> Mapping[str, Mapping[str, str]]:
    """
    Every counted message by its name, each form by its CLDR category, as ``Intl.PluralRules`` of a browser asks.

    >>> plural_forms("ru")["page.players_count"]["few"]
    '{n} игрока'
    """
    select = Locale.parse(language).plural_form
    category_count = {select(count): count for count in reversed(COUNTS)}
    names = [each.id[0] for each in catalogue(language) if each.pluralizable]
    category_count.setdefault("other", COUNTS[-1])  # of fractions alone in some languages
    translations = _translations(language)
    return {
        name: {category: str(translations.ungettext(name, name, count)) for category, count in category_count.items()}
        for name in names
    }


@cache
def direction(language: str) -> str:
    """
    ``ltr`` or ``rtl``.

    >>> direction("fr"), direction("he")
    ('ltr', 'rtl')
    """
    return str(Locale.parse(language).text_direction)
