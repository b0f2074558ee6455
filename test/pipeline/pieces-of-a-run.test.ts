/** Transcription in pieces: the plan in portions, a replaced recording, progress and raw payloads. */
import { describe, expect, test } from 'bun:test';
import { type CaptionerStage, StageFailure } from '../../server/contract/failure.ts';
import { createLog } from '../../server/base/log.ts';
import type { Computing } from '../../server/pipeline/run.ts';
import { noteRuleChanges } from '../../server/pipeline/terminology.ts';
import {
  createPartialTranscript,
  type TranscriptPart,
} from '../../server/pipeline/partial-transcript.ts';
import type { Piece, SpeechProvider } from '../../server/speech/provider.ts';
import type { RuleChange } from '../../server/terminology/packs/compile.ts';
import { spoken } from '../support/doubles/scripted-speech.ts';
import type { Any } from '../support/servers/client.ts';
import { patchesOf, speechWith, stagedRun, storedSteps } from './staged-run.ts';

describe('transcription in pieces', () => {
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
      const { result, reports, heard, deleted } = await stagedRun({
        speech: speechWith(portioned),
      });
      expect(result.transcript.words.map(({ text }: { text: string }) => text)).toEqual(spoken);
      expect(heard.map(({ text }) => text)).toEqual(spoken);
      const shares = reports.flatMap(([stage, share]) => (stage === 'transcription' ? share : []));
      expect(shares.at(0)).toBe(0.01);
      expect(shares.at(-1)).toBe(0.9);
      expect(Math.max(...shares)).toBeLessThanOrEqual(0.9 + 1e-9);
      expect(deleted).toEqual(['v7']);
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
  });
});

describe('computations', () => {
  /** Records the stage of each computation and of each wait, in order, and the one reported before a computation. */
  function recorded() {
    let reported: CaptionerStage | undefined;
    const announced: (CaptionerStage | undefined)[] = [];
    const computed: CaptionerStage[] = [];
    const attended: CaptionerStage[] = [];
    const computing: Computing = {
      async compute(stage, work) {
        computed.push(stage);
        announced.push(reported);
        return work();
      },
      attend(stage, work) {
        attended.push(stage);
        return work();
      },
    };
    const report = (stage: CaptionerStage) => void (reported = stage);
    return { computed, attended, announced, computing, report };
  }

  const words = spoken('hello there. thank you all.');

  /** A provider that plans two pieces one after the other, and computes in each of its methods. */
  const twoPieces: Partial<SpeechProvider> = {
    plan: async (_audio, _request, { compute }) => {
      await compute?.(() => null);
      return {
        duration: 2,
        pieces: [{ index: 0, start: 0, end: 1 }],
        engine: { provider: 'edge', model: 'planned' },
        next: 1,
      };
    },
    planMore: async (_audio, _plan, _request, { compute }) => {
      await compute?.(() => null);
      return { pieces: [{ index: 1, start: 1, end: 2 }] };
    },
    transcribe: async (_audio, { index }, _request, { compute }) => {
      await compute?.(() => null);
      return { words: index === 0 ? words : [] };
    },
  };

  test('the computations of a run count for the stage they are part of', async () => {
    const { computed, attended, announced, computing, report } = recorded();
    const { result } = await stagedRun({
      speech: speechWith(twoPieces),
      services: { maxDuration: 60 },
      context: { computing, report },
    });
    expect(result.status).toBe('completed');
    expect(announced).toEqual(computed);
    expect(
      Map.groupBy(computed, (stage) => stage)
        .keys()
        .toArray(),
    ).toEqual([
      'payload',
      'transcription',
      'moderation',
      'terminology_audit',
      'correction',
      'captioning',
    ]);
    // Both plans, both pieces with their checks, the merge, and the judgement of what was heard.
    expect(computed.filter((stage) => stage === 'transcription')).toHaveLength(8);
    expect(attended).toEqual([
      ...Array<CaptionerStage>(4).fill('transcription'),
      'moderation',
      'terminology_audit',
    ]);
  });

  test('of the corrections by rules, a thousand are recorded', async () => {
    const rules = [{ id: 'rule_1', surface: 'octave ya', canonical: 'Oktavia' }];
    const corrections = Array.from({ length: 1001 }, (_, at) => ({
      id: `c${at}`,
      decision: 'accepted',
      start: at,
      before: 'octave ya',
      after: 'Oktavia',
    }));
    const observations = corrections.map(({ id }) => ({
      surface: 'Octave-Ya',
      canonical: 'oktavia',
      correctionId: id,
    }));
    const noted: RuleChange[] = [];
    const run = { noteRuleChanges: async (changes: RuleChange[]) => void noted.push(...changes) };
    const context = {
      steps: storedSteps(),
      signal: new AbortController().signal,
      log: createLog('silent'),
    };
    await noteRuleChanges(run as Any, context as Any, { terms: [], never: [], rules }, {
      corrections,
      observations,
    } as Any);
    expect(noted).toHaveLength(1000);
    expect(noted[999]).toEqual({
      ruleId: 'rule_1',
      correctionId: 'c999',
      start: 999,
      before: 'octave ya',
      after: 'Oktavia',
    });
  });
});

describe('the preview of a run', () => {
  /** Words, one per second from a time on. */
  const words = (from: number, count: number, text = 'w') =>
    Array.from({ length: count }, (_, at) => ({
      text: `${text}${from + at}`,
      start: from + at,
      end: from + at + 0.7,
    }));

  function listening(after = 0) {
    const parts: TranscriptPart[] = [];
    const soFar = createPartialTranscript({ after, report: (told) => void parts.push(...told) });
    return { parts, soFar, text: () => parts.map((part) => part.text).join(' ') };
  }
  const all = (count: number): string =>
    words(0, count)
      .map(({ text }) => text)
      .join(' ');

  describe('recognised words', () => {
    /** Words from–to that a piece takes (t) or finishes with (f), and how many are then reported (=). */
    test.each([
      ['of simultaneous pieces in time', 't0:0-5 t1:10-15 =5 t0:5-10 f1:10-20 =10 f0:0-10 =20'],
      ['of pieces that end early', 'f2:20-30 f1:10-20 =0 f0:0-10 =30 t3:30-31 =31'],
      ['of an overlapping piece', 't0:0-5 =5 t0:0-8 =8 f0:0-8 t1:6-10 f1:6-12 =12'],
    ])('%s are reported once, in order, as soon as may be: %s', (_, steps) => {
      const { soFar, text } = listening();
      for (const [, does, piece, from, to] of steps.matchAll(/([tf=])(\d+)(?::(\d+)-(\d+))?/g)) {
        if (does === '=') expect(text()).toBe(all(Number(piece)));
        else {
          const heard = words(Number(from), Number(to) - Number(from));
          soFar[does === 't' ? 'take' : 'finish'](Number(piece), heard);
        }
      }
    });

    test('from before a restart are not reported again', () => {
      const { soFar, text } = listening(4.7);
      soFar.finish(0, words(0, 5));
      soFar.take(1, words(5, 2));
      expect(text()).toBe('w5 w6');
    });

    test('that arrive together are reported in parts of at most half a minute, with their times', () => {
      const { soFar, parts, text } = listening();
      soFar.finish(0, words(0, 3600));
      expect(text()).toBe(all(3600));
      for (const [at, part] of parts.entries()) {
        expect(part.end - part.start).toBeLessThanOrEqual(30);
        expect(part.start).toBeGreaterThanOrEqual(parts[at - 1]?.end ?? 0);
        expect(part.text.length).toBeLessThanOrEqual(2000);
      }
    });

    test('are limited, whatever a provider returns', () => {
      const { soFar, parts } = listening();
      const long = words(0, 3000).map((word) => ({ ...word, text: 'x'.repeat(10_000) }));
      soFar.finish(0, long);
      soFar.finish(1, words(4000, 3000, 'y'.repeat(3000)));
      soFar.finish(2, words(9000, 10));
      expect(parts.every((part) => part.text.length <= 2000)).toBe(true);
      const size = parts.reduce((sum, part) => sum + part.text.length, 0);
      expect(size).toBeLessThan(9_000_000);
      expect(parts.at(-1)!.end).toBeLessThan(9000);
    });
  });

  test('a part ends after half a minute from its own beginning, also the first', () => {
    const told = (...times: [start: number, end: number][]) => {
      const { soFar, parts } = listening();
      soFar.finish(
        0,
        times.map(([start, end]) => ({ text: 'w', start, end })),
      );
      return parts.map(({ start, end, text }) => [start, end, text]);
    };
    const two = [100, 130, 'w w'];
    expect(told([100, 101], [129, 130], [130, 131])).toEqual([two, [130, 131, 'w']]);
    expect(told([0, 1], [29, 30], [30, 30.1])).toHaveLength(2);
  });
});

describe('responses that cannot be stored, and the number of pieces transcribed at once', () => {
  /** Contains itself, so JSON cannot represent it. */
  const endless: unknown[] = [];
  endless.push(endless);

  const cut = [{ label: 'Cut the recording into shorter parts' }];

  test('a response of a provider that cannot be stored fails the run after one call', async () => {
    let calls = 0;
    const speech = speechWith({
      transcribe: async () => {
        calls += 1;
        return { words: [], detail: endless };
      },
    });
    const { result } = await stagedRun({ speech });
    expect(result.error).toEqual({
      code: 'provider_bad_response',
      message: 'The response of the provider is too large, or nested too deeply, to store.',
      retryable: false,
      provider: 'edge',
      suggestions: cut,
      stage: 'transcription',
      runId: 'run_1',
    });
    expect(calls).toBe(1);
  });

  test.each([
    [undefined, 2],
    [3, 3],
  ])('with piecesAtOnce %p, %d pieces are transcribed at once', async (piecesAtOnce, expected) => {
    let [running, most] = [0, 0];
    const changes: Partial<SpeechProvider> = {
      ...(piecesAtOnce && { piecesAtOnce }),
      plan: async () => ({
        duration: 6,
        pieces: Array.from({ length: 6 }, (_, index) => ({ index, start: index, end: index + 1 })),
        engine: { provider: 'edge', model: 'm' },
      }),
      transcribe: async () => {
        most = Math.max(most, (running += 1));
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
        return { words: [] };
      },
    };
    await stagedRun({ speech: speechWith(changes) });
    expect(most).toBe(expected);
  });
});
