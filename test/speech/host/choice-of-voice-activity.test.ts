/** How a run on this host finds speech: by a model, by loudness, or not at all. */
import { afterEach, beforeAll, beforeEach, expect, test } from 'bun:test';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createLog } from '../../../server/log.ts';
import { createHostSpeech, type HostSpeechOptions } from '../../../server/speech/host/host.ts';
import { wholePlan } from '../../support/whole-plan.ts';
import { never, tinyModelFolder } from './engine-support.ts';
import { silentMp3 } from './silent-mp3.ts';

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
  const speech = createHostSpeech({
    modelsDir: join(folder, 'none'),
    modelsBaseUrl: server.url.origin,
    speechModel: tiny,
    vad: true,
    slots: 1,
    tempDir: join(folder, 'tmp'),
    log: createLog('warn', (line) => warnings.push(JSON.parse(line).event)),
    ...options,
  });
  const request = { language: 'en', keyterms: [], chunkBytes: 160_000, includeRawResponse: false };
  const context = { signal: never, progress: () => {} };
  let plan = await wholePlan(speech, silentMp3(64, 60), request, context);
  for (let more = 1; more < times; more += 1) {
    plan = await wholePlan(speech, silentMp3(64, 60), request, context);
  }
  return { pieces: plan.pieces, warnings };
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

test('pocketsphinx downloads no model', async () => {
  process.env['PATH'] = `${folder}:${path}`;
  const { pieces, warnings } = await planned({ engine: 'pocketsphinx' });
  expect(overlapOf(pieces)).toBe(0);
  expect(downloads).toEqual([]);
  expect(warnings).toEqual(['voice_activity_by_loudness']);
});
