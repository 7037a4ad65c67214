"""
Compiles the words of every language, so that the program needs no Babel at run time: called by every build.

    python scripts/compile_catalogues.py

From ``webapp/text/catalogues/LANGUAGE.po``: ``LANGUAGE.mo``, which the standard library reads, and ``languages.json``:
every language's ``messages`` that count nothing by their names, ``counted`` (name -> CLDR category -> text) and
``direction``.
"""

from __future__ import annotations

import json
from gettext import c2py
from pathlib import Path
from typing import Any

from babel import Locale
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

CATALOGUES = Path(__file__).resolve().parents[1] / "webapp" / "text" / "catalogues"
NUMBERS = (*range(200), 1_000_000)
"""Numbers that cover every plural form of our languages."""


def compile_catalogues(folder: Path = CATALOGUES) -> None:
    """Write the compiled files beside the catalogues; raise ``ValueError`` with the place of an unreadable entry."""
    languages = {}
    for path in sorted(folder.glob("*.po")):
        with path.open("rb") as source:
            catalogue = read_po(source, locale=path.stem, abort_invalid=True)
        with path.with_suffix(".mo").open("wb") as target:
            write_mo(target, catalogue)
        languages[path.stem] = _plain(catalogue, Locale.parse(path.stem))
    (folder / "languages.json").write_text(json.dumps(languages, ensure_ascii=False, indent=1), "utf-8")


def _plain(catalogue: Catalog, locale: Locale) -> dict[str, Any]:
    numbers = {locale.plural_form(number): number for number in reversed(NUMBERS)}
    numbers.setdefault("other", NUMBERS[-1])  # of fractions alone in some languages
    form_of = c2py(catalogue.plural_expr)
    forms = {category: form_of(number) for category, number in numbers.items()}
    messages = [message for message in catalogue if message.id]
    return {
        "direction": locale.text_direction,
        "messages": {str(message.id): str(message.string) for message in messages if not message.pluralizable},
        "counted": {
            message.id[0]: {category: message.string[form] for category, form in forms.items()}
            for message in messages
            if isinstance(message.string, tuple | list)
        },
    }


if __name__ == "__main__":
    compile_catalogues()
