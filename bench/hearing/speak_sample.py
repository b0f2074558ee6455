"""Speaks the sample of the demo with a Piper voice, some takes of each sentence.

    python3 speak_sample.py VOICE.onnx TEXT FOLDER [TAKES]            # writes FOLDER/SENTENCE-TAKE.wav
    python3 speak_sample.py --join FOLDER SECONDS OUT.wav TAKE TAKE …   # joins one take of each sentence

Takes differ, because the voice is random. The pauses are chosen so that the whole has the given length. Needs piper-tts
and numpy. Then: ffmpeg -i OUT.wav -ac 1 -ar 16000 -b:a 32k -write_xing 0 -id3v2_version 0 sample.mp3
"""

import re
import sys
import wave

import numpy as np

RATE = 22050
LEAD = 0.25
LOUDNESS = 0.09


def write(path, samples):
    with wave.open(path, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes((np.clip(samples, -0.95, 0.95) * 32767).astype("<i2").tobytes())


def read(path):
    with wave.open(path) as file:
        return np.frombuffer(file.readframes(file.getnframes()), "<i2").astype(np.float32) / 32767


def speak(model, text, folder, takes):
    from piper import PiperVoice, SynthesisConfig

    voice = PiperVoice.load(model)
    sentences = re.findall(r"[^.]+\.", " ".join(open(text).read().split()))
    for number, sentence in enumerate(sentences):
        for take in range(takes):
            settings = SynthesisConfig(
                length_scale=[1.0, 1.05, 1.1][take % 3], noise_scale=[0.667, 0.5][take % 2]
            )
            chunks = voice.synthesize(sentence.strip(), settings)
            spoken = np.concatenate([chunk.audio_float_array for chunk in chunks])
            heard = np.where(np.abs(spoken) > 0.01)[0]
            spoken = spoken[max(0, heard[0] - 600) : heard[-1] + 1500]
            write(f"{folder}/{number}-{take}.wav", spoken / np.sqrt(np.mean(spoken**2)) * LOUDNESS)


def join(folder, seconds, out, takes):
    parts = [read(f"{folder}/{number}-{take}.wav") for number, take in enumerate(takes)]
    pause = (seconds - LEAD - sum(map(len, parts)) / RATE) / len(parts)
    joined = [np.zeros(int(LEAD * RATE))]
    for part in parts:
        joined += [part, np.zeros(int(pause * RATE))]
    write(out, np.concatenate(joined))


if sys.argv[1] == "--join":
    join(sys.argv[2], float(sys.argv[3]), sys.argv[4], sys.argv[5:])
else:
    speak(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]) if len(sys.argv) > 4 else 6)
