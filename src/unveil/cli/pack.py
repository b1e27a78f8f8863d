"""`unveil pack` and `unveil verify`: what may leave as one archive, and whether it is intact."""

from pathlib import Path

import click
from msgspec.structs import replace

from unveil.cli.options import FILE, json_option, option, project_option
from unveil.errors import SettingsError
from unveil.project.actions import BuildPack
from unveil.project.read_project import read_project
from unveil.project.verify_pack import verify_pack
from unveil.view.blocks import Sentence
from unveil.view.output import print_record
from unveil.view.show import as_blocks

NOT_AS_WRITTEN = 3


@click.command()
@option("--public", "Build the pack that may leave.", "OUT.zip", type=FILE)
@option("--confidential", "Archive all that stays, for its owner only.", "OUT.zip", type=FILE)
@option("--sign", "Sign it with this private key of OpenSSH: OUT.zip.sig.", "KEY", type=FILE)
@project_option
@json_option
def pack(
    *,
    public: Path | None,
    confidential: Path | None,
    sign: Path | None,
    project: str | None,
    as_json: bool,
) -> None:
    """Build the release pack after a decision to release, and check that nothing else leaves.

    The finished archive is opened again as an outsider would open it, and is not written if it
    holds figures of disclosure risk, seeds, model details, paths, names of users, rare levels,
    rows in the order of the original, or data that do not say that they are fake.

    \b
    Example:
      unveil pack --public release.zip
      unveil pack --public release.zip --sign ~/.ssh/id_ed25519
      unveil pack --confidential archive.zip

    Exit codes: 0 written, 2 wrong use, 3 log or runs were changed, 4 a decision or a check is
    outstanding, 5 the leak check refused it.
    """
    if (public is None) == (confidential is None):
        raise SettingsError("State which pack: --public out.zip or --confidential out.zip.")
    out = public or confidential or Path()
    action = BuildPack(
        out=str(out.absolute()),
        form="confidential" if public is None else "public",
        sign=None if sign is None else str(sign),
    )
    made = replace(action.do(read_project(project)), path=str(out))  # as it was typed
    next_line = Sentence(f"Next: unveil verify {made.path}", "dim")
    print_record(made, (*as_blocks(made), next_line), as_json=as_json)


@click.command()
@click.argument("pack", metavar="OUT.zip")
@option("--key", "Public key that must have signed it, a file of OpenSSH (.pub).", "KEY", type=FILE)
@json_option
def verify(*, pack: str, key: Path | None, as_json: bool) -> int:
    """Check a release pack that you received: manifest, marks, codebook, signature.

    Neither a project nor a network is needed.

    \b
    Example:
      unveil verify release.zip
      unveil verify release.zip --key office.pub

    Exit codes: 0 unchanged since release, 2 not a pack, 3 something differs.
    """
    check = verify_pack(pack, key=key)
    print_record(check, as_json=as_json)
    return NOT_AS_WRITTEN if check.faults else 0
