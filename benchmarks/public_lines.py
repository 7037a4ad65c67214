"""
What the commands print, kept in a folder: two versions behave alike where their folders are the same.

    python -m benchmarks.public_lines OUT --records games.jsonl cases.jsonl --clips clips/
    diff -r BEFORE OUT

Records go through ``kozyr referee --json --states``, clips (each with its record beside it, whose first line says where
the game begins) and the shipped recording through ``kozyr review --json``. What a run took is left out. The records of
random games come from ``python -m tests.referee.nightly --games 2000 --records games.jsonl``.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

RECORDINGS = Path(__file__).parent.parent / "webapp" / "recordings"


def lines_of(*command: str) -> list[str]:
    """What the command of this checkout prints, without how long it took; its status comes last."""
    program = "from webapp.commands.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", program, *command], capture_output=True, text=True, check=False)
    lines = []
    for line in done.stdout.splitlines():
        values = json.loads(line)
        values.get("summary", {}).pop("seconds_taken", None)
        lines.append(json.dumps(values, ensure_ascii=False))
    return [*lines, f"status {done.returncode}"]


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, help="folder for the lines, one file for each input")
    parser.add_argument("--records", type=Path, nargs="*", default=[])
    parser.add_argument("--clips", type=Path, help="a folder of clips")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    for record in args.records:
        lines = lines_of("referee", str(record), "--json", "--states")
        (args.out / f"{record.stem}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
        print(f"{record.name}: {len(lines)} lines")
    for clip in [RECORDINGS / "demo.mp4", *(sorted(args.clips.glob("*.mp4")) if args.clips else [])]:
        lines = lines_of("review", str(clip), "--json", "--start", str(clip.with_suffix(".jsonl")))
        (args.out / f"{clip.stem}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
        print(f"{clip.name}: {len(lines)} lines")
    return 0


if __name__ == "__main__":
    sys.exit(main())
