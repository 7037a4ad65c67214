"""`kozyr read`: what lies on still pictures, one line a picture, in the order given."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from referee.rulebook import rulebook
from vision.still.reading import StillSettings, read_file
from webapp.commands.chosen_detector import detector_for
from webapp.commands.match_header import Wishes, header_for
from webapp.output import note, say_json, say_text


def run_read(arguments: argparse.Namespace, wishes: Wishes) -> int:
    """Read every picture; 1 where one of them could not be read, the others are told all the same."""
    header = header_for(wishes)
    is_pack_named = wishes.pack is not None or wishes.rules is not None or wishes.start is not None or wishes.options
    settings = StillSettings(pack_size=rulebook(header.rules, header.options).pack, may_widen=not is_pack_named)
    detector = detector_for(arguments, settings.pack_size)
    status = 0
    for name in arguments.pictures:
        line = read_file(detector, Path(name), settings)
        if "error" in line:
            status = 1
            note(line["error"])
        if arguments.json:
            say_json(line)
        elif "error" not in line:
            say_text(spoken(line))
    return status


def spoken(line: Mapping[str, Any]) -> str:
    """
    A picture's line for people: pairs, then what else lies there.

    >>> spoken({"picture": "a.jpg", "cards": [{"card": "7s"}, {"card": "Ts"}, {"card": "back"}],
    ...         "pairs": [{"attack": "7s", "defence": "Ts"}]})
    'a.jpg: 7s beaten by Ts, back'
    >>> spoken({"picture": "b.jpg", "cards": [], "pairs": []})
    'b.jpg: no cards'
    """
    told, paired = [], set()
    for pair in line["pairs"]:
        paired |= {pair["attack"], pair["defence"]}
        told.append(pair["attack"] + (f" beaten by {pair['defence']}" if pair["defence"] else ""))
    told += [card["card"] for card in line["cards"] if card["card"] not in paired]
    return f"{line['picture']}: {', '.join(told) or 'no cards'}"
