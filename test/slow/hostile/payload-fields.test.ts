/** Long texts in every field of a payload are refused with the field named, and do no harm. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { excessOf, MAX_EXCESS } from '../../support/growth.ts';
import { ended, signUp, type Any } from '../../support/servers/client.ts';
import { testServer } from '../../support/servers/test-server.ts';
import { payloadIssues } from '../../../server/contract/payload.ts';
import { poster } from './support/post-body.ts';

setDefaultTimeout(300_000);

const server = await testServer();
const ann = await signUp(server, 'ann@example.com');
const { ask } = poster(server.url, ann.key);

const START = '/workflows/captioner';
const KB = 1024;

/** A payload with a value at a path. */
const having = (path: string, value: unknown): object => {
  const [section = '', field] = path.split('.');
  if (section === 'audio') return { audio: { key: 'none.mp3', [field ?? '']: value } };
  const part = field === undefined ? value : { [field]: value };
  return { audio: { key: 'none.mp3' }, [section]: part };
};

const TEXTS = ['audio.filename', 'topic', 'language', 'transcription.model', 'audit.model'];
const TERMS = ['glossary', 'transcription.keyterms', 'terminology.include', 'terminology.exclude'];
/** Texts that blocked workers for good in version 1.0, or used up their memory. */
const FILLS: ((size: number) => string)[] = [
  (size) => `a${'!'.repeat(size - 2)}a`,
  (size) => 'ab '.repeat(size / 3),
];

/** Payloads with a text of about this size in each field. */
function payloads(size: number): [path: string, payload: object][] {
  return FILLS.flatMap((fill) => [
    ...TEXTS.map((path): [string, object] => [path, having(path, fill(size))]),
    ...TERMS.flatMap((path): [string, object][] => [
      [path, having(path, fill(size))],
      [`${path}.0`, having(path, [fill(size)])],
    ]),
    ['audio.key', having('audio.key', `${fill(size)}.mp3`)] as [string, object],
  ]);
}

/** The memory of the service, in MiB. */
const resident = (): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1]) / 1024;

test.each([10 * KB, 100 * KB, 1000 * KB])('a text of %d bytes', async (size) => {
  const before = resident();
  for (const [path, payload] of payloads(size)) {
    const answer = await ask(START, JSON.stringify(payload));
    if (answer.status === 202) {
      // Terms in one string that are too long are left out, with a note.
      expect(TERMS).toContain(path);
      continue;
    }
    expect(answer.status).toBe(422);
    const { code, details } = JSON.parse(answer.text).error;
    expect(code).toBe('invalid_payload');
    expect(details.map((fault: Any) => fault.path)).toContain(path);
    expect(details.map((fault: Any) => fault.message).join()).toMatch(/more than [\d]+ \w+/);
  }
  expect((await fetch(`${server.url}/health`)).status).toBe(200);
  expect(resident() - before).toBeLessThan(150);
});

test('a payload just within the limits starts a run, which ends', async () => {
  const term = (at: number) => `${'a!'.repeat(90)}b ${at}`;
  const long = Array.from({ length: 1000 }, (_, at) => term(at));
  const payload = {
    audio: { key: 'none.mp3', filename: 'f'.repeat(1024) },
    topic: 'ab '.repeat(600),
    glossary: long,
    transcription: {
      keyterms: Array.from({ length: 1000 }, (_, at) => `${'ab '.repeat(19)}${at}`),
    },
    terminology: {
      include: Array.from({ length: 1000 }, (_, at) => `zeitgeister${at}`),
      exclude: long,
    },
  };
  const answer = await ask(START, JSON.stringify(payload));
  expect(answer.status).toBe(202);
  expect((await ended(ann, JSON.parse(answer.text).runId)).state).toBe('failed');
});

test('a key of 1,024 bytes and no more', async () => {
  const key = (bytes: number) => `${'ü'.repeat((bytes - 4) / 2)}.mp3`;
  const status = async (bytes: number) =>
    (await ask(START, JSON.stringify({ audio: { key: key(bytes) } }))).status;
  expect(await status(1024)).toBe(202);
  expect(await status(1026)).toBe(422);
});

test('validating a payload takes time proportional to its size', () => {
  const read = (size: number) => payloads(size).forEach(([, p]) => payloadIssues(p));
  expect(excessOf(read, 100 * KB)).toBeLessThan(MAX_EXCESS);
});
