/** The report of a review as a CSV file. */
import { expect, test } from 'bun:test';
import { judgeCue } from '../../../web/review/model/judge.ts';
import { reportCsv } from '../../../web/review/save/report-csv.ts';
import { at, settings } from './support.ts';

/** The rows of the report on captions, without its head. */
function rowsOf(...cues: ReturnType<typeof at>[]): string[] {
  const judged = cues.map((cue, index) => judgeCue(cue, cues[index + 1], settings, 'en'));
  const [head, ...rows] = reportCsv(cues, judged).split('\r\n');
  expect(head).toBe('caption,start,end,seconds,lines,longest_line,cps,warnings,text');
  expect(rows.pop()).toBe('');
  return rows;
}

test('has a row for each caption, with its figures and warnings', () => {
  expect(
    rowsOf(
      at(7, 1.2, 4.534, 'They shipped\na server.'),
      at(9, 5, 6, 'Nobody can read this so fast.'),
    ),
  ).toEqual([
    '1,"00:00:01,200","00:00:04,534",3.334,2,12,6.6,,"They shipped\na server."',
    '2,"00:00:05,000","00:00:06,000",1,1,29,29,reading_speed_high,Nobody can read this so fast.',
  ]);
});

test('rounds speeds to a tenth', () => {
  expect(rowsOf(at(1, 0, 3, 'Twenty characters ok'))[0]).toContain(',20,6.7,');
});

test('doubles quotation marks', () => {
  expect(rowsOf(at(1, 0, 3, 'They said “now”, "now".'))[0]).toEndWith(
    ',"They said “now”, ""now""."',
  );
});

test.each([
  ['=1+1', "'=1+1"],
  ['+1', "'+1"],
  ['@name', "'@name"],
  ['-1', "'-1"],
  ['- Yes.', '- Yes.'],
  ['\t=1', "'\t=1"],
  ['\r=1', `"'\r=1"`],
  ['It is 1+1=2', 'It is 1+1=2'],
])('writes %s so that a spreadsheet takes it for text', (line, written) => {
  expect(rowsOf(at(1, 0, 3, line))[0]).toEndWith(`,${written}`);
});
