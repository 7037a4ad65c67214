"""
Record what the processes of a program call on the network: by an audit hook in every Python process, and by strace,
where there is one, also what compiled libraries do.
"""

from __future__ import annotations

import ipaddress
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

HOOK = """
import os, sys

def hear(event, arguments, log=os.environ["CALLS_LOG"]):
    if event in ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr", "socket.getnameinfo"):
        call = f"{event} {arguments[0]!r}"
    elif event in ("socket.connect", "socket.sendto", "socket.sendmsg") and arguments[1] is not None:
        call = f"{event} {arguments[1]!r}"
    else:
        return
    with open(log, "a", encoding="utf-8") as lines:
        lines.write(call + "\\n")

sys.addaudithook(hear)
"""
NAMED = re.compile(r"'([^']*)'")
TRACED = re.compile(r'sin6?_port=htons\((\d+)\).*?(?:inet_addr\("|inet_pton\(AF_INET6, ")([^"]+)"')
DNS = 53
SYSCALLS = "connect,sendto,sendmsg,sendmmsg"


@cache
def strace() -> tuple[str, ...]:
    """Return the beginning of a call under strace; empty where there is none or it may not trace."""
    if shutil.which("strace") is None or subprocess.run(["strace", "-qq", "-o", os.devnull, "true"]).returncode:
        return ()
    return ("strace", "-f", "-qq", "--seccomp-bpf", "-e", f"trace={SYSCALLS}", "-o")


def is_here(host: str) -> bool:
    """Check whether a host is this machine without a look-up: a loopback or unspecified address, or no host."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host in ("", "localhost")
    return address.is_loopback or address.is_unspecified


@dataclass(frozen=True)
class CallsOut:
    """Where the calls of a program are recorded; ``home``: the home folder that it is given."""

    folder: Path

    @property
    def home(self) -> Path:
        return self.folder / "home"

    def environment(self) -> dict[str, str]:
        """Return the environment in which a program records its calls."""
        hook = self.folder / "hook"
        hook.mkdir(exist_ok=True)
        self.home.mkdir(exist_ok=True)
        (hook / "sitecustomize.py").write_text(HOOK, encoding="utf-8")
        others = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "ORT_", "YOLO_"))}
        places = {"HOME": self.home, "KOZYR_HOME": self.folder / "kozyr", "CALLS_LOG": self.folder / "audit.log"}
        return others | {name: str(path) for name, path in places.items()} | {"PYTHONPATH": str(hook)}

    def command(self, *call: str) -> list[str]:
        """Return the call, under strace where there is one."""
        return [*strace(), str(self.folder / "strace.log"), *call] if strace() else list(call)

    def elsewhere(self) -> list[str]:
        """Return the recorded look-ups of names, and the calls to another machine or to a server of names."""
        found = []
        for name in ("audit.log", "strace.log"):
            log = self.folder / name
            lines = log.read_text(encoding="utf-8", errors="replace").splitlines() if log.exists() else []
            found += [line for line in lines if self._leaves(line)]
        return found

    @staticmethod
    def _leaves(line: str) -> bool:
        if line.startswith("socket."):
            host = NAMED.search(line)
            return host is not None and not host[1].startswith("/") and not is_here(host[1])
        traced = TRACED.search(line)
        return traced is not None and (int(traced[1]) == DNS or not is_here(traced[2]))

    def files(self) -> list[str]:
        """Return the files that the program left in the home folder, but for Dask's own settings."""
        made = (path.relative_to(self.home) for path in self.home.rglob("*") if path.is_file())
        return [str(path) for path in made if path.parts[:2] != (".config", "dask")]
