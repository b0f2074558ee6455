/** The report of a review as CSV for spreadsheets, one row for each caption. */
import { csvRow } from '../../../server/captions/files/csv.ts';
import { formatTimestamp } from '../../../server/captions/timestamps.ts';
import type { Judged } from '../model/judge.ts';
import type { ReviewCue } from '../model/cue.ts';

const HEAD = [
  'caption',
  'start',
  'end',
  'seconds',
  'lines',
  'longest_line',
  'cps',
  'warnings',
  'text',
];

/** The table. */
export function reportCsv(cues: readonly ReviewCue[], judged: readonly Judged[]): string {
  const rows = cues.map((cue, index) => {
    const { quality, warnings } = judged[index]!;
    return [
      index + 1,
      formatTimestamp(cue.start),
      formatTimestamp(cue.end),
      Math.round((cue.end - cue.start) * 1000) / 1000,
      cue.lines.length,
      Math.max(0, ...quality.lineLengths),
      Math.round(quality.charsPerSecond * 10) / 10,
      warnings.map(({ flag }) => flag).join(' '),
      cue.lines.join('\n'),
    ];
  });
  return [HEAD, ...rows].map(csvRow).join('');
}
