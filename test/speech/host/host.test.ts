/** The provider on this host: words of a recording, the way speech is found, and the languages of windows. */
import {
  beforeAll,
  describe,
  expect,
  setDefaultTimeout,
  test,
  afterEach,
  beforeEach,
} from 'bun:test';
import { copyFile, readFile, chmod, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createLog } from '../../../server/base/log.ts';
import type { SpeechProvider } from '../../../server/speech/provider.ts';
import { source } from '../../mp3/support.ts';
import { failureOf } from '../../support/failure-of.ts';
import { needsShared, shared } from '../../support/requirements.ts';
import { sample } from '../../support/sample.ts';
import { transcribed } from '../../support/transcribed.ts';
import {
  hostSpeech,
  type HostSpeechOptions,
  silentMp3,
  tinyModelFolder,
} from './engine-support.ts';

describe('the provider on this host', async () => {
  setDefaultTimeout(300_000);

  const withVoiceActivity = needsShared('models/silero_vad.onnx');

  const { folder, tiny } = await tinyModelFolder();

  const provider = (options: Partial<HostSpeechOptions> = {}) => hostSpeech(folder, options);

  /** The failure of a run in German, which cannot be planned. */
  const refusal = (speech: SpeechProvider) =>
    failureOf(transcribed(speech, silentMp3(16, 1), { language: 'de' }));

  const transcribe = (speech: SpeechProvider, bytes: Uint8Array, chunkBytes = 5_242_880) =>
    transcribed(speech, source(bytes), { chunkBytes });

  describe('the provider on this host', () => {
    beforeAll(async () => {
      await copyFile(shared('models/silero_vad.onnx'), join(folder, 'silero_vad.onnx')).catch(
        () => {},
      );
    });

    withVoiceActivity(
      'pieces of any size give the same words, in order and inside the recording',
      async () => {
        const speech = provider();
        const talk = await readFile(sample);
        const long = Buffer.concat(Array.from({ length: 4 }, () => talk));
        const whole = await transcribe(speech, long);
        const parted = await transcribe(speech, long, 131_072);
        expect(whole.plan.engine).toEqual({
          provider: 'edge',
          keytermsInjected: false,
          model: basename(tiny),
          engine: 'sherpa-onnx',
        });
        expect(whole.plan.pieces).toHaveLength(1);
        expect(parted.plan.pieces.length).toBeGreaterThan(3);
        const text = (made: typeof whole) => made.transcript.words.map((word) => word.text);
        // The model averages over 80 ms: a cut elsewhere shifts that grid and changes a few sounds.
        const difference = Math.abs(text(whole).length - text(parted).length);
        expect(difference).toBeLessThanOrEqual(Math.ceil(text(whole).length * 0.04));
        for (const { words, duration } of [whole.transcript, parted.transcript]) {
          let last = 0;
          for (const word of words) {
            expect(word.start).toBeGreaterThanOrEqual(last - 0.001);
            expect(word.end).toBeGreaterThan(word.start);
            last = word.start;
          }
          expect(last).toBeLessThan(duration);
        }
        speech.close?.();
      },
    );

    for (const name of ['silence20.mp3', 'noise20.mp3']) {
      needsShared(`audio/${name}`)(`${name} has no text`, async () => {
        for (const vad of ['silero', 'loudness']) {
          const speech = provider(vad === 'silero' ? {} : { modelsDir: join(folder, 'none') });
          const { transcript } = await transcribe(speech, await readFile(shared(`audio/${name}`)));
          expect([vad, transcript.words]).toEqual([vad, []]);
          speech.close?.();
        }
      });
    }

    test('errors about an unusable folder do not contain its name', async () => {
      const missing = join(folder, 'private', 'model');
      const failures = [
        await refusal(provider({ speechModel: missing })),
        // A file is in place of the models folder.
        await refusal(provider({ modelsDir: join(tiny, 'tokens.txt'), speechModel: 'auto' })),
      ];
      for (const failure of failures) {
        expect(failure.code).toBe('model_unavailable');
        expect(JSON.stringify(failure)).not.toContain(folder);
        expect(JSON.stringify(failure)).not.toMatch(/[" ]\/\w/);
      }
    });

    test('a file that is not MP3 is audio_unreadable', async () => {
      const outcome = transcribe(provider(), new Uint8Array(5000));
      await expect(outcome).rejects.toMatchObject({ failure: { code: 'audio_unreadable' } });
    });
  });
});

describe('how a run on this host finds speech: by a model, by loudness, or not at all', async () => {
  const { folder, tiny } = await tinyModelFolder();

  /** The requests for models, none of which exists. */
  let downloads: string[] = [];
  let server: ReturnType<typeof Bun.serve>;
  beforeEach(() => {
    downloads = [];
    server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch(request) {
        downloads.push(new URL(request.url).pathname);
        return new Response(null, { status: 404 });
      },
    });
  });
  afterEach(() => server.stop(true));

  const path = process.env['PATH'];
  beforeAll(async () => {
    const program = join(folder, 'pocketsphinx_continuous');
    await writeFile(program, '#!/bin/sh\n');
    await chmod(program, 0o755);
  });
  afterEach(() => {
    process.env['PATH'] = path;
  });

  /** Plans a minute of silence in three pieces, and returns the pieces and the warnings. */
  async function planned(options: Partial<HostSpeechOptions>, times = 1) {
    const warnings: string[] = [];
    const speech = hostSpeech(join(folder, 'none'), {
      modelsBaseUrl: server.url.origin,
      speechModel: tiny,
      log: createLog('warn', (line) => warnings.push(JSON.parse(line).event)),
      ...options,
    });
    const pieces: { start: number; end: number }[] = [];
    for (let time = 0; time < times; time += 1) {
      const { plan } = await transcribed(speech, silentMp3(64, 60), { chunkBytes: 160_000 });
      pieces.splice(0, Infinity, ...plan.pieces);
    }
    speech.close?.();
    return { pieces, warnings };
  }

  const overlapOf = ([first, second]: readonly { start: number; end: number }[]): number =>
    first!.end - second!.start;

  test('without a model, speech is found by loudness, and one warning says so', async () => {
    const { pieces, warnings } = await planned({}, 2);
    expect(overlapOf(pieces)).toBe(0);
    expect(downloads).toEqual(['/silero_vad.onnx']);
    expect(warnings).toEqual(['voice_activity_by_loudness']);
  });

  test('without detection, even silence is no pause to cut in, and nothing is downloaded', async () => {
    const { pieces, warnings } = await planned({ vad: false });
    expect(overlapOf(pieces)).toBe(2);
    expect(downloads).toEqual([]);
    expect(warnings).toEqual([]);
  });
});

type Note = [start: number, end: number, language: string, words: number, dropped?: number];

/** What the windows of pieces add to a transcript in a language. */
function told(language: string, pieces: Note[][]): Record<string, unknown> {
  const speech = hostSpeech('/none');
  const windows = pieces.map((notes) =>
    notes.map(([start, end, language, words, dropped = 0]) => ({
      start,
      end,
      language,
      words,
      dropped,
    })),
  );
  const plan = {
    duration: 36,
    pieces: pieces.map((_, index) => ({ index, start: 0, end: 36 })),
    engine: {},
  };
  const heard = windows.map((notes) => ({ words: [], windows: notes }));
  const made = speech.merge(plan as never, heard, { language } as never);
  return { language: made.language, ...made.metadata };
}

const span = (language: string, start: number, end: number) => ({ language, start, end });

test('the languages of a recording are listed in order of time; neighbours in one language are one', () => {
  const first: Note[] = [
    [0, 10, 'en', 20],
    [8, 19, 'en', 20],
    [18, 30, 'fr', 5],
  ];
  const second: Note[] = [
    [30, 36, 'en', 4],
    [31, 35, 'en', 2],
  ];
  expect(told('auto', [second, first])).toEqual({
    language: 'en',
    languages: [span('en', 0, 19), span('fr', 18, 30), span('en', 30, 36)],
  });
});
