/**
 * Recognises recordings on this host, as a run does. Reads one path per line, and prints a JSON object for each, with
 * the words and the seconds taken. Arguments: models folder, model, language, `vad` or `all`, and a JSON file with key
 * terms, their pronunciations and near words (none).
 */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { createLog } from '../../server/base/log.ts';
import { transcribed } from '../../test/support/transcribed.ts';
import { createHostSpeech } from '../../server/speech/host/host.ts';
import type { TranscriptionRequest } from '../../server/speech/provider.ts';

/** Key terms as a request to the recogniser has them. */
type SpokenTerms = Pick<TranscriptionRequest, 'keyterms' | 'pronunciations' | 'near'>;

const [modelsDir = '', model = '', language = 'en', vad = 'vad', terms = ''] =
  process.argv.slice(2);
const speech = createHostSpeech({
  modelsDir,
  speechModel: model,
  vad: vad === 'vad',
  ...(model.startsWith('pocketsphinx') ? { engine: 'pocketsphinx' as const } : {}),
  slots: 2,
  tempDir: tmpdir(),
  log: createLog('error'),
});
const request = {
  language,
  ...(terms === '' ? {} : ((await Bun.file(terms).json()) as SpokenTerms)),
  chunkBytes: 10_000_000,
};

async function hear(path: string) {
  const began = performance.now();
  const { size } = await stat(path);
  const audio = {
    size,
    read: ({ start, end } = { start: 0, end: size }) =>
      createReadStream(path, { start, end: Math.max(start, end - 1) }),
  };
  const { plan, transcript } = await transcribed(speech, audio, request);
  return {
    words: transcript.words,
    duration: plan.duration,
    seconds: (performance.now() - began) / 1000,
  };
}

for await (const line of console) if (line !== '') console.log(JSON.stringify(await hear(line)));
speech.close?.();
process.exit(0);
