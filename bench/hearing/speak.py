"""Speaks sentences with a Piper voice.

    python3 speak.py VOICE.onnx < LINES

Each input line is a JSON object with `text`, and `path` for the WAV file. Needs piper-tts.
"""

import json
import sys
import wave

from piper import PiperVoice

voice = PiperVoice.load(sys.argv[1])
for line in sys.stdin:
    asked = json.loads(line)
    with wave.open(asked["path"], "wb") as file:
        voice.synthesize_wav(asked["text"], file)
