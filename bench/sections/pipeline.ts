/** The time that the service adds to a provider's, by stage, and against real time. */
import type { Client } from '../../test/support/servers/client.ts';
import { bySize, growth, type BySize } from '../growth.ts';
import { answerFor, type InstantProvider } from '../instant-provider.ts';
import { inTurn, row } from '../measure.ts';
import { recordingOfSeconds } from '../recording.ts';
import type { Bench } from '../section.ts';
import { payloadWithTerms, provided, somebody, startService } from '../service.ts';

/** The provider's time for an hour. */
const PROVIDER_MS = 4000;
const ROUNDS = 4;
const HOUR = 3600;

interface Talk {
  key: string;
  seconds: number;
  words: number;
}

const LENGTHS: BySize<Talk> = [
  { key: 'short.mp3', seconds: 0.06 * HOUR, words: 600 },
  { key: 'middle.mp3', seconds: 0.6 * HOUR, words: 6000 },
  { key: 'long.mp3', seconds: 6 * HOUR, words: 60_000 },
];
const AN_HOUR: Talk = { key: 'hour.mp3', seconds: HOUR, words: 10_000 };
const STAGES = ['transcription', 'moderation', 'audit', 'correction', 'captioning'];

/** The times of a run in milliseconds: from request to result, each stage, and the provider. */
type Times = Record<string, number>;

/**
 * Measures talks of 3.6 minutes to 6 hours; the provider answers at once, then after four seconds.
 */
export async function pipeline(bench: Bench): Promise<void> {
  const { provider, env } = provided(bench);
  const ann = await somebody(await startService(bench, env));
  for (const { key, seconds } of [...LENGTHS, AN_HOUR]) {
    await ann.put(key, recordingOfSeconds(seconds));
  }
  const run = (talk: Talk) => () => captioned(ann, provider, talk);

  const at = await bySize(ROUNDS, LENGTHS, run);
  const { hour } = await inTurn(ROUNDS, { hour: run(AN_HOUR) });
  const of = '3.6 min / 36 min / 6 h, as many words a minute';
  const grown = (what: string, name: string) =>
    growth(what, of, 'ms', at.map((runs) => each(runs, name)) as unknown as BySize<number[]>);
  bench.growths(
    grown('a whole run, a provider that answers at once', 'whole'),
    ...STAGES.map((stage) => grown(`of it: ${stage}`, stage)),
  );

  provider.state.delayMs = PROVIDER_MS;
  const { slow } = await inTurn(ROUNDS - 1, { slow: run(AN_HOUR) });
  const recording = '1 h, 10,000 words, request to result';
  const real = 'real time of the recording';
  const own = `the provider's own time, ${PROVIDER_MS / 1000} s`;
  bench.rows(
    row(recording, own, 'ms', each(slow, 'whole'), each(slow, 'provider')),
    row(
      '1 h, 10,000 words: what the service adds',
      own,
      'ms',
      slow.map(({ whole = 0, provider = 0 }) => whole - provider),
      each(slow, 'provider'),
    ),
    row(`${recording}, a provider that answers at once`, real, 'ms', each(hour, 'whole'), [
      HOUR * 1000,
    ]),
    row(
      '6 h, 60,000 words, request to result, a provider that answers at once',
      real,
      'ms',
      each(at[2], 'whole'),
      [6 * HOUR * 1000],
    ),
  );
}

const each = (runs: readonly Times[], name: string): number[] =>
  runs.map((times) => times[name] ?? 0);

async function captioned(ann: Client, { state }: InstantProvider, talk: Talk): Promise<Times> {
  state.answer = answerFor(talk.words, talk.seconds);
  const start = performance.now();
  const { result } = await ann.caption(payloadWithTerms(talk.key));
  const whole = performance.now() - start;
  return { ...result.metadata.timingsMs, whole, provider: state.lastTook };
}
