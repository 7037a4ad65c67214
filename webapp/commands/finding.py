"""One thing that `kozyr doctor` checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Finding:
    """
    One thing looked at. ``ok``: it is as it should be. ``needed``: without it nothing works, else only something.
    ``mend``: what to do about it.
    """

    name: str
    ok: bool
    found: str
    mend: str = ""
    needed: bool = True

    def as_json(self) -> dict[str, Any]:
        """The finding as a line of ``--json``."""
        return {"check": self.name, "ok": self.ok, "found": self.found, "mend": self.mend, "needed": self.needed}

    def as_text(self) -> str:
        """
        The finding for people.

        >>> Finding("disk", True, "12 GB free").as_text()
        'ok       disk: 12 GB free'
        >>> Finding("camera", False, "none", "plug one in", needed=False).as_text()
        'missing  camera: none; plug one in'
        """
        return f"{'ok' if self.ok else 'missing':8} {self.name}: {self.found}{'; ' + self.mend if self.mend else ''}"
