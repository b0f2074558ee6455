/**
 * `captioner talk.mp4`, `npm run caption -- talk.mp3 [-o talk.srt]`: captions recordings on this
 * machine or on a server.
 */
import { readConfig } from '../server/config/config.ts';
import { isAuto } from '../server/models/registry.ts';
import { TRANSLATION_ENGINE } from '../server/models/translation-models.ts';
import { loadTermPacks } from '../server/terminology/packs/packs.ts';
import {
  COMMAND,
  type Options,
  checkMemory,
  checkPacks,
  formatsOf,
  glossaryOf,
  languagesOf,
  payloadOf,
  profileOptions,
  namesOf,
  withNames,
} from './caption-options.ts';
import { type Output, planOutputs } from './caption-outputs.ts';
import { captionRecordings } from './caption-recordings.ts';
import { runCommand, UsageError, type Given } from './command-line.ts';
import { asTyped, fromHere } from './current-folder.ts';
import { say } from './terminal.ts';
import { openWork } from './open-work.ts';
import { findRecordings } from './recordings.ts';
import { connectTranslator } from './remote-captions.ts';
import { serverAddress, serverKey } from './server-requests.ts';
import {
  type FileTranslator,
  formatOfName,
  isCaptionFile,
  isTranslated,
  translateFiles,
} from './translate-files.ts';

/** Opens a server or the translators of this machine for caption files. */
async function openTranslator(
  options: Options,
  languages: readonly string[],
): Promise<FileTranslator> {
  if (options.server !== undefined) {
    checkMemory(options, languages);
    const address = serverAddress(options.server);
    return connectTranslator(address, serverKey(address), { engine: options.translator });
  }
  const config = readConfig({ ...process.env, LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'error' });
  const { prepareTranslation } = await import('./speech-engine.ts');
  const { openTranscriber } = await import('./transcribe.ts');
  const {
    translator,
    translateCaptions: translate,
    close,
  } = await openTranscriber(config, options.translator);
  const { provider, model, isHere } = translator();
  if (isHere) {
    const { language } = options;
    if (language === undefined || isAuto(language)) {
      throw new UsageError('Say with --language in which language the captions are.');
    }
    if (model === TRANSLATION_ENGINE) {
      for (const to of languages) await prepareTranslation(config, language, to);
    }
    say(`The text will be translated on this machine (${model}).`);
  } else say(`The text will be sent to ${provider} (${model}) for translation.`);
  return { engine: `${provider} ${model}`, translate, close };
}

/** Translates caption files, each in its own format unless another one was asked for. */
async function translateThem(
  files: readonly string[],
  options: Options,
  languages: readonly string[],
): Promise<void> {
  const isAsked = options.format !== undefined || /\.[^./\\]+$/.test(options.output ?? '');
  const outputs = new Map<string, Output[]>();
  for (const [format, some] of Map.groupBy(files, formatOfName)) {
    const planned = await planOutputs({
      recordings: some,
      formats: isAsked ? formatsOf(options) : [format],
      languages,
      translationsOnly: true,
      output: options.output,
      overwrite: options.overwrite !== undefined,
      filesOnly: options.json !== undefined,
    });
    for (const [file, places] of planned) outputs.set(file, places);
  }
  const rules = await profileOptions(options);
  await translateFiles(
    { files, options, rules, outputs },
    () => openTranslator(options, languages),
    (line) => process.stdout.write(line),
  );
}

async function caption({ options, words }: Given<typeof COMMAND.options>): Promise<void> {
  if (words.length === 0) throw new UsageError('Name the recordings to caption.');
  const formats = formatsOf(options);
  const languages = languagesOf(options);
  const isSource = (path: string): boolean => isCaptionFile(path) && !isTranslated(path, languages);
  const found = await findRecordings(words.map(fromHere), isSource);
  const files = found.filter(isCaptionFile);
  if (files.length > 0 && languages.length === 0) {
    throw new UsageError(
      `${asTyped(files[0]!)} has captions and no sound: --translate translates it.`,
    );
  }
  if (files.length === found.length) return translateThem(files, options, languages);
  checkMemory(options, languages);
  if (files.length > 0) throw new UsageError('Name recordings or caption files, not both.');
  const recordings = found;
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
