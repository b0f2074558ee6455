/** Recordings captioned one after the other: what is written, said and printed for each. */
import { afterAll, afterEach, beforeEach, expect, spyOn, test, type Mock } from 'bun:test';
import { readdir, writeFile } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { join } from 'node:path';
import { captionRecordings, type Task, type Work } from '../../scripts/caption-recordings.ts';
import type { Output } from '../../scripts/caption-outputs.ts';
import { CommandFailure, UsageError } from '../../scripts/command-line.ts';
import { readHouseProfile } from '../../server/captions/rules/profiles/house-profile.ts';
import type { CaptionerResult } from '../../server/contract/results.ts';
import {
  blockedResult,
  completedResult,
  failedResult,
} from '../../server/http/openapi/example-results.ts';
import { wavFile } from '../../server/speech/host/wav.ts';
import { chirp } from '../support/servers/pipeline-run.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';

const folder = await temporaryFolder();
const [one, two] = [join(folder, 'one.mp3'), join(folder, 'two.mp3')];
await writeFile(one, chirp);
await writeFile(two, chirp);
const { TMPDIR, PATH } = process.env;
let stderr: Mock<typeof process.stderr.write>;
beforeEach(() => {
  stderr = spyOn(process.stderr, 'write').mockReturnValue(true);
});
afterEach(() => {
  stderr.mockRestore();
  process.env['PATH'] = PATH;
  if (TMPDIR === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = TMPDIR;
});
afterAll(() => removeFolder(folder));
const said = () => stderr.mock.calls.map(([text]) => String(text)).join('');

/** The files written by the last captioning, in order. */
let written: [string | null, string][] = [];
const output = (format: string, path: string | null): Output => ({
  format,
  path,
  async write(text) {
    await nextTurn();
    written.push([path, text]);
  },
});

/** Captions recordings whose work ends in the given results. */
function captioning(results: (CaptionerResult | Error)[], more: Partial<Task> = {}) {
  written = [];
  const printed: string[] = [];
  const asked: [string, unknown][] = [];
  const counts = { opened: 0, closed: 0 };
  const recordings = more.recordings ?? [one];
  const work: Work = {
    async caption(mp3, payload, report, words) {
      asked.push([mp3, payload]);
      report('payload', 0);
      report('transcription', 0.101);
      report('transcription', 0.109);
      report('captioning', 0.9);
      words('some words');
      const result = results.shift() ?? completedResult;
      if (result instanceof Error) throw result;
      return result;
    },
    close: async () => void (counts.closed += 1),
  };
  const task: Task = {
    recordings,
    options: { language: 'en', provider: 'edge' },
    glossary: undefined,
    rules: { query: {} },
    outputs: new Map(
      recordings.map((name) => [name, [output('srt', `${name}.srt`), output('json', null)]]),
    ),
    ...more,
  };
  const done = captionRecordings(
    task,
    async (first) => {
      counts.opened += 1;
      asked.push(['open', first]);
      return work;
    },
    (line) => printed.push(line),
  );
  const events = () => printed.map((line): unknown => JSON.parse(line));
  return { done, printed, events, asked, counts };
}

test('captions are written in each format, and their figures are printed', async () => {
  const { done, printed, asked, counts } = captioning([completedResult]);
  await done;
  expect(written).toEqual([
    [`${one}.srt`, expect.stringMatching(/^1\n00:00:00,200 --> .*\nThey signed in with AuthKit\./)],
    [null, `${JSON.stringify(completedResult, null, 2)}\n`],
  ]);
  expect(asked).toEqual([
    ['open', expect.objectContaining({ language: 'en' })],
    [one, expect.objectContaining({ audio: { key: 'one.mp3', filename: 'one.mp3' } })],
  ]);
  expect(counts).toEqual({ opened: 1, closed: 1 });
  expect(printed).toEqual([]);
  expect(said()).toMatch(/^Preparing\nTranscribing\nMaking captions\n1 cues, 0 warnings\. /);
  expect(said()).not.toContain('→');
});

test('with --json each whole percent and the outcome are lines of JSON', async () => {
  const { metadata } = completedResult;
  const { done, events } = captioning(
    [{ ...completedResult, metadata: { ...metadata, duration: 2.4 } } as CaptionerResult],
    { options: { language: 'en', provider: 'edge', json: 'json' } },
  );
  await done;
  expect(events()).toEqual([
    { event: 'progress', recording: one, stage: 'payload', progress: 0 },
    { event: 'progress', recording: one, stage: 'transcription', progress: 0.101 },
    { event: 'progress', recording: one, stage: 'captioning', progress: 0.9 },
    expect.objectContaining({
      event: 'completed',
      recording: one,
      files: [`${one}.srt`, null],
      duration: 2.4,
      cues: 1,
      warnings: 0,
      words: 5,
      score: completedResult.quality.captions.score,
    }),
  ]);
  expect(Object.keys(events().at(-1) as object)).not.toContain('profile');
});

test('of several recordings, those that fail are named, and the others captioned', async () => {
  const { done, events, counts } = captioning([failedResult, completedResult], {
    recordings: [one, two],
    options: { language: 'en', provider: 'edge', json: 'json' },
  });
  await expect(done).rejects.toThrow(CommandFailure);
  await expect(done).rejects.toThrow('1 of 2 were not captioned.');
  expect(written.map(([path]) => path)).toEqual([`${two}.srt`, null]);
  expect(counts).toEqual({ opened: 1, closed: 1 });
  expect(said()).toContain('1/2 Transcribing\n');
  expect(said()).toContain('2/2 Transcribing\n');
  expect(said()).toContain(`${one}: ${failedResult.error.message}\n`);
  expect(said()).toMatch(new RegExp(`\n${two}: 1 cues, .* → ${two}\\.srt\n$`));
  expect(events()).toContainEqual({
    event: 'failed',
    recording: one,
    message: expect.stringContaining(failedResult.error.message),
  });
});

test('a failure of the only recording has its suggestions; wrong usage ends the command', async () => {
  const only = captioning([failedResult]);
  const { message, suggestions } = failedResult.error;
  await expect(only.done).rejects.toThrow(`${message}\n- ${suggestions[0]?.label}`);
  expect(only.counts.closed).toBe(1);
  const usage = captioning([new UsageError('No such model.')], { recordings: [one, two] });
  await expect(usage.done).rejects.toThrow(UsageError);
  expect(usage.asked.map(([path]) => path)).toEqual(['open', one]);
});

test('a recording that moderation blocked has no captions', async () => {
  const { done } = captioning([blockedResult]);
  await expect(done).rejects.toThrow(
    'Moderation blocked this recording, so no captions were made.',
  );
  expect(written).toEqual([]);
});

test('captions by a profile have its warnings, in both forms', async () => {
  const { done, events } = captioning([completedResult], {
    options: { language: 'en', provider: 'edge', profile: 'netflix', json: 'json' },
    rules: { query: { profile: 'netflix', frameRate: '25' } },
  });
  await done;
  expect(said()).toMatch(/\nBy netflix: 1 cues, \d+ warnings\.\n/);
  const { profile } = events().at(-1) as { profile: { cues: number; warnings: unknown[] } };
  expect(profile).toEqual({ cues: 1, warnings: expect.any(Array) });
  // On a frame of the video.
  expect(written[0]?.[1]).toMatch(/00:00:00,(?:200|240) --> 00:00:0\d,\d[02468]0\n/);
});

test('captions by a custom profile follow its rules', async () => {
  const house = { format: 'captioner-profile-1', name: 'Narrow', base: 'bbc', maxLineChars: 18 };
  const { done } = captioning([completedResult], {
    rules: { query: {}, house: readHouseProfile(JSON.stringify(house)) },
  });
  await done;
  expect(written[0]?.[1]).toContain('\nThey signed\nin with AuthKit.\n');
});

test('captions are marked with the language of the speech', async () => {
  const { transcript } = completedResult;
  const german = { ...transcript, metadata: { ...transcript.metadata, language: 'de' } };
  const { done } = captioning([{ ...completedResult, transcript: german }], {
    outputs: new Map([[one, [output('ttml', 'a.ttml')]]]),
  });
  await done;
  expect(written[0]?.[1]).toContain('xml:lang="de"');
});

test('speech that was lost is told, in both forms', async () => {
  const { transcript } = completedResult;
  const unheard = [{ start: 70, end: 84 }];
  const metadata = { ...transcript.metadata, unheard, droppedWords: 1 };
  const { done, events } = captioning(
    [{ ...completedResult, transcript: { ...transcript, metadata } }],
    {
      options: { language: 'en', provider: 'edge', json: 'json' },
    },
  );
  await done;
  expect(said()).toContain('Sound without captions: 1:10 to 1:24.\n1 word was dropped');
  expect(events().at(-1)).toMatchObject({ unheard, droppedWords: 1 });
});

test('recognised words are shown on a terminal, but not next to lines of JSON', async () => {
  const { isTTY } = process.stderr;
  process.stderr.isTTY = true;
  const { done } = captioning([completedResult]);
  await done;
  expect(said()).toContain('some words');
  stderr.mockClear();
  await captioning([completedResult], {
    options: { language: 'en', provider: 'edge', json: 'json' },
  }).done;
  process.stderr.isTTY = isTTY;
  expect(said()).not.toContain('some words');
});

test('the temporary MP3 of a recording is removed, even if it fails', async () => {
  const wav = join(folder, 'tone.wav');
  await writeFile(wav, wavFile(new Float32Array(1600), 8000));
  const temporary = await temporaryFolder();
  Object.assign(process.env, { PATH: folder, TMPDIR: temporary });
  const { done, asked } = captioning([failedResult], { recordings: [wav] });
  await expect(done).rejects.toThrow(CommandFailure);
  expect(asked[1]?.[0]).toStartWith(join(temporary, 'captioner-'));
  expect(await readdir(temporary)).toEqual([]);
  await removeFolder(temporary);
});
