"""What notebooks show."""

from __future__ import annotations

import os
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hlolayout._results import Stats

LARGEST = 50_000
"""Characters of HTML that a notebook's own page takes; more goes to a frame."""


def framed(page: str, height: int = 600) -> str:
    """Returns a page in a frame that reaches nothing of the notebook around it."""
    return (
        f'<iframe sandbox="allow-scripts" srcdoc="{escape(page)}" '
        f'style="width:100%;height:{height}px;border:1px solid #ccc"></iframe>'
    )


@dataclass(frozen=True, slots=True)
class Report:
    """The page of hlolayout report."""

    html: str

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the page to a file, which opens in any browser, offline."""
        Path(path).write_text(self.html, encoding="utf-8")

    def _repr_html_(self) -> str:
        return framed(self.html)


def stats_html(stats: Stats) -> str:
    """Returns the tables of a module's arrays and relayouts."""
    padding = stats.padded_bytes - stats.unpadded_bytes
    arrays = [(a.shape, a.space, len(a.values), a.padded_bytes, f"{a.expansion:.1f}") for a in stats.arrays]
    moves = [(r.value.name, r.from_, r.to, r.total_bytes, r.cause) for r in stats.relayouts]
    html = (
        f"<p><b>{escape(stats.module)}</b>: {stats.values} arrays, {stats.padded_bytes:,} bytes "
        f"({padding:,} of them padding), relayouts {stats.relayout_bytes:,} bytes a run</p>"
        + _table(("array", "space", "values", "bytes of one", "expansion"), arrays)
        + _table(("relayout", "from", "to", "bytes a run", "cause"), moves)
    )
    return html if len(html) <= LARGEST else framed(html)


def _table(head: tuple[str, ...], rows: list[tuple[str | int, ...]]) -> str:
    if not rows:
        return ""
    lines = ["".join(f"<th>{name}</th>" for name in head)]
    for row in rows:
        cells = (f"{cell:,}" if isinstance(cell, int) else escape(cell) for cell in row)
        lines.append("".join(f"<td>{cell}</td>" for cell in cells))
    return "<table>" + "".join(f"<tr>{line}</tr>" for line in lines) + "</table>"
