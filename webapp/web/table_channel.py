"""
Release the buffers of a connection once its client has read everything.

A live stream is one answer that never ends. waitress appends each message to one buffer and frees none of it until
``outbuf_high_watermark`` bytes have passed through (8 MB here, part of it in a temporary file), for each open page.
"""

from __future__ import annotations

from waitress.buffers import OverflowableBuffer
from waitress.channel import HTTPChannel


class TableChannel(HTTPChannel):  # type: ignore[misc]  # waitress has no types
    """A connection whose buffer is replaced by an empty one whenever all of it has been sent."""

    def _flush_some(self, do_close: bool = True) -> bool:
        """Send what can be sent; return whether anything was. The caller holds ``outbuf_lock``."""
        has_sent = bool(super()._flush_some(do_close=do_close))
        if len(self.outbufs) == 1 and not self.total_outbufs_len and self.outbufs[0].buf is not None:
            self.outbufs[0].close()
            self.outbufs[0] = OverflowableBuffer(self.adj.outbuf_overflow)
            self.current_outbuf_count = 0
        return has_sent
