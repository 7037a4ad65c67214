"""`kozyr read`: what lies on still pictures, one line a picture, in the order given."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from features.stills.options import ReadOptions
from features.stills.reading import StillSettings, read_file
from referee.rulebook import rulebook
from vision.capture.stream_address import without_secrets
from vision.detection.networks import counted_cost
from webapp.commands.match_header import header_for
from webapp.live.vision_opening import detector_for
from webapp.output import note, say_json, say_text


def run(options: ReadOptions) -> int:
    header = header_for(options.header)
    asked = options.header
    is_pack_named = asked.pack is not None or asked.rules is not None or asked.start is not None or asked.options
    settings = StillSettings(pack_size=rulebook(header.rules, header.options).pack, may_widen=not is_pack_named)
    detector = detector_for(options.detector, settings.pack_size)
    status = 0
    for name in options.pictures:
        shown = without_secrets(name)
        if shown == name and "://" not in name:
            with counted_cost() as cost:
                line = read_file(detector, Path(name), settings)
            line = line if "error" in line else {**line, "cost": cost.as_json()}
        else:
            error = f"{shown}: expected the file of a picture, got an address; 'kozyr watch' referees streams"
            line = {"picture": shown, "error": error}
        if "error" in line:
            status = 1
            note(line["error"])
        if options.as_json:
            say_json(line)
        elif "error" not in line:
            say_text(spoken(line))
    return status


def spoken(line: Mapping[str, Any]) -> str:
    """
    Return a picture's line for people: which card lies over which, then what else lies there.

    >>> spoken({"picture": "a.jpg", "cards": [{"card": "7s"}, {"card": "Ts"}, {"card": "back"}],
    ...         "pairs": [{"attack": "7s", "defence": "Ts"}]})
    'a.jpg: Ts lies over 7s, back'
    >>> spoken({"picture": "b.jpg", "cards": [], "pairs": []})
    'b.jpg: no cards'
    """
    parts, paired = [], set()
    for pair in line["pairs"]:
        paired |= {pair["attack"], pair["defence"]}
        parts.append(f"{pair['defence']} lies over {pair['attack']}" if pair["defence"] else pair["attack"])
    parts += [card["card"] for card in line["cards"] if card["card"] not in paired]
    mirrored = " (mirrored)" if line.get("mirrored") else ""
    return f"{line['picture']}{mirrored}: {', '.join(parts) or 'no cards'}"
