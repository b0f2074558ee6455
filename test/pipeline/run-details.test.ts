/**
 * Details of a run: its request to the provider, cached terms, reports of the audit and of
 * failures.
 */
import { describe, expect, test } from 'bun:test';
import { resolvePayload } from '../../server/contract/payload.ts';
import { StageFailure } from '../../server/contract/failure.ts';
import { compileForRun } from '../../server/pipeline/terminology.ts';
import { LOCAL_RETRIES } from '../../server/pipeline/perform.ts';
import { audioTooLong, transcriptionRequest } from '../../server/pipeline/transcribe.ts';
import { boundPayload } from '../../server/pipeline/raw-payload.ts';
import type { Any } from '../support/servers/client.ts';
import { blockingModerator, OWN_TERMS, speechWith, stagedRun, storedSteps } from './staged-run.ts';

test("a provider gets the payload's settings, with the best terms first", async () => {
  const asked: unknown[] = [];
  const edge = speechWith({}).provider('edge')!;
  const speech = speechWith({
    plan: async (audio, request, context) => {
      asked.push(request);
      return edge.plan(audio, request, context);
    },
    transcribe: async (audio, piece, request, context) => {
      asked.push(request);
      return edge.transcribe(audio, piece, request, context);
    },
  });
  await stagedRun({
    speech,
    payload: {
      language: 'de-AT',
      glossary: ['Oktavia'],
      transcription: { model: 'large', chunkBytes: 300_000, includeRawResponse: true },
    },
  });
  const request = {
    language: 'de-AT',
    model: 'large',
    keyterms: ['Oktavia'],
    says: {},
    near: {},
    chunkBytes: 300_000,
    includeRawResponse: true,
  };
  expect(asked).toEqual([request, request]);
});

test('a provider gets the pronunciations and near words of the terms of packs', () => {
  const request = resolvePayload({ audio: { key: 'a.mp3' } });
  const term = { kind: 'acronym', weight: 5 } as const;
  const pack = {
    id: 'own',
    version: 1,
    title: 'Own',
    triggers: [],
    relatedPackIds: [],
    terms: [
      { ...term, canonical: 'PKCE', say: 'pixie', near: ['verifier'] },
      { ...term, canonical: 'SSO' },
    ],
  };
  const asked = { ...request, terminology: { ...request.terminology, packs: ['own'] as never[] } };
  const { keyterms, says, near } = transcriptionRequest(asked, compileForRun([pack], asked));
  expect(keyterms).toEqual(['PKCE', 'SSO']);
  expect(says).toEqual({ PKCE: 'pixie' });
  expect(near).toEqual({ PKCE: ['verifier'] });
});

test('a missing or too long recording has suggestions', async () => {
  const { result } = await stagedRun({ version: () => null });
  expect(result.error).toMatchObject({
    code: 'audio_not_found',
    message: 'There is no audio under this key.',
    retryable: false,
    stage: 'storage',
    suggestions: [
      { label: 'Upload the MP3 again', payloadPatch: { storage: { retainSourceAudio: true } } },
    ],
  });
  expect(result.metadata.storage.sourceAudio.status).toBe('skipped');
  expect(audioTooLong(9000, 7200).failure).toMatchObject({
    code: 'audio_too_long',
    retryable: false,
    suggestions: [
      { label: 'Cut the recording into parts' },
      {
        label: 'Check that the recording is what you meant to send',
        description:
          'Speech at a very low bitrate, or hours of silence after the talk, can make a small file last for a day.',
      },
    ],
    debug: { duration: 9000, maximum: 7200 },
  });
});

test('local work is tried three times, and its time counts from the first try', async () => {
  const times: number[] = [];
  const speech = speechWith({
    plan: async () => {
      times.push(Date.now());
      throw new Error('busy');
    },
  });
  const stored: Any[] = [];
  const steps = storedSteps((output) => {
    stored.push(output);
    return output;
  });
  const { result } = await stagedRun({ speech, steps });
  expect(result.error.code).toBe('internal');
  expect([times.length, LOCAL_RETRIES.attempts]).toEqual([3, 3]);
  const failed = stored.find((output) => 'failure' in output);
  expect(failed.startedAt).toBeLessThanOrEqual(times[0]!);
  expect(failed.endedAt).toBeGreaterThanOrEqual(times[2]!);
});

test('a run fails if the changes of its rules cannot be recorded', async () => {
  let tries = 0;
  const { result, log } = await stagedRun({
    text: 'we met octave ya there.',
    run: {
      ownTerms: async () => OWN_TERMS,
      noteRuleChanges: async () => {
        tries += 1;
        throw new Error('a full disk');
      },
    },
  });
  expect(result.error).toMatchObject({ code: 'internal', stage: 'terminology_audit' });
  expect(tries).toBe(3);
  expect(log).toContain('a full disk');
});

test('the report of an audit counts its decisions and their cost', async () => {
  const { result } = await stagedRun({
    text: 'we met octave ya there, and the pixie.',
    payload: {
      glossary: ['PKCE'],
      audit: { provider: 'edge', mode: 'fast', minConfidence: 0.8 },
    },
    run: { ownTerms: async () => OWN_TERMS },
  });
  expect(result.audit).toMatchObject({
    enabled: true,
    mode: 'fast',
    provider: 'edge',
    model: 'edge-matcher-3',
    minConfidence: 0.8,
    calls: 0,
    tokens: 0,
    cached: 0,
  });
  const { summary, corrections } = result.audit;
  expect(summary.accepted).toBe(1);
  expect(summary.accepted + summary.needsReview + summary.rejected).toBe(corrections.length);
  expect(result.audit).not.toHaveProperty('fallbackFrom');
  expect(result.audit).not.toHaveProperty('note');
});

test('a blocked run reports the number of words, but none of them', async () => {
  const { result } = await stagedRun({ services: { moderator: blockingModerator } });
  expect(result.status).toBe('blocked');
  expect(result.metadata).toMatchObject({
    counts: { words: 5, utterances: expect.any(Number), paragraphs: 1 },
    models: {
      transcription: { provider: 'edge' },
      moderation: { provider: 'edge', name: 'strict' },
    },
    storage: { sourceAudio: { status: 'deleted' } },
  });
  expect(result.metadata.duration).toBeGreaterThan(0);
  expect(JSON.stringify(result)).not.toContain('thank');
});

test('a failing moderator fails the run, which can be started again', async () => {
  const down = new StageFailure({
    code: 'provider_unavailable',
    message: 'It is down.',
    retryable: false,
    suggestions: [],
  });
  const { result } = await stagedRun({
    services: { moderator: { model: 'm', moderate: () => Promise.reject(down) } },
  });
  expect(result.error).toMatchObject({ code: 'provider_unavailable', stage: 'moderation' });
  expect(result.error.suggestions).toHaveLength(1);
});

describe('the terms of runs', () => {
  const packs: never[] = [];
  /** A request whose terms have so many letters, each of which takes about 500 bytes. */
  const compiled = (name: string, letters: number) =>
    compileForRun(
      packs,
      resolvePayload({
        audio: { key: 'talk.mp3' },
        glossary: Array.from({ length: letters / 200 }, (_, at) => `${name}${at}`.padEnd(200, 'x')),
      }),
    );

  const isSame = (name: string, letters: number, earlier: object) =>
    compiled(name, letters) === earlier;

  test('are shared by runs with the same request', () => {
    const one = compiled('a', 200);
    expect([isSame('a', 200, one), isSame('b', 200, one)]).toEqual([true, false]);
  });

  test('are cached within 64 MiB: the least recently used are dropped, and too many are not cached', () => {
    const [one, two] = [compiled('c', 50_000), compiled('d', 50_000)];
    expect(isSame('c', 50_000, one)).toBe(true);
    const three = compiled('e', 50_000);
    expect(isSame('e', 50_000, three)).toBe(true);
    expect(isSame('c', 50_000, one)).toBe(true);
    expect(isSame('d', 50_000, two)).toBe(false);
    expect(isSame('f', 140_000, compiled('f', 140_000))).toBe(false);
  });
});

describe('a raw payload', () => {
  test('that just fits is complete; one byte less cuts its end', () => {
    const raw = { a: [1, true, null, 'xy'], b: { c: 'é' } };
    const size = Buffer.byteLength(JSON.stringify(raw));
    expect(boundPayload(raw, size + 20)).toEqual({ value: raw, cut: false });
    const { value, cut } = boundPayload(raw, 12);
    expect(cut).toBe(true);
    expect(JSON.stringify(value).length).toBeLessThanOrEqual(size);
  });

  test('keeps a field called __proto__ as a field', () => {
    const { value } = boundPayload(JSON.parse('{"__proto__":{"a":1}}'), 1000);
    expect(JSON.stringify(value)).toBe('{"__proto__":{"a":1}}');
    expect((value as Any).a).toBeUndefined();
  });
});
