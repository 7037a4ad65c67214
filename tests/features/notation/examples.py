"""Text and examples of the page ``docs/notation.md``."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = (Path(__file__).parents[3] / "docs" / "notation.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```durak\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
