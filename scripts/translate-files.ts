/** Translates caption files, which need no sound: `captioner talk.srt --translate de`. */
import { readFile, stat } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import type { Caption } from '../server/captions/cue.ts';
import {
  CAPTION_ENDINGS,
  type CaptionFormat,
  FORMAT_IDS,
  FORMATS,
  type FormatId,
} from '../server/captions/files/formats.ts';
import { readCaptionFile as readFileOfCaptions } from '../server/captions/files/read-write.ts';
import type { ProfileName } from '../server/captions/rules/profiles/profiles.ts';
import { REVIEW } from '../server/contract/limits.ts';
import type { TranslationResult } from '../server/contract/translations.ts';
import { isAuto } from '../server/models/registry.ts';
import type { Sentence } from '../server/translation/sentences.ts';
import type { KnownTranslation } from '../server/translation/translate.ts';
import type { Options, ProfileRules } from './caption-options.ts';
import type { Output } from './caption-outputs.ts';
import { CommandFailure } from './command-line.ts';
import { asTyped, fromHere } from './current-folder.ts';
import { openMemory, similarLines } from './sentence-memory.ts';
import { progressLine, say } from './terminal.ts';
import { doubtLines, type TranslationEvent, writeTranslation } from './written-translation.ts';

/** Whether a file has the name of a caption file. */
export const isCaptionFile = (path: string): boolean =>
  CAPTION_ENDINGS.includes(extname(path).slice(1).toLowerCase());

/**
 * Whether a file has the name of a translation into one of the languages.
 * @example
 * isTranslated('talk.de.srt', ['de']); // => true
 */
export const isTranslated = (path: string, languages: readonly string[]): boolean => {
  const name = basename(path, extname(path))
    .toLowerCase()
    .replace(/\.incomplete$/, '');
  return languages.some((language) => name.endsWith(`.${language.toLowerCase()}`));
};

/**
 * The format of a caption file by its name.
 * @example
 * formatOfName('talk.VTT'); // => 'vtt'
 */
export function formatOfName(path: string): FormatId {
  const ending = extname(path).slice(1).toLowerCase();
  return (
    FORMAT_IDS.find((id) => {
      const { endings = [] }: CaptionFormat = FORMATS[id];
      return id === ending || endings.includes(ending);
    }) ?? 'srt'
  );
}

/** Reads a caption file. @throws {CommandFailure} it has no captions, or too many */
async function readCaptionFile(path: string): Promise<Caption[]> {
  const { size } = await stat(path).catch(() => ({ size: 0 }));
  if (size > REVIEW.maxBytes)
    throw new CommandFailure(`${asTyped(path)} is too large for captions.`);
  const bytes = await readFile(path).catch(() => null);
  if (!bytes) throw new CommandFailure(`There is no file ${asTyped(path)}, or it cannot be read.`);
  const read = await readFileOfCaptions(bytes);
  if (!read) throw new CommandFailure(`${asTyped(path)} contains no captions that can be read.`);
  if (read.cues.length > REVIEW.maxCues) {
    throw new CommandFailure(`${asTyped(path)} has more than ${REVIEW.maxCues} captions.`);
  }
  return read.cues;
}

/** The captions of a translation that were written before; none if there are none that can be read. */
export async function writtenBefore(outputs: readonly Output[]): Promise<Caption[]> {
  for (const { path } of outputs) {
    const captions = path === null ? null : await readCaptionFile(path).catch(() => null);
    if (captions) return captions;
  }
  return [];
}

/** The translations of sentences that are known already, by their number from 0. */
export type Recall = (sentences: readonly Sentence[]) => ReadonlyMap<number, KnownTranslation>;

/** A server or the translators of this machine. */
export interface FileTranslator {
  /** The name of what translates. */
  engine: string;
  /** @param target its profile is that of the captions; `from` is the language of the captions, if it is known */
  translate(
    captions: readonly Caption[],
    target: { language: string; profile: ProfileName; from: string | null; recall?: Recall },
    report: (progress: number) => void,
  ): Promise<Pick<TranslationResult, 'sentences' | 'doubts' | 'warnings'>>;
  close?(): Promise<void>;
}

/** Everything that is known before any work. */
interface FilesTask {
  files: readonly string[];
  options: Options;
  rules: ProfileRules;
  outputs: ReadonlyMap<string, readonly Output[]>;
}

/**
 * Translates caption files one after the other, and reports each.
 * @param print prints the lines of --json
 * @throws {CommandFailure} a file was not translated, or not all of it; others are translated nevertheless
 */
export async function translateFiles(
  { files, options, rules, outputs }: FilesTask,
  open: () => Promise<FileTranslator>,
  print: (line: string) => void,
): Promise<void> {
  const printEvent = (event: string, file: string, more: object) => {
    if (options.json === undefined) return;
    print(`${JSON.stringify({ event, recording: file, ...more })}\n`);
  };
  const line = progressLine();
  const memory = options.memory === undefined ? null : await openMemory(fromHere(options.memory));
  const translator = await open();
  const problems: string[] = [];
  const one = async (file: string): Promise<void> => {
    const captions = await readCaptionFile(file);
    const wanted = outputs.get(file) ?? [];
    const translations: TranslationEvent[] = [];
    const from =
      options.language === undefined || isAuto(options.language) ? null : options.language;
    for (const language of new Set(wanted.flatMap((output) => output.language ?? []))) {
      const profile = rules.query.profile ?? rules.house?.base ?? ('default' as const);
      const pair = { from, to: language };
      const { engine } = translator;
      const made = wanted.filter((output) => output.language === language);
      const written = memory ? await writtenBefore(made) : [];
      const target = {
        language,
        profile,
        from,
        ...(memory && {
          recall: (sentences: readonly Sentence[]) =>
            memory.recall(sentences, pair, engine, written),
        }),
      };
      const translated = await translator.translate(captions, target, (progress) => {
        line.show(`translation into ${language}`, progress, asTyped(file));
        printEvent('progress', file, { stage: `translation into ${language}`, progress });
      });
      const similar = memory?.similar(translated.sentences, pair) ?? [];
      memory?.take(translated.sentences, pair, engine);
      await memory?.save();
      const event = await writeTranslation(language, translated, made, target, rules);
      translations.push(event);
      line.end();
      const lines = [...doubtLines(language, translated), ...similarLines(language, similar)];
      for (const each of lines) say(`${asTyped(file)}: ${each}`);
    }
    const written = translations.flatMap((each) => each.files);
    printEvent('completed', file, {
      files: written,
      cues: captions.length,
      translations: translations.map(({ places: _places, ...event }) => event),
    });
    if (translations.some(({ missing }) => missing > 0)) problems.push(asTyped(file));
  };
  try {
    for (const file of files) {
      try {
        await one(file);
      } catch (error) {
        line.end();
        const message = error instanceof Error ? error.message : String(error);
        printEvent('failed', file, { message });
        if (files.length === 1) throw error;
        problems.push(asTyped(file));
        say(`${asTyped(file)}: ${message}`);
      }
    }
  } finally {
    await translator.close?.();
  }
  if (problems.length > 0) {
    throw new CommandFailure(`Not every sentence is translated: ${problems.join(', ')}.`);
  }
}
