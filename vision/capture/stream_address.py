"""Hide passwords in stream addresses, for pages, messages and logs."""

from __future__ import annotations

import re

HIDDEN = "***"
_PASSWORD = re.compile(r"^([a-z][a-z0-9+.-]*://[^/?#:@]*):[^/?#]*@", re.IGNORECASE)
_PARAMETER = re.compile(
    r"([?&](?:pass|passwd|password|pwd|token|access_token|key|api_key|auth|secret|psw)=)[^&#]*", re.IGNORECASE
)


def without_secrets(address: str) -> str:
    """
    Return an address with passwords, and parameters named like one, hidden.

    >>> without_secrets("http://user:secret@192.168.1.5:8080/video"), without_secrets("rtsp://cam/1?user=a&pwd=b#x")
    ('http://user:***@192.168.1.5:8080/video', 'rtsp://cam/1?user=a&pwd=***#x')
    >>> without_secrets("0"), without_secrets("/home/anna/a:b@c.mp4"), without_secrets("http://user@host/?a=1")
    ('0', '/home/anna/a:b@c.mp4', 'http://user@host/?a=1')
    """
    if "://" not in address:
        return address
    return _PARAMETER.sub(rf"\g<1>{HIDDEN}", _PASSWORD.sub(rf"\g<1>:{HIDDEN}@", address))
