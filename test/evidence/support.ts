/** A report on captions for tests. */
import type { Json } from '../../server/evidence/canonical-json.ts';
import { reportWords } from '../../server/http/reviews/report-words.ts';
import { reportOf } from '../../server/evidence/report.ts';

/** A report, as it is signed, that names one SRT file. */
export const reportNaming = (sha256: string): Json =>
  reportOf(
    {
      service: { name: 'captioner', version: '1.0.0' },
      madeAt: '2026-11-29T00:00:00.000Z',
      run: { id: 'run_1', name: 'Quilters', createdAt: '2026-11-28T00:00:00.000Z', models: null },
      sound: { sha256: null, bytes: null, note: 'none' },
      files: [{ format: 'srt', sha256 }],
      review: null,
      sessions: [],
      approval: null,
      facts: {
        captions: 1,
        words: 2,
        seconds: 2,
        changes: { words: 0, listed: [] },
        synchrony: null,
        readingSpeed: null,
        longestLine: 13,
        speakersNamed: 0,
        soundsDescribed: 0,
      },
      changedSince: 0,
      unheard: null,
      unheardSeconds: null,
      rules: [],
      measurements: [],
      agreement: null,
    },
    reportWords('en'),
  ) as unknown as Json;
