/**
 * `captioner talk.mp4`, `npm run caption -- talk.mp3 [-o talk.srt]`: captions recordings on this
 * machine or on a server.
 */
import { readConfig } from '../server/config.ts';
import { resolvePayload, type CaptionerPayload } from '../server/contract/payload.ts';
import { isAuto } from '../server/models/registry.ts';
import { loadTermPacks } from '../server/terminology/packs/packs.ts';
import {
  COMMAND,
  type Options,
  checkPacks,
  formatsOf,
  glossaryOf,
  languagesOf,
  payloadOf,
  profileOptions,
  namesOf,
  withNames,
} from './caption-options.ts';
import { planOutputs } from './caption-outputs.ts';
import { captionRecordings, type Work } from './caption-recordings.ts';
import { runCommand, UsageError, type Given } from './command-line.ts';
import { fromHere } from './current-folder.ts';
import { say } from './terminal.ts';
import { findRecordings } from './recordings.ts';
import { connect } from './remote-captions.ts';
import { serverAddress, serverKey } from './server-requests.ts';

/** Opens a server or the local pipeline for captioning. */
async function openWork(options: Options, first: CaptionerPayload): Promise<Work> {
  if (options.server !== undefined) {
    const address = serverAddress(options.server);
    return connect(address, serverKey(address));
  }
  const config = readConfig({ ...process.env, LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'error' });
  // The rest takes a second to load, and is not needed for help or errors.
  const { prepareSpeech, prepareTranslation } = await import('./speech-engine.ts');
  await prepareSpeech(config, resolvePayload(first));
  const { openTranscriber } = await import('./transcribe.ts');
  const transcriber = await openTranscriber(config);
  /** Prepares for the languages that are known only once a recording was heard. */
  let prepareHeard = async (_heard: unknown, _to: string): Promise<void> => {};
  if (options.translate !== undefined) {
    // Said, or refused, before any work.
    const { provider, model, isHere } = transcriber.translator();
    if (isHere) {
      const { language } = resolvePayload(first);
      for (const to of languagesOf(options)) await prepareTranslation(config, language, to);
      prepareHeard = async (heard, to) => {
        if (typeof heard === 'string') await prepareTranslation(config, heard, to);
      };
    }
    const later = isAuto(resolvePayload(first).language)
      ? ' If another language than English is spoken, its model is downloaded then.'
      : '';
    say(
      isHere
        ? `The text will be translated on this machine (${model}).${later}`
        : `The text will be sent to ${provider} (${model}) for translation.`,
    );
  }
  return {
    caption: (mp3, payload, report, words) =>
      transcriber.caption(
        mp3,
        { ...resolvePayload(payload), storage: { retainSourceAudio: true } },
        report,
        words,
      ),
    async translate(result, payload, target, report) {
      await prepareHeard(result.transcript.metadata['language'], target.language);
      return transcriber.translate(result, resolvePayload(payload), target, report);
    },
    close: transcriber.close,
  };
}

async function caption({ options, words }: Given<typeof COMMAND.options>): Promise<void> {
  if (words.length === 0) throw new UsageError('Name the recordings to caption.');
  const formats = formatsOf(options);
  const languages = languagesOf(options);
  const recordings = await findRecordings(words.map(fromHere));
  const names = await namesOf(options);
  const glossary = withNames(await glossaryOf(options), names);
  if (options.names !== undefined) {
    say(names.length > 0 ? `Names: ${names.join(', ')}.` : 'No names were found in the files.');
  }
  const rules = await profileOptions(options);
  if (options.packs !== undefined)
    checkPacks(
      options,
      (await loadTermPacks()).map(({ id }) => id),
    );
  for (const recording of recordings) payloadOf(recording, options, glossary);
  const outputs = await planOutputs({
    recordings,
    formats,
    languages,
    output: options.output,
    overwrite: options.overwrite !== undefined,
    filesOnly: options.json !== undefined,
  });
  await captionRecordings(
    { recordings, options, glossary, rules, outputs },
    (first) => openWork(options, first),
    (line) => process.stdout.write(line),
  );
}

await runCommand(COMMAND, caption);
