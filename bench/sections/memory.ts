/** The peak memory of a run above the idle service, after a fresh start each time. */
import { answerFor } from '../instant-provider.ts';
import { row } from '../measure.ts';
import { peakAboveIdle, residentWithChildren, resident } from '../memory.ts';
import { MEBIBYTE, recordingOfBytes, recordingOfSeconds } from '../recording.ts';
import { within, type Bench } from '../section.ts';
import {
  folderOf,
  payload,
  payloadWithTerms,
  provided,
  somebody,
  startService,
} from '../service.ts';
import { client, type Any } from '../../test/support/servers/client.ts';
import { tinyModelEnvironment } from '../../test/support/doubles/tiny-model-environment.ts';

const ROUNDS = 3;
const HOUR = 3600;
/** The size of a sample as recognition uses it: a 32-bit float. */
const SAMPLE_BYTES = 4;
const SAMPLES_A_SECOND = 16_000;

/**
 * Measures runs of hours with a provider that answers at once, and one hour with a local model, in
 * MiB.
 */
export async function memory(bench: Bench): Promise<void> {
  const { provider, env } = provided(bench);
  provider.state.answer = answerFor(60_000, 6 * HOUR);
  const long = recordingOfSeconds(6 * HOUR);
  bench.rows(
    row(
      'memory above idle, at most: a run of 6 h, 60,000 words, by Deepgram’s wire',
      'the bytes of the recording',
      'MiB',
      await peaks(bench, env, long, payloadWithTerms),
      [long.length / MEBIBYTE],
    ),
  );
  provider.state.answer = answerFor(100, 7 * HOUR);
  const largest = recordingOfBytes(100 * MEBIBYTE);
  bench.rows(
    row(
      'memory above idle, at most: 100 MiB passed on to a provider',
      'the bytes of the recording',
      'MiB',
      await peaks(bench, env, largest, payload),
      [100],
    ),
  );
  const onHost = (key: string): Any => ({ ...payload(key), transcription: { provider: 'edge' } });
  const model = (await tinyModelEnvironment()).env;
  const hour = recordingOfSeconds(HOUR);
  const what = 'memory above idle, at most: 1 h recognised on this host by a tiny model';
  const samples = 'the PCM it decodes to, as 32-bit floats';
  const pcm = [(HOUR * SAMPLES_A_SECOND * SAMPLE_BYTES) / MEBIBYTE];
  const alone = await peaks(bench, model, hour, onHost, 1);
  const together = await peaks(bench, model, hour, onHost, 1, residentWithChildren);
  bench.rows(
    row(`${what}, the service`, samples, 'MiB', alone, pcm),
    row(`${what}, with its recognisers`, samples, 'MiB', together, pcm),
  );
}

/** Uploads to one process, and measures the next one while it makes the captions. */
async function peaks(
  bench: Bench,
  env: Record<string, string>,
  recording: BodyInit,
  payloadOf: (key: string) => Any,
  rounds = ROUNDS,
  look = resident,
): Promise<number[]> {
  const folder = await folderOf(bench);
  const { key } = await within(bench, async (inner) => {
    const ann = await somebody(await startService(inner, env, folder));
    await ann.put('talk.mp3', recording);
    return ann;
  });
  const found: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const peak = await within(bench, async (inner) => {
      const server = await startService(inner, env, folder);
      const work = () => client(server.url, key).caption(payloadOf('talk.mp3'));
      return peakAboveIdle(server.pid, work, look);
    });
    found.push(peak);
  }
  return found;
}
