"""The licences of everything that `pip install unveil` brings, as the packages state them.

Ends with an error where a licence is not one of the permissive ones.
"""

import re
import sys
from collections import Counter
from importlib import metadata

PERMISSIVE = ("MIT", "BSD", "Apache", "ISC", "PSF", "Python Software Foundation", "Zlib")


def needed(name: str, found: set[str]) -> set[str]:
    """A package and what it needs, extras left out."""
    if name not in found:
        found.add(name)
        for line in metadata.requires(name) or ():
            if "extra ==" in line or ("sys_platform" in line and "linux" not in line):
                continue
            wanted = re.match(r"[\w.-]+", line)[0].lower().replace("_", "-")
            try:
                metadata.distribution(wanted)
            except metadata.PackageNotFoundError:
                continue
            needed(wanted, found)
    return found


def licence_of(name: str) -> str:
    about = metadata.metadata(name)
    stated = about.get("License-Expression")
    classes = [c.split(" :: ")[-1] for c in about.get_all("Classifier") or () if "License ::" in c]
    return stated or ", ".join(classes) or (about.get("License") or "not stated").splitlines()[0]


def main() -> None:
    licences = {name: licence_of(name) for name in sorted(needed("unveil", set()))}
    for name, licence in licences.items():
        print(f"  {name} {metadata.version(name)}: {licence}")
    others = [n for n, text in licences.items() if not any(word in text for word in PERMISSIVE)]
    kinds = Counter("other" if n in others else "permissive" for n in licences)
    print(f"licences: {len(licences)} packages, {dict(kinds)}")
    if others:
        sys.exit(f"not known as permissive: {', '.join(others)}")


if __name__ == "__main__":
    main()
