"""The language of a request, and what all answers share: refusals and the header against caches."""

from __future__ import annotations

from typing import Any

from flask import Response, jsonify, make_response, render_template, request

from webapp.text.catalogue import LANGUAGES, chosen_language, page_words, words_of

LANGUAGE_COOKIE = "language"
SENTENCES = frozenset({400, 401, 403, 404, 409, 413, 503, 507})
"""Statuses that have a sentence for players; of others 4xx have that of 400, 5xx that of 500."""


def language_of_request() -> str:
    """Return the requested language, else the one chosen before, else the browser's preferred one."""
    return chosen_language(
        request.args.get("language"),
        request.cookies.get(LANGUAGE_COOKIE),
        request.accept_languages.best_match(LANGUAGES),
    )


def is_for_person() -> bool:
    """Check whether a browser shows the answer to a person: it names pages among what it accepts, scripts do not."""
    return "text/html" in request.accept_mimetypes.values()


def refusal(status: int, message: str, sentence: str | None = None, **more: Any) -> Response:
    """
    Return a refusal, which is never cached: ``message`` for programs under ``error``, and for players ``text``. Where a
    person reads it, it is a page with that sentence alone.

    ``sentence``: the page's word that says it to players; None: that of the status. ``more``: other keys.
    """
    language = language_of_request()
    if sentence is None:
        sentence = f"refused_{status if status in SENTENCES else 400 if status < 500 else 500}"
    text = page_words(language)[sentence]
    if is_for_person():
        answer = make_response(render_template("refused.html", language=language, **words_of(language), sentence=text))
    else:
        answer = jsonify({"error": message, "text": text, **more})
    answer.status_code = status
    return fresh(answer)


def fresh(response: Response) -> Response:
    response.headers["Cache-Control"] = "no-store"
    return response
