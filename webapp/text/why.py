"""The line that says why a play was worse, or better, than the others (docs/analysis.md)."""

from __future__ import annotations

from collections.abc import Mapping

from webapp.text.page_labels import page_words


def why_sentence(reason: Mapping[str, str], language: str) -> str:
    """
    Return the sentence of a reason as an analysis line holds it.

    >>> why_sentence({"id": "could_add", "card": "8c"}, "en")
    '8c could have been thrown in.'
    """
    return page_words(language)[f"analysis_why_{reason['id']}"].format(**reason)
