"""Who may speak to the app, and what does it let out?"""

import asyncio
import os
import re
import shutil
from contextlib import suppress

import pytest

from app.conftest import HTMX, Browser, serving

pytestmark = pytest.mark.app
PORT = 4321
OWN = {"host": f"127.0.0.1:{PORT}"}


@pytest.fixture
def guard():
    from unveil.app.security import Guard

    async def inner(scope, receive, send):
        size = 0
        while (message := await receive())["type"] == "http.request":
            size += len(message["body"])
            if not message.get("more_body"):
                break
        headers = [(b"server", b"x"), (b"cache-control", b"public")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": str(size).encode()})

    return Guard(inner, port=PORT, entered=b"entered")


def ask(guard, path="/", method="GET", *, headers=OWN, query="", bodies=(b"",)):
    sent = []
    parts = [
        {"type": "http.request", "body": one, "more_body": n < len(bodies)}
        for n, one in enumerate(bodies, start=1)
    ]

    async def receive():
        return parts.pop(0) if parts else {"type": "http.disconnect"}

    async def send(message):
        sent.append(message)

    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "path": path, "method": method, "headers": raw}
    asyncio.run(guard({**scope, "query_string": query.encode()}, receive, send))
    body = b"".join(one.get("body", b"") for one in sent[1:])
    return sent[0]["status"], dict(sent[0]["headers"]), body.decode()


def enter(guard):
    _, headers, _ = ask(guard, "/enter", query=f"token={guard.token}")
    return {**OWN, "cookie": headers[b"set-cookie"].decode().partition(";")[0]}


POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
    " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
EXACT = {
    "content-security-policy": POLICY,
    "cache-control": "no-store",
    "referrer-policy": "same-origin",  # "no-referrer" makes a browser send forms from nowhere
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=(), usb=(), clipboard-read=()",
    "x-robots-tag": "noindex",
}


def test_the_host_is_looked_at_first(guard):
    cookie = enter(guard)
    for host in ("evil.example", "127.0.0.1:1", "127.0.0.1", f"evil.example:{PORT}", ""):
        assert ask(guard, headers={**cookie, "host": host})[0] == 400
    assert ask(guard, headers={"cookie": cookie["cookie"]})[0] == 400
    assert ask(guard, headers={**cookie, "host": f"localhost:{PORT}"})[0] == 200
    foreign = {"host": "evil.example", "content-length": "99999999"}
    assert ask(guard, "/enter", headers=foreign)[0] == 400


def test_the_token_is_good_once_and_the_cookie_is_strict(guard):
    token = guard.token
    assert len(token) >= 43  # 256 bits
    assert ask(guard)[0] == 401
    assert ask(guard, "/enter", query="token=guess")[0] == 401
    assert ask(guard, "/enter")[0] == 401
    status, headers, _ = ask(guard, "/enter", query=f"token={token}")
    cookie = headers[b"set-cookie"].decode()
    assert status == 200
    assert re.fullmatch(rf"unveil_{PORT}=[\w-]{{43}}; Path=/; HttpOnly; SameSite=Strict", cookie)
    assert token not in cookie
    assert ask(guard, "/enter", query=f"token={token}")[0] == 401  # replayed
    assert ask(guard, headers={**OWN, "cookie": f"unveil_{PORT}=guess"})[0] == 401
    assert ask(guard, headers={**OWN, "cookie": "\x00;;=="})[0] == 401
    assert ask(guard, headers={**OWN, "cookie": cookie.partition(";")[0]})[0] == 200


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_a_change_comes_from_our_own_pages(guard, method):
    cookie, own = enter(guard), f"http://127.0.0.1:{PORT}"
    for origin in (None, "null", "http://evil.example", f"http://127.0.0.1:{PORT + 1}", own + "/"):
        more = {} if origin is None else {"origin": origin}
        assert ask(guard, method=method, headers={**cookie, **more})[0] == 403
    from_us = {**cookie, "origin": own}
    for site in ("cross-site", "same-site", "none"):
        assert ask(guard, method=method, headers={**from_us, "sec-fetch-site": site})[0] == 403
    assert ask(guard, method=method, headers={**from_us, "sec-fetch-site": "same-origin"})[0] == 200
    assert ask(guard, "/enter", method, headers=OWN, query=f"token={guard.token}")[0] == 401


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_a_page_is_read_by_our_own_pages_and_by_hand(guard, method):
    """A program on another port of this machine is the same site: its pages get no answer."""
    cookie = enter(guard)
    for site, status in (("none", 200), ("same-origin", 200), ("same-site", 403), ("x", 403)):
        assert ask(guard, method=method, headers={**cookie, "sec-fetch-site": site})[0] == status


def test_a_long_body_is_refused_whether_it_says_so_or_not(guard):
    post = {"method": "POST", "headers": {**enter(guard), "origin": f"http://127.0.0.1:{PORT}"}}
    for length in ("2000001", "-1", "1e9", "999999999999999999999", ""):
        headers = {**post["headers"], "content-length": length}
        assert ask(guard, method="POST", headers=headers)[0] == 413
    million = b"x" * 1_000_000
    assert ask(guard, **post, bodies=[million, million])[::2] == (200, "2000000")
    status, headers, said = ask(guard, **post, bodies=[million, million, b"x", million])
    assert (status, said.partition(".")[0]) == (413, "That is more than the app takes")
    assert b"content-security-policy" in headers


def test_every_answer_has_these_headers_and_no_others_of_their_names(guard):
    cookie = enter(guard)
    for given in (OWN, {}, cookie):
        _, headers, _ = ask(guard, headers=given)
        named = {name.decode(): value.decode() for name, value in headers.items()}
        assert {name: named[name] for name in EXACT} == EXACT
        assert "server" not in named


def test_no_websocket_is_accepted(guard):
    sent = []

    async def send(message):
        sent.append(message)

    asyncio.run(guard({"type": "websocket", "headers": []}, None, send))
    assert sent == [{"type": "websocket.close", "code": 1008}]


def test_the_server_refuses_the_same_over_a_socket(browser):
    stranger = Browser(browser.address)
    assert stranger.send("GET", "/")[0] == 401
    assert browser.get("/", Host="evil.example")[0] == 400
    assert browser.post("/jobs/run", headers={"Origin": "http://evil.example"})[0] == 403
    assert browser.send("GET", browser.address.removeprefix(browser.base))[0] == 401
    kind = "application/x-www-form-urlencoded"
    own = {"Origin": browser.base, "Transfer-Encoding": "chunked", "Content-Type": kind}
    chunks = iter([b"a=" + b"x" * 500_000 + b"&"] * 5)
    with suppress(BrokenPipeError, ConnectionResetError):  # it may be cut off while it is sent
        assert browser.send("POST", "/jobs/run", chunks, own, is_chunked=True)[0] == 413
    for path in ("/static/../security.py", "/static/%2e%2e/security.py", "/static//etc/passwd"):
        assert browser.get(path)[0] == 404
    for path in ("/", "/risk", "/nowhere", "/static/app.css"):
        headers = {name.lower(): value for name, value in browser.get(path)[1].items()}
        assert {name: headers[name] for name in EXACT} == EXACT


def test_a_number_of_any_length_is_no_fault(browser):
    long = 5000 * "9"
    for path in (f"/risk?s={long}", f"/risk/values?t={long}&c={long}", f"/roles/keysets?s={long}"):
        assert browser.get(path)[0] == 200
    for path in (f"/data/file/{long}", f"/release/pack/{long}", f"/jobs/{long}/cancel"):
        assert browser.get(path)[0] in (404, 405)
    assert browser.act("/risk/rule", f=long, s=long, reason="x", by="Ann Bell, reviewer")[0] == 422
    for name in ("content-length", "host"):
        assert browser.post("/jobs/run", headers={name: long})[0] in (400, 413)


def test_a_table_of_counts_reaches_no_disk(tmp_path, monkeypatch):
    """A dropped file is held in memory up to all that the app takes."""
    from tempfile import SpooledTemporaryFile

    from unveil.app.server import make_app
    from unveil.app.workspace import Workspace

    rolled = []

    def rollover(file):
        rolled.append(file)

    monkeypatch.setattr(SpooledTemporaryFile, "rollover", rollover)
    head = b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n'
    rows = b"a;b\n" + b"x;1\n" * 470_000
    sent = {"content-type": "multipart/form-data; boundary=b"}
    app = make_app(Workspace(tmp_path))
    ask(app, "/table", "POST", headers=sent, bodies=[head + rows + b"\r\n--b--\r\n"])
    assert rolled == []


def test_a_fault_of_ours_is_told_by_its_type_alone(tmp_path, monkeypatch, caplog):
    """Whatever breaks, in a page or before it: no message, which may quote data, gets out."""
    from unveil.app.pages import jobs
    from unveil.app.server import make_app
    from unveil.app.workspace import Workspace

    def broken(*given, **more):
        raise ValueError("HIV positive")

    for place, name in ((Workspace, "_look"), (jobs, "draw_page")):
        app = make_app(Workspace(tmp_path))
        with monkeypatch.context() as patch:
            patch.setattr(place, name, broken)
            status, _, page = ask(app, "/jobs")
        assert (status, "Internal error (ValueError)" in page) == (500, True)
        assert "HIV" not in page + caplog.text


def test_a_link_that_leads_out_offers_no_file(folder, tmp_path):
    secret = tmp_path / "elsewhere"
    secret.mkdir()
    (secret / "payroll.csv").write_text("a\n1\n")
    (folder / "linked.csv").symlink_to(secret / "payroll.csv")
    (folder / "all").symlink_to(secret)
    allowed = tmp_path / "allowed"
    allowed.mkdir()
    (allowed / "census.csv").write_text("a\n1\n")
    from unveil.app.files import list_files
    from unveil.app.workspace import Workspace

    (folder / "release_0001.zip").symlink_to(secret / "payroll.csv")
    (folder / os.fsdecode(b"\xff.csv")).write_text("a\n1\n")
    found = list_files(Workspace(folder, (allowed,)))
    assert found == ["survey.csv", "survey_synthetic.csv", str(allowed / "census.csv")]
    with serving(folder) as app:
        assert app.browser.enter().get("/release/pack/0")[0] == 404


def test_a_file_that_comes_while_one_chooses_is_not_taken_for_another(tmp_path):
    """The form names the files that it showed; one that it did not show is not taken either."""
    from unveil.app.jobs import Jobs
    from unveil.examples import write_csv

    write_csv(tmp_path)
    with serving(tmp_path) as app:
        browser = app.browser.enter()
        shown = re.findall(r'name="file" value="([^"]*)"', browser.get("/data")[2])
        (tmp_path / "a.csv").write_text("a\n1\n")
        said = {"file": [*shown, "../x.csv"], "role-0": "original", "role-2": "synthetic"}
        assert browser.post("/data/start", said)[0] == 303
    assert Jobs(tmp_path).list()[0].command.endswith("--template neighbour -- survey.csv")


PAGES = (
    "/",
    "/data",
    "/roles",
    "/synthesise",
    "/risk",
    "/risk/values",
    "/risk/recode",
    "/risk/records",
    "/utility",
    "/decide",
    "/release",
    "/table",
    "/membership",
    "/jobs",
)
HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def hostile(example, tmp_path_factory):
    """The example with a title, a column and a level that want to be HTML, measured."""
    from unveil.project.project import Project

    folder = tmp_path_factory.mktemp("hostile") / "survey"
    shutil.copytree(example, folder)
    for name in ("survey.csv", "survey_synthetic.csv"):
        text = (folder / name).read_text().replace("no condition", HOSTILE)
        (folder / name).write_text(text.replace("employment", "<b>job</b>", 1))
    place = folder / "project.toml"
    text = place.read_text().replace('title = "survey"', f'title = "{HOSTILE}"')
    place.write_text(text.replace('"employment"', '"<b>job</b>"'))
    Project(folder).run(only="disclosure")
    return folder


@pytest.mark.slow
def test_a_hostile_label_is_text_on_every_page(hostile):
    with serving(hostile) as app:
        browser = app.browser.enter()
        shown = {path: browser.get(path) for path in PAGES}
        ticked = browser.act("/risk/whatif", f="0")
    assert {status for status, *_ in shown.values()} == {200}
    for _, _, page in (*shown.values(), ticked):
        assert "<img" not in page
        assert "<b>job" not in page
        assert not re.search(r"\son\w+=[\"']|<[^>]*\sstyle=|<script(?! src=)", page)
    assert "&lt;img" in shown["/risk"][2]


def test_no_page_has_inline_script_or_style(browser):
    for path in PAGES:
        status, _, page = browser.get(path)
        assert status == 200, path
        assert not re.search(r"<[^>]*\s(on\w+|style)=|<style|<script(?! src=)|javascript:", page)
        outside = re.findall(r"(?:src|href|action)=\"(?!/|#|\./|\?)([^\"]*)", page)
        assert outside == [], path


def test_of_two_tabs_the_older_one_is_refused(browser, folder):
    old = browser.mark()
    said = {"f": "0", "accept": "yes", "reason": "well known", "by": "Ann Bell, reviewer"}
    assert browser.post("/risk/rule", {"mark": old, **said}, HTMX)[0] == 200
    before = (folder / "project.toml").read_bytes()
    status, _, page = browser.post("/risk/rule", {"mark": old, **said, "f": "49"}, HTMX)
    assert status == 422
    assert "changed since this page was drawn" in page
    assert (folder / "project.toml").read_bytes() == before
    assert browser.act("/risk/rule", **{**said, "f": "49"})[0] == 200
    decided = {"mark": browser.mark(), "decision": "refuse", "note": "no", "by": said["by"]}
    assert [browser.post("/decide/decide", decided)[0] for _ in range(2)] == [200, 422]
    assert len(list((folder / "decisions").glob("*.json"))) == 1  # of a button pressed twice


def test_a_second_app_of_a_folder_says_who_has_it(browser, folder):
    with serving(folder) as second:
        assert second.browser is None
        assert second.process.wait(timeout=30) == 2
        assert "The app has this folder open already, by" in second.first
        assert browser.base in second.first
        assert "token" not in second.first


def test_an_internal_fault_shows_no_value(browser, folder):
    (folder / "project.toml").write_text('schema = 1\ntitle = "HIV positive')
    status, _, page = browser.get("/risk")
    assert status == 200
    assert "HIV positive" not in page
