"""Every error helix raises on purpose. Standard library only.

HelixError
├── UsageError          wrong arguments or values (exit code 2)
├── RefusedError        a rule said no, or the thing is not there (exit code 1)
│   ├── ChangedError         it was changed since it was looked at
│   └── GoneError            there is no insight of that name
├── ConfigError         a configuration file or variable is not usable (exit code 2)
├── StoreError          the database cannot be used (exit code 3)
│   ├── StoreMissingError    there is no database yet
│   ├── StoreLockedError     another process held the write lock for too long
│   ├── StoreCorruptError    the file is damaged or not a database
│   └── StoreTooNewError     written by a newer helix: reading only
└── WorkerError         the worker is absent, busy or of another version
    └── UnknownOperationError   it does not know what it is asked for: its code is older
"""

from __future__ import annotations


class HelixError(Exception):
    """Base of all; its text is the one line a person sees."""

    exit_code = 1
    remedy = ""
    """What to do about it, where its text cannot know; told after it."""


class UsageError(HelixError):
    """Wrong arguments or values."""

    exit_code = 2


class RefusedError(HelixError):
    """A rule said no, or the thing named is not there."""


class ChangedError(RefusedError):
    """An insight was changed by somebody else since it was looked at; nothing was overwritten."""


class GoneError(RefusedError):
    """There is no insight of that name, or not any more."""


class ConfigError(HelixError):
    """A configuration file or variable cannot be used; names file and key."""

    exit_code = 2


class StoreError(HelixError):
    """The database cannot be used."""

    exit_code = 3


class StoreMissingError(StoreError):
    """There is no database yet; reading commands never create one."""

    remedy = "the first helix session makes one, or helix store"


class StoreLockedError(StoreError):
    """Another process held the write lock longer than we may wait."""

    remedy = "try again in a moment"


class StoreCorruptError(StoreError):
    """The file is damaged, or it is not a SQLite database."""

    remedy = "helix restore-backup lists what can be brought back"


class StoreTooNewError(StoreError):
    """A newer helix wrote this database; this one only reads it."""

    remedy = "update helix to change it"


class WorkerError(HelixError):
    """The worker is absent, too slow, or speaks another protocol."""


class UnknownOperationError(WorkerError):
    """Whoever was asked does not know the operation: its code is older than the asker's."""
