"""The versions of the program and of the libraries that do the work."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from platform import python_version

LIBRARIES = (
    *("numpy", "opencv-python-headless", "onnxruntime", "pillow", "flask", "waitress", "ifaddr", "lark"),
    *("sqlalchemy", "alembic", "platformdirs"),
)


def versions() -> dict[str, str]:
    """
    Name -> version, Python first.

    >>> list(versions())[:2]
    ['python', 'kozyr']
    """
    found = {"python": python_version()}
    for name in ("kozyr", *LIBRARIES):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "missing"
    return found
