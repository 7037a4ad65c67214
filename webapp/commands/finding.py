"""One result of `kozyr doctor`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Finding:
    """
    The result of one check. ``ok``: nothing is wrong. ``needed``: without it nothing works, else only a part does not.
    ``mend``: how to fix it.
    """

    name: str
    ok: bool
    found: str
    mend: str = ""
    needed: bool = True

    def as_json(self) -> dict[str, Any]:
        """Return the finding as a line of ``--json``."""
        return {"check": self.name, "ok": self.ok, "found": self.found, "mend": self.mend, "needed": self.needed}

    def as_text(self) -> str:
        """
        Return the finding as a line for people.

        >>> Finding("disk", True, "12 GB free").as_text()
        'ok       disk: 12 GB free'
        >>> Finding("camera", False, "none", "plug one in", needed=False).as_text()
        'missing  camera: none; plug one in'
        """
        return f"{'ok' if self.ok else 'missing':8} {self.name}: {self.found}{'; ' + self.mend if self.mend else ''}"
