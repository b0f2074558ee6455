"""A client of a Captioner service, for programs that wait and for asyncio.

What is asked is written once, as generators that yield requests and pauses; the two clients differ only in how they
carry them out.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import hashlib
import hmac
import json
import time
import uuid
from collections.abc import AsyncIterator, Generator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

import httpx

__all__ = ["AsyncCaptioner", "Captioner", "CaptionerError", "verify_webhook"]

T = TypeVar("T")


class CaptionerError(Exception):
    """What the service refused, with the code of its error."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code


@dataclass
class _Ask:
    method: str
    path: str
    headers: dict[str, str] = field(default_factory=dict)
    json: Any = None
    params: dict[str, str] | None = None
    file: Path | bytes | None = None


# A request is answered with its response, a number of seconds with nothing.
_Steps = Generator["_Ask | float", "httpx.Response", T]


def _send(ask: _Ask, tries: int) -> _Steps[httpx.Response]:
    attempt = 0
    while True:
        attempt += 1
        answer = yield ask
        if answer.is_success:
            return answer
        if answer.status_code not in (429, 503) or attempt >= tries:
            raise _error(answer)
        after = answer.headers.get("retry-after", "")
        yield min(60.0, float(after) if after.isdigit() else 2.0 ** (attempt - 1))


def _error(answer: httpx.Response) -> CaptionerError:
    try:
        error = answer.json()["error"]
        return CaptionerError(answer.status_code, error["code"], error["message"])
    except (ValueError, KeyError, TypeError):
        status = answer.status_code
        return CaptionerError(status, "unknown", f"The service answered {status}.")


def _json(ask: _Ask, tries: int) -> _Steps[dict[str, Any]]:
    return (yield from _send(ask, tries)).json()


def _text(ask: _Ask, tries: int) -> _Steps[str]:
    return (yield from _send(ask, tries)).text


def _until(path: str, is_over, every: float, tries: int) -> _Steps[dict[str, Any]]:
    while True:
        found = yield from _json(_Ask("GET", path), tries)
        if is_over(found):
            return found
        yield every


def _run_path(run_id: str, more: str = "") -> str:
    return f"/workflows/captioner/{quote(run_id, safe='')}{more}"


def _upload(name: str, mp3: str | Path | bytes, tries: int) -> _Steps[dict[str, Any]]:
    file = Path(mp3) if isinstance(mp3, str) else mp3
    headers = {"content-type": "audio/mpeg"}
    return _json(_Ask("PUT", f"/audio/{quote(name)}", headers, file=file), tries)


def _run(payload: Mapping[str, Any], idempotency_key: str | None, tries: int) -> _Steps[str]:
    headers = {"idempotency-key": idempotency_key or str(uuid.uuid4())}
    ask = _Ask("POST", "/workflows/captioner", headers, json=dict(payload))
    return (yield from _json(ask, tries))["runId"]


def _wait(run_id: str, every: float, tries: int) -> _Steps[dict[str, Any]]:
    def is_over(run: dict[str, Any]) -> bool:
        return run["state"] not in ("queued", "running")

    return _until(_run_path(run_id), is_over, every, tries)


def _captions(run_id: str, format: str, language: str | None, tries: int) -> _Steps[str]:
    params = None if language is None else {"language": language}
    return _text(_Ask("GET", _run_path(run_id, f"/captions.{format}"), params=params), tries)


def _translate(run_id: str, language: str, every: float, tries: int) -> _Steps[dict[str, Any]]:
    place = _run_path(run_id, "/translations")
    made = yield from _json(_Ask("POST", place, json={"language": language}), tries)
    path = f"{place}/{made['id']}"
    return (yield from _until(path, lambda one: one["finishedAt"] is not None, every, tries))


def _request(http: httpx.Client | httpx.AsyncClient, ask: _Ask, content: Any) -> httpx.Request:
    return http.build_request(
        ask.method,
        ask.path,
        headers=ask.headers,
        params=ask.params,
        **({"json": ask.json} if ask.json is not None else {"content": content}),
    )


def _options(base_url: str, key: str, timeout: float) -> dict[str, Any]:
    headers = {"authorization": f"Bearer {key}"}
    return {"base_url": base_url.rstrip("/"), "headers": headers, "timeout": timeout}


class Captioner:
    """A client that waits for each answer."""

    def __init__(self, base_url: str, key: str, *, tries: int = 5, timeout: float = 60) -> None:
        self._http = httpx.Client(**_options(base_url, key, timeout))
        self._tries = tries

    def __enter__(self) -> Captioner:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    def upload(self, name: str, mp3: str | Path | bytes) -> dict[str, Any]:
        """Uploads an MP3, a file or its bytes, under a key such as `talks/keynote.mp3`."""
        return self._do(_upload(name, mp3, self._tries))

    def run(self, payload: Mapping[str, Any], idempotency_key: str | None = None) -> str:
        """Starts a run and returns its id. A request that is repeated starts no second one."""
        return self._do(_run(payload, idempotency_key, self._tries))

    def wait(self, run_id: str, every: float = 2) -> dict[str, Any]:
        """Waits for the end of a run; its result is in `envelope`."""
        return self._do(_wait(run_id, every, self._tries))

    def captions(self, run_id: str, format: str = "srt", language: str | None = None) -> str:
        """The captions of a run, with the changes of its review, or a translation of them."""
        return self._do(_captions(run_id, format, language, self._tries))

    def translate(self, run_id: str, language: str, every: float = 2) -> dict[str, Any]:
        """Translates the captions of a run, and waits for the end of that."""
        return self._do(_translate(run_id, language, every, self._tries))

    def _do(self, steps: _Steps[T]) -> T:
        answer: Any = None
        try:
            while True:
                step = steps.send(answer)
                answer = self._answer(step) if isinstance(step, _Ask) else time.sleep(step)
        except StopIteration as end:
            return end.value

    def _answer(self, ask: _Ask) -> httpx.Response:
        if not isinstance(ask.file, Path):
            return self._http.send(_request(self._http, ask, ask.file))
        with ask.file.open("rb") as file:
            return self._http.send(_request(self._http, ask, file))


class AsyncCaptioner:
    """The same client for asyncio."""

    def __init__(self, base_url: str, key: str, *, tries: int = 5, timeout: float = 60) -> None:
        self._http = httpx.AsyncClient(**_options(base_url, key, timeout))
        self._tries = tries

    async def __aenter__(self) -> AsyncCaptioner:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        await self._http.aclose()

    async def upload(self, name: str, mp3: str | Path | bytes) -> dict[str, Any]:
        """Uploads an MP3, a file or its bytes, under a key such as `talks/keynote.mp3`."""
        return await self._do(_upload(name, mp3, self._tries))

    async def run(self, payload: Mapping[str, Any], idempotency_key: str | None = None) -> str:
        """Starts a run and returns its id. A request that is repeated starts no second one."""
        return await self._do(_run(payload, idempotency_key, self._tries))

    async def wait(self, run_id: str, every: float = 2) -> dict[str, Any]:
        """Waits for the end of a run; its result is in `envelope`."""
        return await self._do(_wait(run_id, every, self._tries))

    async def captions(self, run_id: str, format: str = "srt", language: str | None = None) -> str:
        """The captions of a run, with the changes of its review, or a translation of them."""
        return await self._do(_captions(run_id, format, language, self._tries))

    async def translate(self, run_id: str, language: str, every: float = 2) -> dict[str, Any]:
        """Translates the captions of a run, and waits for the end of that."""
        return await self._do(_translate(run_id, language, every, self._tries))

    async def _do(self, steps: _Steps[T]) -> T:
        answer: Any = None
        try:
            while True:
                step = steps.send(answer)
                if isinstance(step, _Ask):
                    answer = await self._answer(step)
                else:
                    answer = await asyncio.sleep(step)
        except StopIteration as end:
            return end.value

    async def _answer(self, ask: _Ask) -> httpx.Response:
        if not isinstance(ask.file, Path):
            return await self._http.send(_request(self._http, ask, ask.file))
        ask.headers["content-length"] = str(ask.file.stat().st_size)
        return await self._http.send(_request(self._http, ask, _parts(ask.file)))


async def _parts(path: Path) -> AsyncIterator[bytes]:
    with path.open("rb") as file:
        while part := await asyncio.to_thread(file.read, 1 << 16):
            yield part


def verify_webhook(
    body: bytes | str, headers: Mapping[str, str], secret: str, now: float | None = None
) -> dict[str, Any]:
    """Checks a delivery to a webhook, and returns its event.

    Pass over a delivery whose `webhook-id` you have seen. Raises CaptionerError if it is not signed with the secret
    (`whsec_…`), or is older than five minutes.
    """
    sent = {name.lower(): value for name, value in headers.items()}
    text = body if isinstance(body, bytes) else body.encode()
    identity, at = sent.get("webhook-id", ""), sent.get("webhook-timestamp", "")
    is_fresh = at.isdigit() and abs((time.time() if now is None else now) - int(at)) <= 300
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except binascii.Error:
        raise ValueError("The secret is not that of a webhook.") from None
    mac = hmac.new(key, f"{identity}.{at}.".encode() + text, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(mac)
    given = sent.get("webhook-signature", "").encode().split(b" ")
    if is_fresh and any(hmac.compare_digest(expected, one) for one in given):
        return json.loads(text)
    raise CaptionerError(401, "invalid_signature", "The delivery is not signed with this secret.")
