"""Reads TTML files with ttconv, and prints what each shows from which time on, and ttconv's warnings, as JSON."""

import json
import logging
import sys
import xml.etree.ElementTree as et

import ttconv.imsc.reader as reader
from ttconv.isd import ISD
from ttconv_text import paragraphs_of


class Warnings(logging.Handler):
    def __init__(self):
        super().__init__(logging.WARNING)
        self.messages = []

    def emit(self, record):
        self.messages.append(record.getMessage())


warnings = Warnings()
logging.getLogger().addHandler(warnings)
files = []
for path in sys.argv[1:]:
    warnings.messages = []
    document = reader.to_model(et.parse(path))
    shown = [
        {
            "from": float(time),
            "texts": [text for region in moment.iter_regions() for text in paragraphs_of(region)],
        }
        for time, moment in ISD.generate_isd_sequence(document)
    ]
    files.append({"warnings": warnings.messages, "shown": shown})
print(json.dumps(files))
