"""Limit of glibc's heaps, which are shared by all threads."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from webapp.live import process_memory

THREADS = """
import ctypes, re, sys, tempfile, threading
from webapp.live.process_memory import limit_heaps
assert "limit" not in sys.argv or limit_heaps()
libc, together = ctypes.CDLL(None), threading.Barrier(8)
libc.malloc.restype = libc.fopen.restype = ctypes.c_void_p
def allocate():
    together.wait(20)
    for _ in range(300):
        libc.malloc(50_000)
threads = [threading.Thread(target=allocate) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join(20)
with tempfile.NamedTemporaryFile() as place:
    file = ctypes.c_void_p(libc.fopen(place.name.encode(), b"w"))
    libc.malloc_info(0, file)
    libc.fclose(file)
    print(len(re.findall("<heap nr=", open(place.name).read())))
"""


@pytest.mark.skipif(not process_memory.limit_heaps(), reason="the C library has no such heaps")
def test_threads_share_two_malloc_heaps() -> None:
    def heaps(*arguments: str) -> int:
        command = [sys.executable, "-c", THREADS, *arguments]
        root = Path(__file__).parents[3]
        return int(subprocess.run(command, cwd=root, capture_output=True, text=True, check=True, timeout=60).stdout)

    assert heaps("limit") <= process_memory.HEAPS < heaps()


def test_other_c_libraries_are_not_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_memory, "_function_of_c", lambda name: None)
    assert not process_memory.limit_heaps()
    process_memory.return_free_memory()
