/** Transcription in pieces: the plan in portions, a replaced recording, progress and raw payloads. */
import { describe, expect, test } from 'bun:test';
import { StageFailure } from '../../server/contract/failure.ts';
import type { Piece, SpeechProvider } from '../../server/speech/provider.ts';
import { patchesOf, speechWith, stagedRun } from './staged-run.ts';

const piece = (index: number): Piece => ({ index, start: index * 10, end: index * 10 + 10 });
const spoken = ['one.', 'two.', 'three.'];

/** A provider whose plan of three pieces comes in three portions. */
const portioned: Partial<SpeechProvider> = {
  plan: async () => ({
    duration: 30,
    pieces: [piece(0)],
    engine: { provider: 'edge', model: 'planned' },
    next: 1,
  }),
  planMore: async (_audio, { next }) => ({
    pieces: [piece(Number(next))],
    next: Number(next) < 2 ? Number(next) + 1 : undefined,
  }),
  transcribe: async (_audio, { index, start }) => ({
    words: [{ text: spoken[index] ?? '', start, end: start + 1 }],
  }),
};

describe('a recording in pieces', () => {
  test("is planned in portions, recognised completely and in order, and ends at its stage's share of the progress", async () => {
    const { result, reports, heard, deleted } = await stagedRun({ speech: speechWith(portioned) });
    expect(result.transcript.words.map(({ text }: { text: string }) => text)).toEqual(spoken);
    expect(heard.map(({ text }) => text)).toEqual(spoken);
    const shares = reports.flatMap(([stage, share]) => (stage === 'transcription' ? share : []));
    expect(shares.at(0)).toBe(0.01);
    expect(shares.at(-1)).toBeCloseTo(0.9);
    expect(Math.max(...shares)).toBeLessThanOrEqual(0.9 + 1e-9);
    expect(deleted).toEqual(['v7']);
  });

  test('names the model that the service used', async () => {
    const speech = speechWith({});
    const merge = speech.provider('edge')!.merge;
    const { result } = await stagedRun({
      speech: speechWith({
        merge: (...given) => ({ ...merge(...given), metadata: { model: 'chosen-by-it' } }),
      }),
    });
    expect(result.metadata.models.transcription).toEqual({
      provider: 'edge',
      model: 'chosen-by-it',
    });
  });

  test.each([
    ['before a piece', 0],
    ['before the rest is planned', 1],
  ])('that is replaced %s fails and is not deleted', async (_, pieces) => {
    let opened = 0;
    let heard = 0;
    let planned = 0;
    const speech = speechWith({
      ...portioned,
      piecesAtOnce: 1,
      planMore: async (...given) => {
        planned += 1;
        return portioned.planMore!(...given);
      },
      transcribe: async (...given) => {
        heard += 1;
        return portioned.transcribe!(...given);
      },
    });
    const version = () => {
      opened += 1;
      // The audio step and the plan open the recording before the first piece.
      return opened > 2 + pieces ? 'v8' : 'v7';
    };
    const { result, deleted } = await stagedRun({ speech, version });
    expect(result.error).toMatchObject({ code: 'audio_not_found', stage: 'transcription' });
    expect(result.error.message).toContain('replaced');
    expect([heard, planned]).toEqual([pieces, 0]);
    expect(deleted).toEqual([]);
    expect(result.metadata.lastSuccessfulStage).toBe('storage');
  });
});

describe('a provider that fails', () => {
  const down = new StageFailure(
    {
      code: 'provider_unavailable',
      message: 'It is down.',
      retryable: true,
      provider: 'edge',
      suggestions: [],
    },
    { isFinal: true },
  );
  const others = { deepgram: {}, whisper: { speaks: (language: string) => language !== 'sw' } };

  test.each(['plan', 'planMore', 'transcribe'] as const)(
    'in %s is reported with the configured alternatives that support the language',
    async (method) => {
      let calls = 0;
      const fail = async () => {
        calls += 1;
        throw down;
      };
      const speech = speechWith({ ...portioned, [method]: fail }, '', others);
      const { result } = await stagedRun({ speech, payload: { language: 'sw' } });
      expect(result.error.code).toBe('provider_unavailable');
      expect(patchesOf(result.error)).toEqual([{ transcription: { provider: 'deepgram' } }]);
      expect(calls).toBe(1);
    },
  );
});

test('a provider gets the requested model, unless it is auto', async () => {
  const asked: unknown[] = [];
  const limited: unknown[] = [];
  const plan = speechWith({}).provider('edge')!.plan;
  const speech = speechWith({
    plan: async (audio, request, context) => {
      asked.push(request.model);
      return plan(audio, request, context);
    },
    keytermLimit: (model) => {
      limited.push(model);
      return { terms: 1 };
    },
  });
  const named = await stagedRun({
    speech,
    payload: { transcription: { model: 'large' }, glossary: ['AuthKit', 'Oktavia'] },
  });
  await stagedRun({ speech, payload: { transcription: { model: 'auto' } } });
  expect([asked, limited]).toEqual([
    ['large', undefined],
    ['large', undefined],
  ]);
  expect(named.result.metadata.terminology.packs).toMatchObject({
    injectedKeyterms: ['AuthKit'],
    omittedKeyterms: ['Oktavia'],
  });
});

describe('raw payloads', () => {
  const payload = { transcription: { includeRawResponse: true } };

  test('share the size limit of the result, and say that they were cut', async () => {
    const raw = { text: 'x'.repeat(10 * 2 ** 20) };
    const speech = speechWith({
      ...portioned,
      transcribe: async (...given) => ({ ...(await portioned.transcribe!(...given)), raw }),
    });
    const { result } = await stagedRun({ speech, payload });
    const { payloads, note } = result.raw.transcription;
    expect(payloads).toHaveLength(3);
    expect(JSON.stringify(payloads).length).toBeLessThanOrEqual(16_777_216);
    expect(note).toContain('shortened');
  });

  test('that fit are complete, without a note', async () => {
    const raw = { text: 'short' };
    const speech = speechWith({ transcribe: async () => ({ words: [], raw }) });
    const { result } = await stagedRun({ speech, payload });
    expect(result.raw.transcription).toEqual({ provider: 'edge', payloads: [raw] });
  });

  test('are omitted unless requested', async () => {
    const speech = speechWith({ transcribe: async () => ({ words: [], raw: { secret: 1 } }) });
    const { result } = await stagedRun({ speech });
    expect(result.raw).toBeUndefined();
  });
});
