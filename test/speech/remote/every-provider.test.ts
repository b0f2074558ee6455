/** The common behaviour of remote providers: cancelling, time limits, and counted computations. */
import { describe, expect, test } from 'bun:test';
import type { PieceContext, TranscriptionRequest } from '../../../server/speech/provider.ts';
import type { Wire } from '../../support/doubles/http-double.ts';
import {
  ASSEMBLYAI_KEY,
  CLOUDFLARE_TOKEN,
  DEEPGRAM_KEY,
} from '../../support/doubles/provider-keys.ts';
import {
  assemblyAiAnswer,
  assemblyAiWire,
  deepgramAnswer,
  deepgramWire,
  TALK,
  transcriptionServerWire,
  verboseJson,
  workersAiAnswer,
  workersAiWire,
} from '../../support/doubles/speech-doubles.ts';
import { noWaiting } from '../../support/doubles/waiting.ts';
import { chirp } from '../../support/servers/pipeline-run.ts';
import { registry, remoteSpeech, source } from '../support.ts';

const { double } = await remoteSpeech();
const turbo = '@cf/openai/whisper-large-v3-turbo';

interface Case {
  name: string;
  env: Record<string, string>;
  wire: Wire;
  /** The calls for which the length of the recording counts, out of all calls. */
  limited: boolean[];
}

const CASES: [string, Case][] = [
  [
    'deepgram',
    {
      name: 'deepgram',
      env: { DEEPGRAM_API_KEY: DEEPGRAM_KEY, DEEPGRAM_BASE_URL: double.origin },
      wire: deepgramWire(deepgramAnswer(TALK)),
      limited: [true],
    },
  ],
  [
    'assemblyai',
    {
      name: 'assemblyai',
      env: { ASSEMBLYAI_API_KEY: ASSEMBLYAI_KEY, ASSEMBLYAI_BASE_URL: double.origin },
      wire: assemblyAiWire(assemblyAiAnswer(TALK), 0),
      limited: [true, false, false],
    },
  ],
  [
    'edge through Workers AI',
    {
      name: 'edge',
      env: {
        CLOUDFLARE_ACCOUNT_ID: 'acc',
        CLOUDFLARE_API_TOKEN: CLOUDFLARE_TOKEN,
        CLOUDFLARE_BASE_URL: double.origin,
      },
      wire: workersAiWire({ [turbo]: () => workersAiAnswer(TALK) }),
      limited: [true],
    },
  ],
  [
    'edge through an OpenAI-compatible server',
    {
      name: 'edge',
      env: { EDGE_SPEECH_URL: double.origin },
      wire: transcriptionServerWire(() => verboseJson(TALK)),
      limited: [true],
    },
  ],
];

const request: TranscriptionRequest = {
  language: 'en',
  keyterms: [],
  chunkBytes: 1_048_576,
  includeRawResponse: false,
};

function providerOf({ name, env }: Case, waiting = noWaiting()) {
  return registry({ ...env, PROVIDER_TIMEOUT: '60' }, waiting).provider(name)!;
}

/** A context with a signal to abort, which counts the computations. */
function counted(controller = new AbortController()) {
  const done: unknown[] = [];
  const context: PieceContext = {
    signal: controller.signal,
    progress: () => {},
    async compute(work) {
      const result = await work();
      done.push(result);
      return result;
    },
  };
  return { controller, done, context };
}

describe.each(CASES)('%s', (_, given) => {
  const provider = () => providerOf(given);

  test('calls no service if the run is cancelled before it plans', async () => {
    const { controller, context } = counted();
    const reason = new Error('cancelled');
    controller.abort(reason);
    double.behave(given.wire);
    await expect(provider().plan(source(chirp), request, context)).rejects.toBe(reason);
    expect(double.requests).toEqual([]);
  });

  test('ends with the reason if the run is cancelled while the service works', async () => {
    const { controller, context } = counted();
    double.behave(given.wire);
    const plan = await provider().plan(source(chirp), request, context);
    const reason = new Error('cancelled');
    double.behave(() => {
      setTimeout(() => controller.abort(reason));
      return { fault: 'hang' };
    });
    const made = provider().transcribe(source(chirp), plan.pieces[0]!, request, context);
    await expect(made).rejects.toBe(reason);
  });

  test('gives calls that carry the recording more time, by its length', async () => {
    const waiting = noWaiting();
    const { context } = counted();
    double.behave(given.wire);
    const own = providerOf(given, waiting);
    const { pieces, duration } = await own.plan(source(chirp), request, context);
    await own.transcribe(source(chirp), pieces[0]!, request, context);
    expect(waiting.limits).toEqual(
      given.limited.map((isLong) => (isLong ? 60_000 + duration * 250 : 60_000)),
    );
    expect(duration).toBeGreaterThan(1);
  });

  test('repeats a call that failed, after a pause of the timer', async () => {
    const waiting = noWaiting();
    const { context } = counted();
    double.behave(given.wire);
    const own = providerOf(given, waiting);
    const { pieces } = await own.plan(source(chirp), request, context);
    let calls = 0;
    double.behave((seen) =>
      (calls += 1) === 1 ? new Response(null, { status: 503 }) : given.wire(seen),
    );
    const heard = await own.transcribe(source(chirp), pieces[0]!, request, context);
    expect(heard.words.map(({ text }) => text)).toEqual(TALK.map(({ text }) => text));
    expect(waiting.pauses).toHaveLength(1);
  });

  test('reads the recording and the response as computations of the run', async () => {
    const { context, done } = counted();
    double.behave(given.wire);
    const plan = await provider().plan(source(chirp), request, context);
    expect(done).toMatchObject([{ duration: plan.duration }]);
    const heard = await provider().transcribe(source(chirp), plan.pieces[0]!, request, context);
    expect(done[1]).toBe(heard);
    expect(done).toHaveLength(2);
  });
});
