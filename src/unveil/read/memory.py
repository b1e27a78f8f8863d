"""How much memory is free, so that a file too large for it is refused and not half read?"""

import os
from pathlib import Path

_MEMINFO = Path("/proc/meminfo")
_GROUP = Path("/sys/fs/cgroup")


def free_memory() -> int | None:
    """Bytes that can still be used, by what the system and its container say; None if neither."""
    known = [n for n in (_of_the_system(), _of_the_group()) if n is not None]
    return min(known) if known else None


def size_text(n_bytes: float) -> str:
    """A size as people say it: 10.0 GB, 250 MB, 3 KB."""
    for unit, name in ((1e9, "GB"), (1e6, "MB"), (1e3, "KB")):
        if n_bytes >= unit:
            amount = n_bytes / unit
            return f"{amount:.1f} {name}" if amount < 100 else f"{amount:,.0f} {name}"
    return f"{n_bytes:.0f} bytes"


def _of_the_system() -> int | None:
    try:
        for line in _MEMINFO.read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    return memory_total()  # the best guess, where nobody says how much of it is free


def memory_total() -> int | None:
    """All bytes of memory there are; None where the system does not say."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # no such question on Windows
        return None


def _of_the_group() -> int | None:
    try:
        limit = int((_GROUP / "memory.max").read_text(encoding="ascii"))
        used = int((_GROUP / "memory.current").read_text(encoding="ascii"))
        lines = (_GROUP / "memory.stat").read_text(encoding="ascii").splitlines()
        # Files that the system keeps at hand, and drops as soon as somebody needs the room.
        spare = sum(int(line.split()[1]) for line in lines if line.startswith("inactive_file "))
    except (OSError, ValueError, IndexError):  # "max": no limit
        return None
    return max(limit - used + spare, 0)
