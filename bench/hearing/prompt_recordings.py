"""Makes recordings with texts from the telephone prompts in Debian's packages asterisk-core-sounds-*, read by people.

    python3 prompt_recordings.py ROOT FOLDER

ROOT is where the packages asterisk-core-sounds-LANGUAGE (the texts) and …-LANGUAGE-g722 (the sounds) were unpacked with
`dpkg -x`. Writes MP3 files of 25 to 60 s, each of several prompts of at least five words with pauses of a second, and
FOLDER/tuned.json and FOLDER/held-out.json with their language, file and text. No prompt is in both. Needs ffmpeg.
"""

import gzip
import json
import random
import re
import subprocess
import sys
from pathlib import Path

VOICES = {
    "en": "en_US_f_Allison",
    "es": "es_MX_f_Allison",
    "fr": "fr_CA_f_June",
    "it": "it_IT_m_Carlo",
    "ru": "ru_RU_f_IvrvoiceRU",
}
RATE = 16000
BYTES = 2 * RATE
LENGTHS = [25, 35, 45, 58, 30, 50]
LONGEST = 60


def samples_of(path: Path) -> bytes:
    command = ["ffmpeg", "-v", "error", "-f", "g722", "-i", path, "-ar", str(RATE), "-ac", "1", "-f", "s16le", "-"]
    return subprocess.run(command, capture_output=True, check=True).stdout


def write(samples: bytes, path: Path) -> None:
    command = ["ffmpeg", "-v", "error", "-y", "-f", "s16le", "-ar", str(RATE), "-ac", "1", "-i", "-", "-b:a", "64k", path]
    subprocess.run(command, input=samples, check=True)


def prompts_of(root: Path, language: str) -> list[tuple[str, bytes]]:
    """Prompts in a random order: their texts and samples."""
    package = f"asterisk-core-sounds-{language}"
    table = gzip.open(root / f"usr/share/doc/{package}/core-sounds-{language}.txt.gz", "rt", encoding="utf-8-sig").read()
    found = {}
    for name, text in re.findall(r"^([^;:\s]+):[ \t]*(.+)$", table, re.MULTILINE):
        sound = root / "usr/share/asterisk/sounds" / VOICES[language] / f"{name}.g722"
        # Some texts are notes in brackets, or have question marks where a letter was lost.
        if 5 <= len(text.split()) <= 60 and not re.search(r"[\[\](){}\ufffd]|\w\?\w", text) and sound.exists():
            found.setdefault(text.lower(), (text, sound))
    chosen = sorted(found.values())
    random.Random(24).shuffle(chosen)
    read = [(text, samples_of(sound)) for text, sound in chosen]
    # A sound that is much shorter or longer than its text says something else.
    return [(text, samples) for text, samples in read if 0.12 < len(samples) / BYTES / len(text.split()) < 1.2]


def main() -> None:
    root, folder = Path(sys.argv[1]), Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    lists: dict[str, list[dict[str, str]]] = {"tuned": [], "held-out": []}
    for language in VOICES:
        prompts = prompts_of(root, language)
        half = len(prompts) // 2
        for part, own in (("tuned", prompts[:half]), ("held-out", prompts[half:])):
            left = iter(own)
            for number, length in enumerate(LENGTHS):
                texts, samples = [], b""
                for text, spoken in left:
                    if texts and len(samples) + len(spoken) > LONGEST * BYTES:
                        break
                    texts.append(text)
                    samples += spoken + bytes(BYTES)
                    if len(samples) > length * BYTES:
                        break
                if not texts:
                    break
                path = folder / f"{language}-{part}-{number}.mp3"
                write(samples, path)
                lists[part].append({"language": language, "file": str(path.resolve()), "text": " ".join(texts)})
    for part, recordings in lists.items():
        (folder / f"{part}.json").write_text(json.dumps(recordings, ensure_ascii=False, indent=1))


main()
