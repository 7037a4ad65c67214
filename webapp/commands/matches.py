"""`kozyr matches`: the stored matches."""

from __future__ import annotations

import argparse
import csv
import io
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any

from webapp.commands.line_printer import LinePrinter
from webapp.errors import WrongCallError
from webapp.live.match_files import open_matches
from webapp.output import note, say_json, say_text
from webapp.store.evenings import score_rows, scores_as_json
from webapp.store.labelled_pictures import LabelledPictures
from webapp.store.matches import Matches
from webapp.text.present import clock


def call(arguments: argparse.Namespace) -> int:
    if arguments.action == "delete" and not arguments.yes:
        raise WrongCallError(
            f"expected --yes to delete match {arguments.match} for good, got none; "
            f"'kozyr matches export {arguments.match} FILE.zip' makes a copy first"
        )
    if arguments.action == "labelled":
        keep_labelled(arguments.wish, as_json=arguments.as_json)
        return 0
    with ExitStack() as parts:
        stored = open_matches(parts, arguments.store, arguments.films)
        if arguments.action == "show":
            LinePrinter(arguments.as_json).all(stored.show(arguments.match))
        elif arguments.action == "delete":
            stored.delete(arguments.match)
            note(f"match {arguments.match} is deleted")
        elif arguments.action == "scores":
            print_scores(stored, as_json=arguments.as_json, as_csv=arguments.csv)
        else:
            found = stored.list()
            if not found and not arguments.as_json:
                note(f"no match is kept in {stored.name} yet; kozyr watch keeps what it referees")
            for line in found:
                say_json(line) if arguments.as_json else say_text(listed(line))
    return 0


def keep_labelled(wish: str | None, *, as_json: bool) -> None:
    """
    Print whether corrected cards are kept as labelled pictures, and where.

    ``wish``: ``on`` or ``off`` changes that first, ``delete`` deletes them.
    """
    pictures = LabelledPictures()
    if wish == "delete":
        pictures.delete()
    elif wish is not None:
        pictures.wish(wish == "on")
    if as_json:
        say_json({"on": pictures.are_stored, "count": pictures.count, "folder": str(pictures.folder)})
    else:
        say_text(f"{'kept' if pictures.are_stored else 'not kept'}: {pictures.count} pictures in {pictures.folder}")


def print_scores(matches: Matches, *, as_json: bool, as_csv: bool) -> None:
    if as_csv and as_json:
        raise WrongCallError("expected --csv or --json, got both; name one of them")
    games = matches.games()
    if as_csv:
        written = io.StringIO()
        csv.writer(written, lineterminator="\n").writerows(score_rows(games))
        say_text(written.getvalue().removesuffix("\n"))
        return
    scores = scores_as_json(games)
    if as_json:
        for line in (*scores["evenings"], {"all": scores["all"]}):
            say_json(line)
        return
    for evening in scores["evenings"]:
        began, count = evening["began"][:16].replace("T", " "), len(evening["games"])
        say_text(f"{began}  {evening['table']}  {count} game{'' if count == 1 else 's'}")
        for player in evening["players"]:
            say_text(scored(player))
    if len(scores["evenings"]) > 1:
        say_text("all evenings")
        for player in scores["all"]["players"]:
            say_text(scored(player))


def scored(player: Mapping[str, Any]) -> str:
    """
    Return a player's score as a line for people.

    >>> scored({"name": "Anna", "games": 5, "lost": 2, "draws": 0, "longest_spared": 3})
    '  Anna: lost 2 of 5, longest run without losing: 3'
    """
    draws = f", {player['draws']} drawn" if player["draws"] else ""
    return (
        f"  {player['name']}: lost {player['lost']} of {player['games']}{draws}, "
        f"longest run without losing: {player['longest_spared']}"
    )


def listed(line: Mapping[str, Any]) -> str:
    """
    Return a match of the list as a line for people.

    >>> listed({"match": "2026-11-23-193005-k7f3", "table": "kitchen", "started": "2026-11-23T19:30:05+01:00",
    ...         "rules": "podkidnoy-36", "seats": ["Anna", "Vera"], "events": 231, "seconds": 812.4,
    ...         "result": {"kind": "fool", "seats": ["Vera"]}, "ended": True, "film": False, "damaged": None})
    '2026-11-23-193005-k7f3  kitchen  podkidnoy-36  Anna, Vera  231 events, 13:32  fool: Vera'
    """
    if line["damaged"]:
        return f"{line['match']}  can't be read: {line['damaged']}"
    result = line["result"]
    end = ": ".join((result["kind"], ", ".join(result["seats"]))) if result else "" if line["ended"] else "not ended"
    played = f"{line['events']} events, {clock(line['seconds'])}"
    return "  ".join(filter(None, (line["match"], line["table"], line["rules"], ", ".join(line["seats"]), played, end)))
