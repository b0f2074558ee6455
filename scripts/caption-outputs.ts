/**
 * The outputs of the caption command: standard output, one file, or a folder of files.
 */
import { existsSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { endingOf, FORMAT_IDS, type FormatId } from '../server/captions/files/formats.ts';
import { CommandFailure, UsageError } from './command-line.ts';
import { asTyped, fromHere } from './current-folder.ts';
import { type CaptionsFile, captionsFile, writeWhole } from './captions-file.ts';

/**
 * The output of a translation in which sentences are missing, whose name says so: `talk.de.incomplete.srt`.
 * @param file that of the whole translation, which is not written
 */
export function incompleteOutput(file: Output): Output {
  if (file.path === null) return file;
  const ending = extname(file.path);
  const path = `${file.path.slice(0, file.path.length - ending.length)}.incomplete${ending}`;
  return { ...file, path, write: (text) => writeWhole(path, text) };
}

/** The names of standard output; as a file, it cannot be opened if it is a socket. */
const STDOUT = new Set(['-', '/dev/stdout']);

/** One file to write, or standard output. */
export interface Output {
  format: string;
  /** The language of a translation; absent for the captions themselves. */
  language?: string;
  /** Absolute; null for standard output. */
  path: string | null;
  write(content: string | Uint8Array): Promise<void>;
}

interface Wanted {
  recordings: readonly string[];
  formats: readonly string[];
  /** The languages of translations; each file has its language before the ending. Default: none. */
  languages?: readonly string[];
  /** `--output`. */
  output?: string | undefined;
  /** Whether only translations are written. */
  translationsOnly?: boolean;
  /** Whether existing files in a folder may be replaced. */
  overwrite: boolean;
  /** Whether standard output is in use for something else. */
  filesOnly: boolean;
  /** The name of the files of one recording in a folder, instead of that of the recording. */
  name?: string;
}

/**
 * Plans and checks the outputs of each recording, before any work. One recording in one format goes
 * to standard output unless `--output` gives a path; everything else goes to files named after the
 * recordings, in the folder of `--output` or the current one. A file in a folder is replaced only
 * with `--overwrite`; a file that `--output` itself names is always replaced. Translations lie beside it.
 * @throws {UsageError} if `--output` does not fit the captions to be written, or a file exists
 * @throws {CommandFailure} if something cannot be written
 */
export async function planOutputs(wanted: Wanted): Promise<Map<string, Output[]>> {
  const { recordings, formats, languages = [], output, filesOnly } = wanted;
  const [recording = '', ...more] = recordings;
  const [format = '', ...others] = formats;
  const isOne = more.length === 0 && others.length === 0;
  const isAlone =
    isOne && (wanted.translationsOnly ? languages.length === 1 : languages.length === 0);
  const isPrinted = output === undefined && isAlone && !filesOnly && !wanted.translationsOnly;
  if (STDOUT.has(output ?? '') || isPrinted) {
    if (!isAlone) throw new UsageError('Standard output takes one recording in one format.');
    if (filesOnly) throw new UsageError('With --json, standard output takes no captions.');
    const [language] = languages;
    const only = {
      format,
      ...(language !== undefined && { language }),
      path: null,
      write: printed,
    };
    return new Map([[recording, [only]]]);
  }
  const place = fromHere(output ?? '.');
  const isFolder = (await stat(place).catch(() => null))?.isDirectory() ?? false;
  if (!isOne && existsSync(place) && !isFolder) {
    throw new UsageError(
      `--output must name a folder for several files: ${asTyped(place)} is not a folder.`,
    );
  }
  if (isOne && !isFolder && !/[/\\]$/.test(output ?? '')) {
    const files: Output[] = [];
    for (const [path, language] of namedPaths(place, wanted)) {
      if (language !== undefined && path !== place) refuseExisting(path, wanted);
      files.push(outputAt(format, path, await captionsFile(path, recording), language));
    }
    return new Map([[recording, files]]);
  }
  await mkdir(place, { recursive: true }).catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException;
    throw new CommandFailure(`The folder ${asTyped(place)} cannot be created: ${code}.`);
  });
  return inFolder(place, wanted);
}

async function inFolder(folder: string, wanted: Wanted): Promise<Map<string, Output[]>> {
  const { name } = wanted;
  const stems = name === undefined ? namesOf(wanted.recordings) : null;
  const outputs = new Map<string, Output[]>();
  for (const recording of wanted.recordings) {
    const files: Output[] = [];
    for (const [format, language] of wantedFiles(wanted)) {
      const own = FORMAT_IDS.includes(format as FormatId) ? endingOf(format as FormatId) : format;
      const ending = language === undefined ? own : `${language}.${own}`;
      const path = join(folder, `${stems?.get(recording) ?? name}.${ending}`);
      refuseExisting(path, wanted);
      files.push(outputAt(format, path, await captionsFile(path, recording), language));
    }
    outputs.set(recording, files);
  }
  return outputs;
}

/** @throws {UsageError} if a file exists that must not be replaced */
function refuseExisting(path: string, { overwrite }: Wanted): void {
  if (overwrite || !existsSync(path)) return;
  throw new UsageError(
    `${asTyped(path)} exists; --overwrite replaces it, --output takes another folder.`,
  );
}

/** Names without extensions; recordings that differ only in the extension keep it. */
function namesOf(recordings: readonly string[]): Map<string, string> {
  const short = recordings.map((path) => basename(path, extname(path)));
  const count = (name: string) => short.filter((each) => each === name).length;
  const names = new Map(
    recordings.map((path, at) => {
      const name = short[at] ?? '';
      return [path, count(name) > 1 ? basename(path) : name] as const;
    }),
  );
  for (const [path, name] of names) {
    if ([...names.values()].filter((each) => each === name).length === 1) continue;
    throw new UsageError(
      `Several recordings are called ${asTyped(basename(path))}: caption their folders one by one.`,
    );
  }
  return names;
}

/** The files of each recording: every format, as it is and in every language. */
const wantedFiles = ({
  formats,
  languages = [],
  translationsOnly = false,
}: Wanted): [string, string | undefined][] =>
  [...(translationsOnly ? [] : [undefined]), ...languages].flatMap((language) =>
    formats.map((format): [string, string | undefined] => [format, language]),
  );

/** The path that was named, and those of the translations beside it: `talk.srt`, `talk.de.srt`. */
const namedPaths = (
  path: string,
  { languages = [], translationsOnly = false }: Wanted,
): [path: string, language: string | undefined][] => {
  // One translation alone has the name that was given.
  if (translationsOnly && languages.length === 1) return [[path, languages[0]]];
  const ending = extname(path);
  const stem = ending === '' ? path : path.slice(0, -ending.length);
  return [
    ...(translationsOnly ? [] : [[path, undefined] as [string, undefined]]),
    ...languages.map((language): [string, string] => [`${stem}.${language}${ending}`, language]),
  ];
};

const outputAt = (format: string, path: string, file: CaptionsFile, language?: string): Output => ({
  format,
  ...(language !== undefined && { language }),
  path,
  write: file.write,
});

/** Waits until the content is written, because standard output may be a slow pipe. */
const printed = (content: string | Uint8Array): Promise<void> =>
  new Promise((resolve, reject) => {
    process.stdout.write(content, (error) => (error ? reject(error) : resolve()));
  });
