"""A job with our own client for Python, once with each of its two classes; prints what it gets as JSON."""

import asyncio
import json
import sys
import time
from pathlib import Path

from captioner_client import AsyncCaptioner, Captioner, CaptionerError, verify_webhook

url, key, mp3, given = sys.argv[1:]


def waiting():
    with Captioner(url, key) as captioner:
        receipt = captioner.upload("talks/key note.mp3", mp3)
        run_id = captioner.run({"audio": {"key": receipt["key"]}})
        state = captioner.wait(run_id, every=0.1)["state"]
        start = captioner.captions(run_id, "vtt")[:6]
        # Klingon, which nothing here translates into.
        translated = captioner.translate(run_id, "tlh", every=0.1)["state"]
        try:
            captioner.wait("run_none")
        except CaptionerError as error:
            return [state, start, translated, [error.status, error.code]]


async def with_asyncio():
    async with AsyncCaptioner(f"{url}/", key) as captioner:
        receipt = await captioner.upload("talks/asyncio.mp3", Path(mp3))
        run_id = await captioner.run({"audio": {"key": receipt["key"]}})
        state = (await captioner.wait(run_id, every=0.1))["state"]
        start = (await captioner.captions(run_id, "vtt"))[:6]
        translated = (await captioner.translate(run_id, "tlh", every=0.1))["state"]
        try:
            await captioner.wait("run_none")
        except CaptionerError as error:
            return [state, start, translated, [error.status, error.code]]


def refused(body, headers, secret, now=None):
    try:
        return verify_webhook(body, headers, secret, now)
    except CaptionerError as error:
        return error.code


sent = json.loads(given)
print(
    json.dumps(
        {
            "waiting": waiting(),
            "asyncio": asyncio.run(with_asyncio()),
            "delivered": verify_webhook(**sent)["type"],
            "wrong": [
                refused(sent["body"] + " ", sent["headers"], sent["secret"]),
                refused(**sent, now=time.time() + 600),
                refused(sent["body"], {}, sent["secret"]),
            ],
        }
    )
)
