"""Uses the audio endpoints with OpenAI's package for Python, and prints what it gets as JSON."""

import json
import os
import sys

import openai

client = openai.OpenAI(
    base_url=os.environ["OPENAI_URL"], api_key=os.environ["OPENAI_KEY"], max_retries=0
)
recording = sys.argv[1]


def transcribe(**options):
    with open(recording, "rb") as file:
        return client.audio.transcriptions.create(model="deepgram", file=file, **options)


def refusal(**options):
    try:
        transcribe(**options)
    except openai.APIStatusError as error:
        return [type(error).__name__, error.status_code, error.code, error.param]


verbose = transcribe(
    response_format="verbose_json", timestamp_granularities=["word", "segment"], temperature=0.2
)
print(
    json.dumps(
        {
            "version": openai.__version__,
            "json": transcribe().text,
            "text": transcribe(response_format="text"),
            "srt": transcribe(response_format="srt"),
            "vtt": transcribe(response_format="vtt"),
            "language": verbose.language,
            "words": [word.word for word in verbose.words],
            "segments": [[segment.id, segment.text] for segment in verbose.segments],
            "events": [event.type for event in transcribe(stream=True)],
            "model": client.models.retrieve("whisper-1").object,
            "models": "deepgram" in [model.id for model in client.models.list()],
            "refusal": refusal(language="no such language"),
        }
    )
)
