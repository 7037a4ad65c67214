"""`kozyr matches`: the kept matches."""

from __future__ import annotations

import argparse
import csv
import io
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any

from vision.data_home import data_home
from webapp.commands.keeping import open_matches
from webapp.errors import WrongCallError
from webapp.output import note, say_json, say_text
from webapp.store.evenings import score_rows, scores_as_json
from webapp.store.labelled_pictures import FOLDER as LABELLED
from webapp.store.labelled_pictures import LabelledPictures
from webapp.store.match_zip import export
from webapp.store.matches import Matches


def run_matches(arguments: argparse.Namespace) -> int:
    """List, show, judge again, export or delete; pack or replay a moment; or tell the scores."""
    if arguments.action == "delete" and not arguments.yes:
        raise WrongCallError(
            f"expected --yes to delete match {arguments.match} for good, got none; "
            f"'kozyr matches export {arguments.match} FILE.zip' makes a copy first"
        )
    if arguments.action == "replay-moment":
        return _replay_moment(arguments)
    if arguments.action == "labelled":
        return _labelled(arguments)
    with ExitStack() as parts:
        matches = open_matches(parts, arguments.store, arguments.films)
        if arguments.action == "show":
            _show(matches, arguments)
        elif arguments.action == "moment":
            _moment(matches, arguments)
        elif arguments.action == "rejudge":
            _rejudge(matches, arguments)
        elif arguments.action == "scores":
            _tell_scores(matches, arguments)
        elif arguments.action == "export":
            export(matches, arguments.match, arguments.file)
            note(f"match {arguments.match} is in {arguments.file}")
        elif arguments.action == "delete":
            matches.delete(arguments.match)
            note(f"match {arguments.match} is deleted")
        else:
            found = matches.list()
            if not found and not arguments.json:
                note(f"no match is kept in {matches.name} yet; kozyr watch keeps what it referees")
            for line in found:
                if arguments.json:
                    say_json(line)
                else:
                    say_text(listed(line))
    return 0


def _show(matches: Matches, arguments: argparse.Namespace) -> None:
    from webapp.commands.match_parts import Teller

    Teller(arguments.json).all(matches.show(arguments.match))


def _moment(matches: Matches, arguments: argparse.Namespace) -> None:
    from webapp.commands.moments import write_moment

    write_moment(matches, arguments)


def _replay_moment(arguments: argparse.Namespace) -> int:
    from webapp.commands.moments import tell_replayed

    tell_replayed(arguments)
    return 0


def _labelled(arguments: argparse.Namespace) -> int:
    """Say whether cards that people put right are kept, and where; have it otherwise, or delete them."""
    pictures = LabelledPictures(data_home() / LABELLED)
    if arguments.wish == "delete":
        pictures.delete()
    elif arguments.wish is not None:
        pictures.wish(arguments.wish == "on")
    if arguments.json:
        say_json({"on": pictures.are_kept, "count": pictures.count, "folder": str(pictures.folder)})
    else:
        say_text(f"{'kept' if pictures.are_kept else 'not kept'}: {pictures.count} pictures in {pictures.folder}")
    return 0


def _rejudge(matches: Matches, arguments: argparse.Namespace) -> None:
    from webapp.commands.rejudge import tell_rejudged

    tell_rejudged(matches, arguments)


def _tell_scores(matches: Matches, arguments: argparse.Namespace) -> None:
    if arguments.csv and arguments.json:
        raise WrongCallError("expected --csv or --json, got both; name one of them")
    games = matches.games()
    if arguments.csv:
        written = io.StringIO()
        csv.writer(written, lineterminator="\n").writerows(score_rows(games))
        say_text(written.getvalue().removesuffix("\n"))
        return
    told = scores_as_json(games)
    if arguments.json:
        for line in (*told["evenings"], {"all": told["all"]}):
            say_json(line)
        return
    for evening in told["evenings"]:
        say_text(
            f"{evening['began'][:16].replace('T', ' ')}  {evening['table']}  {games_counted(len(evening['games']))}"
        )
        for player in evening["players"]:
            say_text(scored(player))
    if len(told["evenings"]) > 1:
        say_text("all evenings")
        for player in told["all"]["players"]:
            say_text(scored(player))


def games_counted(count: int) -> str:
    """
    Return a number of games in words.

    >>> games_counted(1), games_counted(2)
    ('1 game', '2 games')
    """
    return f"{count} game{'' if count == 1 else 's'}"


def scored(player: Mapping[str, Any]) -> str:
    """
    A player's score, for people.

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
