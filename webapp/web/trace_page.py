"""Render the page of a trace as one HTML file that loads only the pictures beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

TEMPLATES = Path(__file__).parent / "templates"


def trace_page(about: Mapping[str, Any], entries: Sequence[Mapping[str, Any]]) -> str:
    """Return the page as HTML. ``about``, ``entries``: the contents of ``trace.jsonl``."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    environment.filters |= {
        "event": event_words,
        "instead": instead_words,
        "table": table_words,
        "state": state_words,
        "names": names_words,
        "percent": percent,
        "seconds": seconds,
    }
    shown: list[dict[str, Any]] = []
    reported: list[Mapping[str, Any]] = []
    for number, entry in enumerate(entries, 1):
        reported += entry["told"] if entry["kind"] == "judged" else ()
        more: dict[str, Any] = {"rows": rows(entry)} if entry["kind"] == "look" else {}
        more["is_repeat"] = entry["kind"] == "line" and entry["line"] in reported
        shown.append({**entry, **more, "id": f"e{number}", "title": title(entry)})
    contents = [(second, list(those)) for second, those in groupby(shown, key=lambda entry: int(entry["when"]))]
    return environment.get_template("trace.html").render(about=about, entries=shown, contents=contents)


def title(entry: Mapping[str, Any]) -> str:
    """
    Return the heading of an entry.

    >>> title({"kind": "line", "line": {"ruling": "legal", "text": "Anya leads 8♠."}})
    'Ruling: legal. Anya leads 8♠.'
    """
    match entry["kind"]:
        case "look":
            return f"Inference {entry['look']}"
        case "judged":
            if entry["told"]:
                return f"Reported: {'; '.join(map(event_words, entry['told']))}"
            if entry["noticed"]:
                return f"Noticed: {'; '.join(map(event_words, entry['noticed']))}"
            waits = [note["text"] for note in entry["notes"] if note["label"] == "waits"]
            return f"Waiting: {'; '.join([*map(event_words, entry['waiting']), *waits])}"
        case "state":
            return "How the game stands"
    line = entry["line"]
    if "ruling" in line:
        fault = f" ({line['fault']})" if line.get("fault") else ""
        return f"Ruling: {line['ruling']}{fault}. {line['text']}"
    if "announce" in line:
        return f"Announced: {line['text']}"
    return "Record: the match begins" if "kozyr" in line else f"Record: {event_words(line)}"


def event_words(event: Mapping[str, Any]) -> str:
    """
    Return an event of the record in words.

    >>> event_words({"event": "placed", "card": "Ts", "by": "B", "on": "7s", "confidence": 0.91})
    'B lays Ts on 7s (91 %)'
    >>> event_words({"event": "swept", "to": "heap", "left": ["7s"]})
    'the bout goes to the heap, 7s is left'
    """
    by = event.get("by") or "somebody"
    on = f" on {event['on']}" if event.get("on") else ""
    match event["event"]:
        case "placed":
            words = f"{by} lays {event.get('card') or 'a card that nobody can read'}{on}"
        case "lifted":
            words = f"{by} takes {event['card']} up"
        case "dealt":
            words = f"the deal is over, the turn-up is {event.get('turnup') or 'not seen'}"
        case "swept":
            to = "the heap" if event["to"] == "heap" else event["to"]
            words = f"the bout goes to {to}"
            words += f", {' '.join(event['left'])} is left" if event.get("left") else ""
        case "drawn":
            words = f"{by} draws {event['count']}" + (f", {event['card']}" if event.get("card") else "")
        case "swapped":
            words = f"{by} exchanges {event['card']} for the turn-up"
        case "reread":
            is_other = event["was"] != event["card"]
            words = f"{event['was']} turns out to be {event['card']}" if is_other else f"{event['card']} it is"
        case "blocked":
            words = f"not refereed: {event['reason']}"
        case kind:
            words = f"{by}: {kind}"
    return words if event.get("confidence") is None else f"{words} ({percent(event['confidence'])})"


def instead_words(keys: Mapping[str, Any] | None) -> str:
    """
    Return in words what may have happened instead. ``keys``: the keys of an event that differ; None: nothing happened.

    >>> instead_words({"to": "heap"}), instead_words({"by": None}), instead_words({"on": "7s"}), instead_words(None)
    ('it went to the heap', 'another seat', 'across 7s', 'nothing happened')
    """
    if keys is None:
        return "nothing happened"
    parts = []
    for key, value in keys.items():
        match key:
            case "to":
                parts.append(f"it went to {'the heap' if value == 'heap' else value}")
            case "by":
                parts.append(value or "another seat")
            case "on":
                parts.append(f"across {value}" if value else "beside the others")
            case "count":
                parts.append(f"{value} card{'s' if value != 1 else ''}")
            case _:
                parts.append(f"{key} {value}")
    return ", ".join(parts)


def table_words(table: Mapping[str, Any] | None) -> str:
    """
    Return the cards on the table in one line, as the tracker has them.

    >>> seven = {"track": 4, "card": "7s", "on": None}
    >>> ten = {"track": 9, "card": "Ts", "on": 4}
    >>> table_words({"bout": [seven, ten], "unread": [], "turnup": None, "talon": True, "heap": False})
    '7s, Ts on 7s; talon'
    """
    if table is None:
        return "not known yet"
    names = {card["track"]: card["card"] for card in table["bout"]}
    cards = [card["card"] + (f" on {names.get(card['on'], '?')}" if card["on"] else "") for card in table["bout"]]
    parts = [", ".join(cards) or "nothing in the bout"]
    parts += [f"{len(table['unread'])} that nobody can read"] if table["unread"] else []
    parts += [f"turn-up {table['turnup']['card']}"] if table["turnup"] else []
    parts += [name for name in ("talon", "heap") if table[name]]
    return "; ".join(parts)


def state_words(state: Mapping[str, Any]) -> str:
    """
    Return the referee's position in one line.

    >>> state_words({"phase": "attack", "attacker": "A", "defender": "B", "trump": "h", "talon": 12,
    ...              "table": [["7s", "Ts"], ["8d", None]], "hands": {"A": 5, "B": 6}})
    'attack; A attacks, B defends; trump h; table 7s/Ts 8d; talon 12; in hand A 5, B 6'
    """
    table = " ".join(f"{attack}/{beat}" if beat else str(attack) for attack, beat in state["table"])
    hands = ", ".join(f"{seat} {count}" for seat, count in state["hands"].items())
    return (
        f"{state['phase']}; {state['attacker'] or 'nobody'} attacks, {state['defender'] or 'nobody'} defends; trump "
        f"{state['trump'] or 'not known'}; table {table or 'bare'}; talon {state['talon']}; in hand {hands}"
    )


def rows(inference: Mapping[str, Any]) -> list[dict[str, Any]]:
    """
    Return a row for each track with its detection in this inference, then a row for each other detection.

    ``differs``: the detection's name is not the track's.
    """
    found = {each["track"]: each for each in inference["detections"] if each["track"] is not None}
    followed = []
    for track in inference["tracks"]:
        now = found.get(track["track"])
        differs = now is not None and now["names"][0][0] != track["names"][0][0]
        followed.append({"track": track, "found": now, "differs": differs})
    followed.sort(key=lambda row: ("bout", "turnup", "talon", "heap", None).index(row["track"]["zone"]))
    return followed + [{"track": None, "found": each} for each in inference["detections"] if each["track"] is None]


def names_words(names: Sequence[Sequence[Any]]) -> str:
    """
    Return the most likely names, without those below 1 % but for the first.

    >>> names_words([["7s", 0.98], ["7c", 0.012], ["8s", 0.001]])
    '7s 98 %, 7c 1 %'
    """
    return ", ".join(f"{name} {percent(share)}" for k, (name, share) in enumerate(names) if k == 0 or share >= 0.01)


def percent(share: float) -> str:
    """
    Return a share in per cent, rounded, but never 0 % or 100 % unless it is.

    >>> percent(0.984), percent(0.9996), percent(1.0), percent(0.0016)
    ('98 %', '99.9 %', '100 %', '0.2 %')
    """
    if 0 < share < 0.01:
        return f"{max(0.1, round(share * 100, 1)):g} %"
    if 0.99 < share < 1.0:
        return f"{min(99.9, round(share * 100, 1)):g} %"
    return f"{share * 100:.0f} %"


def seconds(at: float | None) -> str:
    """
    Return a time in seconds, to a hundredth.

    >>> seconds(12.5)
    '12.50 s'
    """
    return "?" if at is None else f"{at:.2f} s"
