"""`kozyr matches`: the kept matches."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any

from webapp.commands.keeping import open_matches
from webapp.errors import WrongCallError
from webapp.output import note, say_json, say_text
from webapp.store.match_zip import export
from webapp.store.matches import Matches


def run_matches(arguments: argparse.Namespace) -> int:
    """List, show, export or delete."""
    if arguments.action == "delete" and not arguments.yes:
        raise WrongCallError(
            f"expected --yes to delete match {arguments.match} for good, got none; "
            f"'kozyr matches export {arguments.match} FILE.zip' makes a copy first"
        )
    with ExitStack() as parts:
        matches = open_matches(parts, arguments.store, arguments.films)
        if arguments.action == "show":
            _show(matches, arguments)
        elif arguments.action == "export":
            export(matches, arguments.match, arguments.file)
            note(f"match {arguments.match} is in {arguments.file}")
        elif arguments.action == "delete":
            matches.delete(arguments.match)
            note(f"match {arguments.match} is deleted")
        else:
            for line in matches.list():
                if arguments.json:
                    say_json(line)
                else:
                    say_text(listed(line))
    return 0


def _show(matches: Matches, arguments: argparse.Namespace) -> None:
    from webapp.commands.match_parts import Teller

    Teller(arguments.json).all(matches.show(arguments.match))


def listed(line: Mapping[str, Any]) -> str:
    """
    A match of the list, for people.

    >>> listed({"match": "2026-11-23-193005-k7f3", "table": "kitchen", "started": "2026-11-23T19:30:05+01:00",
    ...         "rules": "podkidnoy-36", "seats": ["Anna", "Vera"], "events": 231, "seconds": 812.4,
    ...         "result": {"kind": "fool", "seats": ["Vera"]}, "ended": True, "film": False})
    '2026-11-23-193005-k7f3  kitchen  podkidnoy-36  Anna, Vera  231 events, 13:32  fool: Vera'
    """
    result = line["result"]
    end = ": ".join((result["kind"], ", ".join(result["seats"]))) if result else "" if line["ended"] else "not ended"
    seconds = int(line["seconds"])
    played = f"{line['events']} events, {seconds // 60}:{seconds % 60:02}"
    return "  ".join(filter(None, (line["match"], line["table"], line["rules"], ", ".join(line["seats"]), played, end)))
