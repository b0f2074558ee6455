/** The share of each piece in the progress, the time and the raw payload of a run. */
import { describe, expect, test } from 'bun:test';
import { readConfig } from '../../server/config.ts';
import { resolvePayload } from '../../server/contract/payload.ts';
import { providerSummaries } from '../../server/pipeline/providers.ts';
import { compileForRun } from '../../server/pipeline/terminology.ts';
import type { Piece, SpeechProvider } from '../../server/speech/provider.ts';
import { speechWith, stagedRun } from './staged-run.ts';

/** A provider whose plan has these pieces, in seconds, and whether more follow them. */
function planned(
  duration: number,
  spans: readonly (readonly [start: number, end: number])[],
  more: Partial<SpeechProvider> & { next?: unknown } = {},
): Partial<SpeechProvider> {
  const { next, ...methods } = more;
  return {
    piecesAtOnce: 1,
    plan: async () => ({
      duration,
      pieces: spans.map(([start, end], index) => ({ index, start, end })),
      engine: { provider: 'edge', model: 'planned' },
      ...(next !== undefined && { next }),
    }),
    transcribe: async (_audio, { start, end }) => ({
      words: [{ text: 'so.', start, end: Math.max(end, start + 0.1) }],
    }),
    ...methods,
  };
}

describe('progress', () => {
  /** The reported shares of the transcription, from 0 to 1, with each piece half done and then done. */
  async function shares(speech: Partial<SpeechProvider>) {
    const half: SpeechProvider['transcribe'] = async (audio, piece, request, context) => {
      context.progress(0.5);
      return speech.transcribe!(audio, piece, request, context);
    };
    const { reports } = await stagedRun({ speech: speechWith({ ...speech, transcribe: half }) });
    return reports.flatMap(([stage, share]) =>
      stage === 'transcription' ? [Math.round(((share - 0.01) / 0.89) * 1000) / 1000] : [],
    );
  }

  test('is that of the seconds of all pieces', async () => {
    const speech = planned(40, [
      [0, 30],
      [30, 40],
    ]);
    expect(await shares(speech)).toEqual([0, 0.375, 0.75, 0.875, 1]);
  });

  test('reaches its end where pieces overlap', async () => {
    const speech = planned(40, [
      [0, 30],
      [20, 40],
    ]);
    expect(await shares(speech)).toEqual([0, 0.3, 0.6, 0.8, 1]);
  });

  test('counts the seconds for which no pieces are planned yet', async () => {
    const speech = planned(40, [[0, 10]], {
      next: 1,
      planMore: async () => ({ pieces: [{ index: 1, start: 10, end: 40 }] }),
    });
    expect(await shares(speech)).toEqual([0, 0.125, 0.25, 0.625, 1]);
  });

  test('of a recording without length stays at the beginning', async () => {
    expect(await shares(planned(0, [[0, 0]]))).toEqual([0, 0, 0]);
  });
});

describe('the raw payloads of a run', () => {
  /** The characters that each piece may have of a payload that is too large for a whole result. */
  async function roomOf(speech: Partial<SpeechProvider>) {
    const raw = { text: 'x'.repeat(17 * 2 ** 20) };
    const transcribe: SpeechProvider['transcribe'] = async (...given) => ({
      ...(await speech.transcribe!(...given)),
      raw,
    });
    const { result } = await stagedRun({
      speech: speechWith({ ...speech, transcribe }),
      payload: { transcription: { includeRawResponse: true } },
    });
    return result.raw.transcription.payloads.map(({ text }: { text: string }) => text.length);
  }

  /** The room of the pieces as parts of that of a single one. */
  async function partsOf(speech: Partial<SpeechProvider>) {
    const [whole] = await roomOf(planned(10, [[0, 10]]));
    expect(whole).toBeLessThan(17 * 2 ** 20);
    return (await roomOf(speech)).map((own: number) => Math.round((10 * whole) / own) / 10);
  }

  test('have equal shares', async () => {
    const two = planned(10, [
      [0, 5],
      [5, 10],
    ]);
    expect(await partsOf(two)).toEqual([2, 2]);
  });

  test('leave room for pieces that are not planned yet, as many as the latest one fits', async () => {
    const rest: Piece = { index: 1, start: 10, end: 35 };
    const speech = planned(35, [[0, 10]], {
      next: 1,
      planMore: async () => ({ pieces: [rest] }),
    });
    // The first of four, as it seems; the second of two.
    expect(await partsOf(speech)).toEqual([4, 2]);
    const short = planned(5, [[0, 0.5]], {
      next: 1,
      planMore: async () => ({ pieces: [{ index: 1, start: 0.5, end: 5 }] }),
    });
    expect(await partsOf(short)).toEqual([6, 2]);
  });
});

test('the default of the audit is the provider of the preset, or edge without its key', () => {
  const defaultOf = (env: Record<string, string>) =>
    providerSummaries(readConfig(env)).flatMap(({ stage, name, isDefault, configured }) =>
      stage === 'audit' && isDefault ? [[name, configured]] : [],
    );
  expect(defaultOf({})).toEqual([['edge', true]]);
  expect(defaultOf({ GROQ_API_KEY: 'k' })).toEqual([['edge', true]]);
  expect(defaultOf({ OPENAI_API_KEY: 'k' })).toEqual([['openai', true]]);
});

describe('the compiled terms of runs', () => {
  const request = (glossary: string[], more: object = {}) =>
    resolvePayload({ audio: { key: 'talk.mp3' }, glossary, ...more });
  test('are shared by runs that ask for the same, and by no others', () => {
    const packs: never[] = [];
    const first = compileForRun(packs, request(['AuthKit']));
    expect(compileForRun(packs, request(['AuthKit']))).toBe(first);
    const others = [
      compileForRun(packs, request(['Drata'])),
      compileForRun(packs, request(['AuthKit'], { topic: 'music' })),
      compileForRun(packs, request(['AuthKit'], { transcription: { keyterms: ['X'] } })),
      compileForRun(packs, request(['AuthKit'], { terminology: { maxKeyterms: 1 } })),
      compileForRun(packs, request(['AuthKit']), { terms: 1 }),
      compileForRun(packs, request(['AuthKit']), undefined, { terms: [], never: [], rules: [] }),
      compileForRun([], request(['AuthKit'])),
    ];
    for (const other of others) expect(other).not.toBe(first);
  });

  test('are kept for the latest runs, as far as there is room', () => {
    const packs: never[] = [];
    // About 25 MB each, so that two fit.
    const large = (letter: string) =>
      request(Array.from({ length: 250 }, (_, at) => letter.repeat(195) + at));
    const [a, b] = ['a', 'b'].map((letter) => compileForRun(packs, large(letter)));
    expect(compileForRun(packs, large('a'))).toBe(a!);
    const c = compileForRun(packs, large('c'));
    expect(compileForRun(packs, large('a'))).toBe(a!);
    expect(compileForRun(packs, large('c'))).toBe(c);
    expect(compileForRun(packs, large('b'))).not.toBe(b!);
  });
});
