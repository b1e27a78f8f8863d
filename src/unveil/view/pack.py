"""A release pack in words: the page inside it, the screen of who built it, and of who checks it."""

from collections.abc import Iterator, Sequence
from typing import get_args

from unveil.records.pack import (
    LeakKind,
    Pack,
    PackCheck,
    PackDocuments,
    PackMember,
    PackVerification,
)
from unveil.view.blocks import Block, Command, Facts, Heading, Items, Sentence, sentences, table
from unveil.view.format import format_count, truncate, visible
from unveil.view.render_page import render_page
from unveil.view.show import as_blocks, as_text

FAKE = "FAKE: synthetic data, no real people."
ADVICE = (
    "Explore here, confirm on the real data: write and test your analysis with these data, then"
    " ask for it to be run on the original before you publish a result.",
    "Do not take a record for a person, and do not try to find one.",
    "The data can be wrong about small groups and about columns taken together.",
)
LOW_FIDELITY = (
    "These data are of low fidelity: each column is alike by itself, and relations between columns"
    " are not reproduced. Use them to write code, not to answer questions."
)
STAYS = (
    "Runs, limits, figures of disclosure risk, seeds, settings of the model, records at risk and"
    " the log stay with you: unveil pack --confidential archive.zip."
)
WHAT_LEAVES = (
    ("codebook", "labels, types, codes; none of fewer than five records"),
    ("page", "what the data are, how to use them, known differences, who released them"),
    ("noise statement", "class of method in a sentence; kind and amount of noise"),
    ("manifest and RO-Crate", "SHA-256 of every file; the same for programs"),
)
WHAT_STAYS = (
    ("original", "with its hash, shape and profile"),
    ("disclosure risk", "every figure, limit and alert: published, they would help an intruder"),
    ("records at risk", "who, and why"),
    ("rulings and answers", "with reasons and names; the audit log"),
    ("model", "order, predictors, sizes of leaves, seeds"),
    ("ECAP", "its values, and the tolerated maximum"),
)
_MEMBERS = ("file", "what it is", "bytes", "SHA-256")


def pack_page(documents: PackDocuments, members: Sequence[PackMember]) -> str:
    """The page that goes with the data; nothing in it is drawn from the original."""
    title = f"FAKE: {truncate(documents.title)}"
    return render_page(title, _page_blocks(documents, members), is_confidential=False)


def _page_blocks(documents: PackDocuments, members: Sequence[PackMember]) -> Iterator[Block]:
    yield Sentence(FAKE, "lead")
    yield from sentences((documents.description,))
    n = format_count(documents.n_records, "record")
    files = f" in {documents.n_files:,} files" if documents.n_files > 1 else ""
    decision = documents.decision
    yield Facts(
        (
            ("Size", f"{n}{files}, {format_count(documents.n_columns, 'column')}"),
            ("Audience", decision.audience or ""),
            ("Released", f"by {visible(decision.by)} on {decision.on[:10]}"),
            ("Licence", visible(documents.licence or "")),
            ("Contact", visible(documents.contact or "")),
            ("Publisher", visible(documents.publisher or "")),
        )
    )
    yield Heading("How to use them", 2)
    yield from sentences([LOW_FIDELITY] if documents.is_low_fidelity else [])
    yield Items(ADVICE)
    yield Heading("How they were made", 2)
    yield from sentences((documents.method, *(documents.noise or "").split("\n\n")))
    yield Heading("Known differences from the original", 2)
    yield Items(documents.differences or ("No structural difference is known.",))
    if documents.utility:
        yield Heading("Utility", 2)
        yield Items(documents.utility)
    yield Heading("Checks before release", 2)
    yield check_table(documents.checks)
    if decision.exceptions:
        yield Heading("Accepted exceptions", 2)
        yield Items(tuple(map(visible, decision.exceptions)))
    yield Heading("Files", 2)
    yield table(
        "",
        _MEMBERS[:3],
        [(one.name, one.what, f"{one.n_bytes:,}") for one in members],
        text=_MEMBERS[1:2],
    )
    yield from sentences(documents.notes)
    yield Sentence("Whether all is as it was released:")
    yield Command("unveil verify PACK.zip")
    yield Sentence("or, without unveil, in the unpacked folder:")
    yield Command("sha256sum -c MANIFEST.sha256")


def check_table(checks: Sequence[PackCheck]) -> Block:
    """The four checks, each with its evidence."""
    rows = [
        (one.name, "passed" if one.is_passed else "open", visible(one.evidence)) for one in checks
    ]
    return table("", ("check", "state", "evidence"), rows, text=("state", "evidence"))


@as_text.register
def _(record: Pack) -> str:
    return (
        f"{record.form.capitalize()} pack {visible(record.path)}:"
        f" {format_count(len(record.members), 'file')}, SHA-256 {record.sha256}."
    )


@as_blocks.register
def _(record: Pack) -> Iterator[Block]:
    is_public = record.form == "public"
    yield Heading(f"{'Release' if is_public else 'Confidential'} pack: {visible(record.path)}")
    if is_public:
        n = len(get_args(LeakKind))
        told = f"Opened again as an outsider would: none of {n} kinds of leak was found."
        yield Sentence(told, "lead")
    else:
        yield Sentence("CONFIDENTIAL: readable by its owner only. It must not be released.", "stop")
    there = "" if record.is_new else " The same bytes were there already."
    yield Facts(
        (
            ("Size", f"{format_count(record.n_bytes, 'byte')}.{there}"),
            ("SHA-256", record.sha256),
            ("Signature", f"{visible(record.path)}.sig" if record.is_signed else "none"),
        )
    )
    if record.checks:
        yield Heading("Checks", 4)
        yield check_table(record.checks)
    rows = [(visible(one.name), one.what, f"{one.n_bytes:,}") for one in record.members]
    if is_public:
        yield table("What leaves", _MEMBERS[:3], rows, text=_MEMBERS[1:2])
        yield from sentences(record.notes)
        yield from sentences(
            f"Released beyond the usual by {visible(one.by)}: {visible(one.release)}"
            f" ({visible(one.reason)})."
            for one in record.more
        )
        yield Sentence(STAYS)


def _verification_lines(record: PackVerification) -> Iterator[str]:
    if record.faults:
        n = format_count(len(record.faults), "thing is", "things are")
        yield f"{visible(record.file)} is not as it was released: {n} wrong."
        for one in record.faults:
            where = "" if one.member is None else f"{visible(one.member)}: "
            yield f"■ {where}{visible(one.sentence)}"
        return
    what = format_count(record.n_members, "file")
    if record.form == "public":
        data = format_count(record.n_data, "data file")
        yield (
            f"{visible(record.file)} is as it was released: {what} as in the manifest; {data}"
            " marked FAKE and as the codebook says."
        )
    else:
        yield f"{visible(record.file)} is as it was written: {what} as in the manifest."
    if record.signature == "by this key":
        yield f"Signed by the key you named ({record.signer})."
    elif record.signature == "valid":
        yield (
            f"Signed by the key {record.signer}. Whose key that is was not checked: name theirs"
            " with --key."
        )
    elif record.signature == "not checked":
        yield "It has a signature that was not checked: ssh-keygen is not installed."
    else:
        yield (
            "It is not signed, so a person who changed it could have changed the manifest too:"
            f" compare its SHA-256 with the publisher's: {record.sha256}"
        )


@as_text.register
def _(record: PackVerification) -> str:
    return "\n".join(_verification_lines(record))


@as_blocks.register
def _(record: PackVerification) -> Iterator[Block]:
    yield from sentences(_verification_lines(record), "lead")
