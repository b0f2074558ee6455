"""Recognises recordings with faster-whisper, for comparison: prints one JSON object for each.

    python3 peer.py CTRANSLATE2_FOLDER LANGUAGE BEAM RECORDING ...

The object has `words` (text, start, end in seconds), the `seconds` taken without loading, and `peak`, the peak resident
memory of the process so far in MiB. int8, two threads, word times, no voice activity detection. Needs faster-whisper.
"""

import sys
import time

from faster_whisper import WhisperModel
from heard import print_heard

folder, language, beam, *recordings = sys.argv[1:]
model = WhisperModel(folder, device="cpu", compute_type="int8", cpu_threads=2)
for recording in recordings:
    began = time.monotonic()
    segments, _ = model.transcribe(recording, beam_size=int(beam), word_timestamps=True, language=language)
    words = [
        {"text": word.word.strip(), "start": word.start, "end": word.end} for segment in segments for word in segment.words
    ]
    print_heard(words, began)
