"""Where are the people at risk listed? In a confidential file of its own, never on this page."""

from pathlib import PurePosixPath

from unveil.records.report import Parts, ReportContents
from unveil.view.html_pieces import text
from unveil.view.report_sentences import fill_sentence
from unveil.view.sections.section import Section


def section(contents: ReportContents, parts: Parts) -> Section | None:
    """Where the file is, if it was written; how to get it, if not."""
    file = contents.records_file
    if file is None:
        return Section("records", "Records at risk", fill_sentence("records.none").html("told"))
    files = [file]
    if file.endswith(".html"):  # the same as a table for other programs was written with it
        files.append(file.removesuffix(".html") + ".csv")
    links = "".join(f"<li>{_named(one)}</li>" for one in files)
    body = fill_sentence("records.written").html("told") + f"<ul>{links}</ul>"
    return Section("records", "Records at risk", body)


def _named(file: str) -> str:
    """A file beside the report as a link, whatever its name holds; one elsewhere by name alone."""
    place = PurePosixPath(file)
    if place.name != file:
        return f"<code>{text(file)}</code>, in the project"
    return f'<a href="./{_address(file)}">{text(file)}</a>'


def _address(file: str) -> str:
    """A name as a part of an address: everything but plain letters and digits by its bytes."""
    return "".join(
        one if one.isascii() and (one.isalnum() or one in "-._~") else _by_bytes(one)
        for one in file
    )


def _by_bytes(character: str) -> str:
    return "".join(f"%{byte:02X}" for byte in character.encode("utf-8", "surrogatepass"))
