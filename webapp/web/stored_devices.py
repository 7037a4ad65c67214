"""
Keep the paired devices in a file, so that they need no code after a restart of the program.

The file also holds the key that signs their cookies. Each table has its own file: two programs on one machine serve two
ports, and a browser's cookie is valid for one of them.
"""

from __future__ import annotations

import json
import logging
import secrets
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass
from enum import Enum
from pathlib import Path

from webapp.private_file import write_private

logger = logging.getLogger(__name__)
KEY_BYTES = 32


class Role(Enum):
    """
    What a device may do: a viewer reads; a referee presses, corrects and sets up as well; a camera sends pictures and
    sees its own page alone.
    """

    VIEWER = "viewer"
    REFEREE = "referee"
    CAMERA = "camera"


@dataclass(frozen=True, slots=True)
class Device:
    """A paired device. ``kind``: what it calls itself; ``address``: its address when it was paired."""

    key: str
    role: Role
    kind: str
    address: str


class StoredDevices:
    """
    The file, or none: then nothing outlives the program. ``secret`` signs cookies; ``devices``: from earlier runs.

    If the file can't be read, a new one is made, and its devices need a code again. If it can't be written, that is
    logged, and the game goes on.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self.secret = secrets.token_bytes(KEY_BYTES)
        self.devices: tuple[Device, ...] = ()
        if path is not None:
            with suppress(OSError, ValueError, TypeError, KeyError, RecursionError):
                data = json.loads(path.read_text(encoding="utf-8"))
                secret = bytes.fromhex(data["secret"])
                devices = tuple(
                    Device(str(device["key"]), Role(device["role"]), str(device["kind"]), str(device["address"]))
                    for device in data["devices"]
                )
                if len(secret) == KEY_BYTES:
                    self.secret, self.devices = secret, devices

    def keep(self, devices: Iterable[Device]) -> None:
        if self._path is None:
            return
        data = {
            "secret": self.secret.hex(),
            "devices": [asdict(device) | {"role": device.role.value} for device in devices],
        }
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_private(self._path, json.dumps(data, ensure_ascii=False, indent=1).encode())
        except OSError as error:
            logger.warning("%s: the devices can't be kept there (%s)", self._path, error.strerror)
