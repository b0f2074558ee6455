/** Captions from a file of the user, and the report as a table. */
import { describe, expect, test } from 'bun:test';
import { toVtt } from '../../../server/captions/files/vtt.ts';
import { judgeCue } from '../../../web/review/model/judge.ts';
import { type Retime, retimeAll } from '../../../web/review/model/retime-all.ts';
import { captionsIn, openedFileOf, resultOfFile } from '../../../web/review/save/own-captions.ts';
import { reportCsv, reportOf, reportPage } from '../../../web/review/save/report.ts';
import { fixFor } from '../../../web/review/model/fix.ts';
import { checkerFor } from '../../../web/review/editing/profile-rules.ts';
import { settings as deskSettings } from '../../../web/review/editing/settings.ts';
import { at, reviewOf, rules, settings } from './support.ts';

/** The captions of a file as `start-end text`, or undefined. */
const opened = async (document: unknown) => {
  const text = typeof document === 'string' ? document : JSON.stringify(document);
  const result = await resultOfFile(new TextEncoder().encode(text), 'en');
  return result?.captions.cues.map(({ start, end, lines }) => `${start}-${end} ${lines.join('|')}`);
};

describe('a file of captions', () => {
  const two = [at(1, 1, 2, 'Hello,\nyou.'), at(2, 3, 4.5, 'Bye.')];
  test.each([
    toVtt(two),
    '1\n00:00:01,000 --> 00:00:02,000\nHello,\nyou.\n\n2\n00:00:03,000 --> 00:00:04,500\nBye.\n',
    { cues: two },
    { result: { captions: { cues: two } } },
  ])('opens with its words and times: %j', async (document) => {
    expect(await opened(document)).toEqual(['1-2 Hello,|you.', '3-4.5 Bye.']);
  });
  test('is sorted; captions that overlap keep their times, and only those without times are lost', async () => {
    const cues = [at(1, 5, 9, 'Second'), at(2, 1, 6, 'First'), at(3, 5, 7, 'Third')];
    expect(await opened({ cues })).toEqual(['1-6 First', '5-7 Third', '5-9 Second']);
    const short = [at(1, 2, 2, 'None'), at(2, 4, 3, 'Less')];
    expect(await opened({ cues: short })).toEqual(['2-2.001 None', '4-4.001 Less']);
    const early = [at(1, -1, 2, 'Before'), at(2, 0, 2, 'First'), at(3, 3, 4, 'Second')];
    expect(await opened({ cues: early })).toEqual(['0-2 First', '3-4 Second']);
  });
  test('warns of each overlap, which a fix ends where the next one starts', () => {
    const cues = [at(1, 1, 6, 'First'), at(2, 5, 7, 'Second'), at(3, 7, 9, 'Third')];
    const judged = cues.map((cue, index) => judgeCue(cue, cues[index + 1], settings, 'en'));
    expect(
      judged.map(({ overlap, warnings }) => [overlap, warnings.map(({ flag }) => flag)]),
    ).toEqual([
      [1, ['overlaps_next']],
      [0, []],
      [0, []],
    ]);
    const splice = fixFor('overlaps_next', cues, 0, rules());
    expect(splice?.inserted).toEqual([at(1, 1, 5, 'First')]);
    expect(fixFor('overlaps_next', cues, 1, rules())).toBeNull();
  });
  test.each(['', 'Hello there', '{"cues": 7}', '{"cues": [{"start": "1"}]}', '[1, 2]', 'null'])(
    'with other content is refused: %p',
    async (other) => {
      expect(await opened(other)).toBeUndefined();
    },
  );
  test('is opened without captions that cannot be read, which are listed', async () => {
    for (const broken of [{ start: '3' }, { end: null }, { lines: 'Bye.' }, { lines: [1] }]) {
      const cues = [at(1, 1, 2, 'Hello.'), { ...at(2, 3, 4, 'Bye.'), ...broken }];
      expect(await opened({ cues })).toEqual(['1-2 Hello.']);
      const bytes = new TextEncoder().encode(JSON.stringify({ cues }));
      const file = openedFileOf((await resultOfFile(bytes, 'en'))!);
      expect(file?.unread[0]?.reason).toBe('it is no whole caption');
    }
  });
});

test('own captions keep their speakers and places', async () => {
  const cues = [
    { ...at(1, 1, 2, 'Yes.\nNo.'), speakers: ['Ada', 'Ben'] },
    { ...at(2, 3, 4, 'Yes.\nYes.'), speakers: ['Ada', 'Ada'] },
    { ...at(3, 5, 6, 'Plain.'), placement: { vertical: 'top', align: 'end' } },
    { ...at(4, 7, 8, 'Nobody.'), speakers: ['', ''] },
    { ...at(5, 9, 10, 'Strange.'), speakers: [7], placement: { vertical: 'left', align: 'start' } },
    { ...at(6, 11, 12, 'Middle.'), placement: { vertical: 'middle', align: 'centre' } },
  ];
  const result = await resultOfFile(new TextEncoder().encode(JSON.stringify({ cues })), 'en');
  const made: readonly Record<string, unknown>[] = result!.captions.cues;
  const parts = made.map(({ index, speakers, placement }) => ({ index, speakers, placement }));
  expect(parts).toEqual([
    { index: 1, speakers: ['Ada', 'Ben'], placement: undefined },
    { index: 2, speakers: ['Ada'], placement: undefined },
    { index: 3, speakers: undefined, placement: { vertical: 'top', align: 'end' } },
    { index: 4, speakers: undefined, placement: undefined },
    { index: 5, speakers: undefined, placement: { align: 'start' } },
    { index: 6, speakers: undefined, placement: { vertical: 'middle' } },
  ]);
  const vtt = new TextEncoder().encode(toVtt([at(1, 1, 2, 'Hello')]));
  expect((await resultOfFile(vtt, 'de'))?.input).toEqual({ language: 'de' } as never);
});

const PICTURE = { chosen: null, learnt: null, shots: [] };

/** The rows of the report on captions, without its head. */
function rowsOf(...cues: ReturnType<typeof at>[]): string[] {
  const [head, ...rows] = reportCsv(reportOf(reviewOf(cues), PICTURE)).split('\r\n');
  expect(head).toBe(
    'caption,start,end,seconds,lines,longest_line,cps,checked_against,warnings,rules,text',
  );
  expect(rows.pop()).toBe('');
  return rows;
}

test('the table has a row for each caption, with its figures, its warnings and the limits', () => {
  expect(
    rowsOf(
      at(7, 1.2, 4.534, 'They shipped\na server.'),
      at(9, 5, 6, 'Nobody can read this so fast.'),
    ),
  ).toEqual([
    '1,"00:00:01,200","00:00:04,534",3.334,2,12,6.6,The limits of this run,,,"They shipped\na server."',
    '2,"00:00:05,000","00:00:06,000",1,1,29,29,The limits of this run,29 characters a second to read; 20 is comfortable.,A caption reads at up to 20 characters a second. The limits of this run,Nobody can read this so fast.',
  ]);
});

test('panel, table and page are by the chosen rules, with their figures, limits and sources', () => {
  deskSettings.profile.value = 'netflix';
  const cues = [at(1, 0, 0.41, '<Yes>.'), at(2, 0.41, 3, 'It is & it was.')];
  const report = reportOf(reviewOf(cues), { ...PICTURE, chosen: 25 });
  deskSettings.profile.value = '';
  const checker = checkerFor('netflix', 'en', { ...PICTURE, chosen: 25 })!;
  const shown = checker.check(cues, () => false)!;
  const listed = [...shown.values()].flat();
  expect(report.rows.flatMap(({ findings }) => findings).length).toBe(listed.length);
  expect(report.score).toBe(checker.score(cues, shown));
  expect(report.score).toBeLessThan(1);
  const said = report.rows.flatMap(({ findings }) => findings.map(({ says }) => says));
  expect(said).toContain('Is shown for 0.41 s (10 frames); at least 0.83 s (21 frames).');
  expect(said).toContain('Leaves no gap before the next caption; at least 2 frames.');
  const page = reportPage(report);
  for (const each of [...said, report.rules, '&lt;Yes>.', 'partnerhelp.netflixstudios.com'])
    expect(page).toContain(each);
  expect(page).not.toContain('<Yes>');
  const [, row] = reportCsv(report).split('\r\n');
  expect(row).toContain('Netflix, for adults, at 25 frames per second');
  // Where the desk counts frames, so does the report.
  expect(row).toStartWith('1,00:00:00:00,00:00:00:10,');
  expect(page).toContain('<td>00:00:00:10</td>');
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

describe('a file that was opened', () => {
  const bytes = (text: string) => new TextEncoder().encode(text);

  test('says which of its lines were not read, and what the editor does not show', async () => {
    const result = await resultOfFile(
      bytes(
        'stray\n\n1\n00:00:01,000 --> 00:00:02,000\n<font color="#ff0000">Red</font>\n\n00:00:03 -->\nLost?\n\n2\n100:00:00,000 --> 100:00:02,000\nLate',
      ),
      'en',
    );
    const file = openedFileOf(result!)!;
    expect([file.format, file.encoding]).toEqual(['srt', 'utf-8']);
    const said = file.unread
      .map(({ line, text, reason }) => `${line} ${text}: ${reason}`)
      .join('\n');
    expect(said).toContain('1 stray');
    expect(said).toContain('0 Late: its times are before the beginning, or after 99:59:59,999');
    expect(said).toContain('0 Red: the editor does not show the colours of 1 of its captions');
  });

  test('is read again in another encoding', async () => {
    const text = '1\n00:00:01,000 --> 00:00:02,000\n';
    const cyrillic = new Uint8Array([...bytes(text), 0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2]);
    expect((await captionsIn(cyrillic, 'windows-1251'))?.[0]?.lines).toEqual(['Привет']);
    expect((await captionsIn(cyrillic, 'windows-1252'))?.[0]?.lines).toEqual(['Ïðèâåò']);
    expect(openedFileOf((await resultOfFile(cyrillic, 'ru'))!)?.bytes).toEqual(cyrillic);
  });
});

describe('all times', () => {
  const cues = [at(1, 10, 12, 'One'), at(2, 60, 62, 'Two'), at(3, 100, 104, 'Three')];
  const spans = (change: Retime) =>
    retimeAll(cues, change, 9).cues.map(({ id, start, end }) => `${id} ${start}-${end}`);
  test.each<[string, Retime, string[]]>([
    ['are shifted', { kind: 'shift', by: 1.5 }, ['1 11.5-13.5', '2 61.5-63.5', '3 101.5-105.5']],
    [
      'do not begin before the recording',
      { kind: 'shift', by: -11 },
      ['1 0-1', '2 49-51', '3 89-93'],
    ],
    [
      'are stretched from film to television',
      { kind: 'stretch', from: 24, to: 25 },
      ['1 9.6-11.52', '2 57.6-59.52', '3 96-99.84'],
    ],
    [
      'fit two points',
      {
        kind: 'points',
        points: [
          { is: 10, shall: 20 },
          { is: 100, shall: 200 },
        ],
      },
      ['1 20-24', '2 120-124', '3 200-208'],
    ],
    ['follow a cut', { kind: 'cut', from: 50, to: 90 }, ['1 10-12', '3 60-64']],
    [
      'are joined by those of another file',
      { kind: 'join', part: [{ start: 1, end: 2, lines: ['More'] }], begins: 110 },
      ['1 10-12', '2 60-62', '3 100-104', '9 111-112'],
    ],
  ])('%s', (_, change, expected) => {
    expect(spans(change)).toEqual(expected);
  });
  test('says how many fall out, and refuses points whose order changes', () => {
    expect(retimeAll(cues, { kind: 'shift', by: -15 }, 9).dropped).toBe(1);
    expect(() =>
      retimeAll(
        cues,
        {
          kind: 'points',
          points: [
            { is: 1, shall: 5 },
            { is: 2, shall: 4 },
          ],
        },
        9,
      ),
    ).toThrow(RangeError);
  });
});
