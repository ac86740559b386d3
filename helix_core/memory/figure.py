"""A figure and the query behind it, so that every number shown can be traced to rows.

Standard library only. The statements hold no text from outside: what they compare with are
constants of helix and moments of its own clock, so that what is printed can be run as it stands.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Figure:
    """One figure: its name, its value as plain JSON, and the statement whose rows it rests on.

    Where `note` is empty the value is what the statement gives; else `note` says what was done
    with its rows.
    """

    name: str
    value: Any
    sql: str
    note: str = ""


def number(conn: sqlite3.Connection, name: str, sql: str) -> Figure:
    """The one value of a statement."""
    return Figure(name, conn.execute(sql).fetchone()[0], sql)


def pairs(conn: sqlite3.Connection, name: str, sql: str) -> Figure:
    """The rows (key, value) of a statement as an object, in their order."""
    return Figure(name, {_key(key): value for key, value in conn.execute(sql)}, sql)


def rows(conn: sqlite3.Connection, name: str, sql: str) -> Figure:
    """The rows of a statement, each as an object by its column names."""
    cursor = conn.execute(sql)
    names = [column[0] for column in cursor.description]
    return Figure(name, [dict(zip(names, row, strict=True)) for row in cursor.fetchall()], sql)


def values(figures: list[Figure]) -> dict[str, Any]:
    """The figures as one object by name."""
    return {figure.name: figure.value for figure in figures}


def explained(figures: list[Figure]) -> list[dict[str, Any]]:
    """The figures with the statement behind each, as plain JSON."""
    return [
        {"name": f.name, "value": f.value, "sql": f.sql, **({"note": f.note} if f.note else {})}
        for f in figures
    ]


def _key(value: object) -> str:
    return "unknown" if value is None else str(value)
