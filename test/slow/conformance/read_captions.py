"""Reads caption files with programs of others: a JSON line for each file, and one for what each program finds in it."""

import base64
import io
import json
import logging
import subprocess
import sys
import warnings
import xml.etree.ElementTree as et

import pycaption
import pysubs2
import srt
import ttconv.imsc.reader
import ttconv.scc.reader
import ttconv.stl.reader
import ttconv.vtt.reader
import webvtt
from ttconv.isd import ISD
from ttconv_text import paragraphs_of

logging.disable(logging.CRITICAL)
warnings.simplefilter("ignore")


def seconds(clock):
    hours, minutes, rest = clock.split(":")
    return int(hours) * 3600 + int(minutes) * 60 + float(rest)


def by_pysubs2(kind):
    def read(data):
        found = pysubs2.SSAFile.from_string(data.decode(), format_=kind)
        return [[cue.start / 1000, cue.end / 1000, cue.plaintext] for cue in found]

    return read


def by_webvtt(kind):
    def read(data):
        found = webvtt.WebVTT.from_buffer(io.BytesIO(data), format=kind)
        return [[seconds(cue.start), seconds(cue.end), cue.text] for cue in found]

    return read


def by_pycaption(reader):
    def read(data):
        found = reader().read(data.decode())
        cues = found.get_captions(found.get_languages()[0])
        return [[cue.start / 1e6, cue.end / 1e6, cue.get_text()] for cue in cues]

    return read


def by_srt(data):
    cues = srt.parse(data.decode())
    return [[cue.start.total_seconds(), cue.end.total_seconds(), cue.content] for cue in cues]


def by_ffmpeg(kind):
    def read(data):
        command = ["ffmpeg", "-loglevel", "error", "-f", kind, "-i", "-", "-c:s", "text", "-f", "srt", "-"]
        return by_srt(subprocess.run(command, input=data, capture_output=True, check=True).stdout)

    return read


def by_ttconv(to_model):
    def read(data):
        cues = []
        for time, moment in ISD.generate_isd_sequence(to_model(data)):
            texts = [text for region in moment.iter_regions() for text in paragraphs_of(region)]
            if cues and cues[-1][1] is None:
                cues[-1][1] = float(time)
            if any(text.strip() for text in texts):
                cues.append([float(time), None, "\n".join(texts)])
        return cues

    return read


TTML = by_ttconv(lambda data: ttconv.imsc.reader.to_model(et.ElementTree(et.fromstring(data))))
STL = by_ttconv(lambda data: ttconv.stl.reader.to_model(io.BytesIO(data)))
VTT = by_ttconv(lambda data: ttconv.vtt.reader.to_model(io.StringIO(data.decode())))
SCC = by_ttconv(lambda data: ttconv.scc.reader.to_model(data.decode()))
READERS = {
    "srt": {
        "pycaption": by_pycaption(pycaption.SRTReader),
        "pysubs2": by_pysubs2("srt"),
        "srt": by_srt,
        "ffmpeg": by_ffmpeg("srt"),
        "webvtt-py": by_webvtt("srt"),
    },
    "vtt": {
        "pycaption": by_pycaption(pycaption.WebVTTReader),
        "pysubs2": by_pysubs2("vtt"),
        "ttconv": VTT,
        "ffmpeg": by_ffmpeg("webvtt"),
        "webvtt-py": by_webvtt("vtt"),
    },
    "ass": {"pysubs2": by_pysubs2("ass"), "ffmpeg": by_ffmpeg("ass")},
    "ttml": {
        "pycaption": by_pycaption(pycaption.DFXPReader),
        "pysubs2": by_pysubs2("ttml"),
        "ttconv": TTML,
    },
    "ebu-tt-d": {"pysubs2": by_pysubs2("ttml"), "ttconv": TTML},
    "itt": {"pycaption": by_pycaption(pycaption.DFXPReader), "ttconv": TTML},
    "stl": {"ttconv": STL},
    "stl-teletext": {"ttconv": STL},
    "scc": {"pycaption": by_pycaption(pycaption.SCCReader), "ttconv": SCC},
    "sbv": {"webvtt-py": by_webvtt("sbv")},
    "sub": {"pysubs2": by_pysubs2("microdvd")},
    "smi": {"pycaption": by_pycaption(pycaption.SAMIReader)},
}

with open(sys.argv[1]) as files:
    for line in files:
        file = json.loads(line)
        found = {}
        for name in file["readers"]:
            found[name] = READERS[file["format"]][name](base64.b64decode(file["data"]))
        print(json.dumps(found))
