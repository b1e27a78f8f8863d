"""Who may speak to the app, and how much may they say? One wrapper around everything else.

The order is fixed: host, length, token or cookie, origin; only then does a page see a
request. Every answer leaves with the same headers, refusals included.
"""

import hmac
import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

MOST_BYTES = 2_000_000
HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
        " connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "cache-control": "no-store",
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=(), usb=(), clipboard-read=()",
    "x-robots-tag": "noindex",
}
_OURS = frozenset([*(name.encode() for name in HEADERS), b"server"])
READING = ("GET", "HEAD")
ENTER = "/enter"

BAD_HOST = "This app answers to its own address only."
TOO_LONG = "That is more than the app takes. Open the file from the project folder."
NO_COOKIE = "Open the app with the address that `unveil app` printed. It works once."
USED = "This address was used already, or is not ours. Start `unveil app` again."
FOREIGN = "A request must come from a page of this app. Open its address by hand."


class Guard:
    """The outermost layer; `token` opens it once."""

    def __init__(self, app: App, *, port: int, entered: bytes) -> None:
        self._app = app
        self._hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
        self._origins = {f"http://{host}" for host in self._hosts}
        self._cookie = f"unveil_{port}"  # two apps on two ports do not overwrite each other
        self._entered = entered
        self._session: str | None = None
        self.token: str | None = secrets.token_urlsafe(32)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse, or hand on; a websocket is never accepted."""
        if scope["type"] != "http":
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008})
            return
        send = _seal(send)
        headers: dict[str, list[str]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name.decode("latin1").lower(), []).append(value.decode("latin1"))
        refused = self._refusal(scope, headers)
        if refused is not None:
            await _answer(send, *refused)
        elif scope["path"] == ENTER:
            await self._enter(scope, send)
        else:
            await self._app(scope, *_count_body(receive, send))

    def _refusal(self, scope: Scope, headers: dict[str, list[str]]) -> tuple[int, str] | None:
        """The status and the sentence of a refusal; None where the request may pass."""
        if [one.lower() for one in headers.get("host", [])] not in [[one] for one in self._hosts]:
            return 400, BAD_HOST
        for length in headers.get("content-length", []):
            if not (length.isascii() and length.isdigit()) or int(length) > MOST_BYTES:
                return 413, TOO_LONG
        if scope["path"] == ENTER and scope["method"] in READING:
            return None
        if not self._knows(";".join(headers.get("cookie", []))):
            return 401, NO_COOKIE
        return None if self._is_own(scope["method"], headers) else (403, FOREIGN)

    def _is_own(self, method: str, headers: dict[str, list[str]]) -> bool:
        """Whether it comes from our own pages; to read, also from what a person typed."""
        origin, site = headers.get("origin", []), headers.get("sec-fetch-site", [])
        if method in READING:  # another port of this machine is the same site, and has our cookie
            return site in ([], ["same-origin"], ["none"])
        return len(origin) == 1 and origin[0] in self._origins and site in ([], ["same-origin"])

    def _knows(self, cookies: str) -> bool:
        if self._session is None:
            return False
        pairs = (one.strip().partition("=") for one in cookies.split(";"))
        found = [value for name, _, value in pairs if name == self._cookie]
        return len(found) == 1 and hmac.compare_digest(found[0].encode(), self._session.encode())

    async def _enter(self, scope: Scope, send: Send) -> None:
        """Exchange the token for a cookie that no script reads and no other site sends.

        Answered by a page and not a redirect: a strict cookie may be withheld from a redirect that
        began elsewhere.
        """
        name, _, given = scope["query_string"].partition(b"=")
        token = self.token if name == b"token" else None
        if token is None or not hmac.compare_digest(given, token.encode()):
            await _answer(send, 401, USED)
            return
        self.token, self._session = None, secrets.token_urlsafe(32)
        cookie = f"{self._cookie}={self._session}; Path=/; HttpOnly; SameSite=Strict"
        await send(_start(200, "text/html", (b"set-cookie", cookie.encode())))
        await send({"type": "http.response.body", "body": self._entered})


def _seal(send: Send) -> Send:
    """Answers with our headers and no others of these names."""

    async def sealed(message: Message) -> None:
        if message["type"] == "http.response.start":
            kept = [one for one in message.get("headers", []) if one[0].lower() not in _OURS]
            ours = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
            message = {**message, "headers": [*kept, *ours]}
        await send(message)

    return sealed


def _count_body(receive: Receive, send: Send) -> tuple[Receive, Send]:
    """A body that does not say its length is counted while it is read, and cut off."""
    taken, is_cut, is_begun = 0, False, False

    async def counted() -> Message:
        nonlocal taken, is_cut
        message = await receive()
        taken += len(message.get("body", b""))
        if taken > MOST_BYTES and not is_cut:
            is_cut = True
            if not is_begun:
                await _answer(send, 413, TOO_LONG)
        return {"type": "http.disconnect"} if is_cut else message

    async def sent(message: Message) -> None:
        nonlocal is_begun
        is_begun = True
        if not is_cut:  # it was answered already
            await send(message)

    return counted, sent


def _start(status: int, kind: str, *more: tuple[bytes, bytes]) -> Message:
    headers = [(b"content-type", f"{kind}; charset=utf-8".encode()), *more]
    return {"type": "http.response.start", "status": status, "headers": headers}


async def _answer(send: Send, status: int, words: str) -> None:
    await send(_start(status, "text/plain"))
    await send({"type": "http.response.body", "body": words.encode()})
