/**
 * Uploads and runs of MP3 files designed to break the service: each is stored or refused, and each
 * run ends with captions or a reason.
 */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import fc from 'fast-check';
import { readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { AudioObjectReceipt, Mp3RequiredError } from '../../../server/contract/audio.ts';
import { FAILURE_CODES } from '../../../server/contract/failure.ts';
import { WorkflowResultEnvelope } from '../../../server/contract/results.ts';
import { validator } from '../../../server/contract/schema.ts';
import { signUp, until } from '../../support/servers/client.ts';
import { join as bytesOf } from '../../mp3/support.ts';
import { rounds } from '../../support/fuzz.ts';
import { testServer } from '../../support/servers/test-server.ts';
import { tinyModelEnvironment } from '../../support/doubles/tiny-model-environment.ts';
import { HOSTILE } from './support/mp3-hostile.ts';
import { clip, CLIPS } from './support/mp3-parts.ts';
import { randomFrames, spoilt } from './support/mp3-spoilt.ts';

setDefaultTimeout(300_000);

const { env } = await tinyModelEnvironment();
const server = await testServer({ env });
const ann = await signUp(server, 'ann@example.com');
const authorization = `Bearer ${ann.key}`;
const receipts = validator(AudioObjectReceipt);
const refusals = validator(Mp3RequiredError);
const envelopes = validator(WorkflowResultEnvelope);

/** The outcome of a recording: refused at upload, captioned, or the code of its failure. */
async function fate(key: string, bytes: Uint8Array): Promise<string> {
  const upload = await ann.put(key, new Uint8Array(bytes));
  const body = await upload.json();
  if (upload.status === 415) {
    expect(refusals.issues(body)).toEqual([]);
    return 'refused';
  }
  expect([upload.status, receipts.issues(body), body.size]).toEqual([200, [], bytes.length]);
  const run = await fetch(`${server.url}/workflows/captioner?wait=result`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ audio: { key }, audit: { provider: 'edge' } }),
    // A run that hangs fails the test.
    signal: AbortSignal.timeout(120_000),
  });
  const envelope = await run.json();
  expect([run.status, envelopes.issues(envelope)]).toEqual([200, []]);
  const { status, error } = envelope.result;
  return status === 'failed' ? error.code : status;
}

/** The expected outcomes; `internal` would be our own error. */
const foreseen = new Set<string>([
  'refused',
  'completed',
  'blocked',
  ...FAILURE_CODES.filter((code) => code !== 'internal'),
]);

/** The recordings that the service has open. */
async function openRecordings(): Promise<string[]> {
  const folder = `/proc/${server.pid}/fd`;
  const open = (await readdir(folder)).map((name) => readlink(join(folder, name)).catch(() => ''));
  return (await Promise.all(open)).filter((path) => path.startsWith(join(server.dataDir, 'audio')));
}

/** A normal recording is captioned, and no incomplete file is left. */
async function isWell(): Promise<void> {
  process.kill(server.pid, 0);
  expect(await fate('talk.mp3', clip(6))).toBe('completed');
  expect(await readdir(join(server.dataDir, 'audio', 'incoming'))).toEqual([]);
  expect(server.log()).not.toContain('"level":"error"');
}

test('a normal recording', isWell);

/** Several at once, because each waits for its run. */
const few = pLimit(6);

describe('made by hand', () => {
  test('each is stored or refused, and ends as foreseen', async () => {
    const fates = await Promise.all(
      HOSTILE.map(([name, bytes], at) =>
        few(async () => [name, await fate(`made/${at}.mp3`, bytes)] as const),
      ),
    );
    expect(fates.filter(([, each]) => !foreseen.has(each))).toEqual([]);
  });

  test('and the service is well', isWell);
});

describe('by chance', () => {
  const seed = Math.floor(Math.random() * 2 ** 31);

  test.each([
    ['spoilt talks', spoilt([clip(3)]), rounds(20)],
    ['spoilt clips of every kind', spoilt(CLIPS), rounds(10)],
    [
      'talks with frames of random bits',
      randomFrames.map((frames) => bytesOf(clip(1), frames)),
      rounds(8),
    ],
  ] as const)(`%s, several at once (seed ${seed})`, async (name, recordings, numRuns) => {
    const all = fc.sample(recordings, { seed, numRuns });
    const fates = await Promise.all(
      all.map((bytes, at) => few(() => fate(`${name}/${at}.mp3`, bytes))),
    );
    expect(fates.filter((each) => !foreseen.has(each))).toEqual([]);
    // Most of the talk is intact, so at least some must be captioned.
    if (name === 'spoilt talks') expect(fates).toContain('completed');
  });

  test('and the service is well', isWell);
});

test('every opened file is closed', async () => {
  await until(async () => (await openRecordings()).length === 0);
});
