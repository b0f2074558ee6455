"""Prints what a peer heard, as the benchmark reads it."""

import json
import resource
import time


def print_heard(words: list[dict], began: float) -> None:
    """One line of JSON: `words` (text, start, end in seconds), the `seconds` since `began` (time.monotonic), and `peak`,
    the peak resident memory of the process so far in MiB."""
    seconds = time.monotonic() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"words": words, "seconds": seconds, "peak": peak}), flush=True)
