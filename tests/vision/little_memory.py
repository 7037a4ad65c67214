"""Run code in a process with limited memory and return its last output line."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
LIMIT = """
import resource
from pathlib import Path
from sys import argv
import cv2, numpy
{imports}
used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + {room_mb} * 2**20,) * 2)
{code}
"""


def output_with_little_memory(imports: str, code: str, path: Path, room_mb: int) -> str:
    """
    Return the last line that ``code`` prints or fails with, ``argv[1]`` being ``path``.

    After its ``imports`` it may take no more than ``room_mb`` megabytes of addresses. glibc reserves 64 for each
    thread that allocates while another does, unless it is limited to one arena.
    """
    if not Path("/proc/self/statm").exists():
        pytest.skip("memory is limited here where the system says how much is in use")
    program = LIMIT.format(imports=imports, code=code, room_mb=room_mb)
    command = [sys.executable, "-c", program, str(path)]
    one_arena = os.environ | {"MALLOC_ARENA_MAX": "1"}
    done = subprocess.run(command, cwd=ROOT, env=one_arena, capture_output=True, text=True, check=False)
    return (done.stdout + done.stderr).strip().splitlines()[-1]
