/** `captioner convert in.stl out.vtt`: converts caption files without their sound, on this machine. */
import { readFile, stat } from 'node:fs/promises';
import { convertCaptions, WrongConversion } from '../server/captions/files/convert.ts';
import { ENCODINGS, type Encoding } from '../server/captions/files/encodings.ts';
import { FORMAT_IDS, type FormatId } from '../server/captions/files/formats.ts';
import { REVIEW } from '../server/contract/limits.ts';
import { captionsFile } from './captions-file.ts';
import { CommandFailure, type Given, runCommand, UsageError } from './command-line.ts';
import { asTyped, fromHere } from './current-folder.ts';
import { say } from './terminal.ts';
import { formatOfName } from './translate-files.ts';

const COMMAND = {
  name: 'convert',
  says: 'Converts caption files to another format, on this machine and without their sound.',
  uses: [
    { line: 'in.stl out.vtt', says: 'Converts a file; the ending of the last one says the format' },
    { line: 'part-1.srt part-2.srt all.srt', says: 'Joins parts that follow one another' },
  ],
  options: {
    format: {
      short: 'f',
      value: 'FORMAT',
      says: `The format of the output: ${FORMAT_IDS.join(', ')}`,
    },
    encoding: {
      value: 'NAME',
      says: 'The encoding of the input, if not as detected: windows-1251, gbk, …',
    },
    language: { short: 'l', value: 'TAG', says: 'The language of the captions, as in de' },
    rate: {
      value: 'FPS',
      says: 'Frames a second: of a file that does not say, of time code here, and of the output',
    },
    'to-rate': { value: 'FPS', says: 'The frames a second of the output, if they are others' },
    'drop-frame': { says: 'Time code of 29.97 and 59.94 drops numbers' },
    'non-drop': { says: 'Time code drops no numbers' },
    offset: {
      value: 'TIME',
      says: 'Added to all times: 1.5, -0:00:02.5 or -10:00:00:00',
    },
    stretch: {
      value: 'FPS:FPS',
      says: 'For a picture made for the first rate and played at the second: 25:23.976',
    },
    points: {
      value: 'POINTS',
      says: 'Two points, where captions are and should be: 0:10=0:12,50:00=50:05',
    },
    cut: {
      value: 'FROM-TO',
      says: 'Cuts out a stretch, such as an advertisement: 0:10:00-0:12:30',
    },
    start: {
      value: 'TIMECODE',
      says: 'The time code at which the programme begins in the output: 10:00:00:00',
    },
    overwrite: { says: 'Replaces the output if it exists' },
    json: { says: 'Prints the report as JSON' },
  },
} as const;

/** The lines of a report that are printed; the rest is counted. */
const SHOWN = 20;

/** Prints what was lost, one line each. */
function report(title: string, lines: readonly string[]): void {
  if (lines.length === 0) return;
  say(`${title}:`);
  for (const line of lines.slice(0, SHOWN)) say(`  ${line}`);
  if (lines.length > SHOWN) say(`  and ${lines.length - SHOWN} more (--json lists them all)`);
}

async function bytesOf(path: string): Promise<Uint8Array> {
  const { size } = await stat(path).catch(() => ({ size: 0 }));
  if (size > REVIEW.maxBytes) {
    throw new CommandFailure(`${asTyped(path)} is too large for captions.`);
  }
  const bytes = await readFile(path).catch(() => null);
  if (!bytes) throw new CommandFailure(`There is no file ${asTyped(path)}, or it cannot be read.`);
  return bytes;
}

async function convert({ options, words }: Given<typeof COMMAND.options>): Promise<void> {
  const places = words.map(fromHere);
  const output = places.pop();
  if (output === undefined || places.length === 0) {
    throw new UsageError('Name the file to convert, and the file to write.');
  }
  const { format, encoding } = options;
  if (format !== undefined && !FORMAT_IDS.includes(format as FormatId)) {
    throw new UsageError(`--format must be one of ${FORMAT_IDS.join(', ')}, not ${format}.`);
  }
  if (encoding !== undefined && !ENCODINGS.includes(encoding as Encoding)) {
    throw new UsageError(`--encoding must be one of ${ENCODINGS.join(', ')}, not ${encoding}.`);
  }
  const isThere = await stat(output).then(
    (found) => found.isFile(),
    () => false,
  );
  if (isThere && options.overwrite === undefined) {
    throw new CommandFailure(`${asTyped(output)} already exists; --overwrite replaces it.`);
  }
  const files = await Promise.all(places.map(bytesOf));
  const { write } = await captionsFile(output, places[0]!);
  const isDropped = options['drop-frame'] !== undefined;
  try {
    const converted = await convertCaptions(files, {
      to: (format as FormatId | undefined) ?? formatOfName(output),
      // A name that says so makes text captions.
      from: /\.(?:txt|text)$/i.test(places[0]!) ? 'txt' : undefined,
      encoding: encoding as Encoding | undefined,
      rate: options.rate,
      toRate: options['to-rate'],
      dropFrame: isDropped ? true : options['non-drop'] === undefined ? undefined : false,
      offset: options.offset,
      stretch: options.stretch,
      points: options.points,
      cut: options.cut,
      start: options.start,
      language: options.language,
    });
    await write(converted.file);
    const { file: _file, ...found } = converted;
    if (options.json !== undefined) {
      process.stdout.write(`${JSON.stringify(found)}\n`);
      return;
    }
    const { captions, from, unread, lost } = found;
    const text = found.encoding === null ? '' : ` in ${found.encoding}`;
    say(
      `${captions} ${captions === 1 ? 'caption' : 'captions'}, read as ${from}${text}, ${captions === 1 ? 'is' : 'are'} in ${asTyped(output)}.`,
    );
    report(
      'Not read',
      unread.map(({ line, text: own, reason }) =>
        [
          ...(line > 0 ? [`line ${line}:`] : []),
          ...(own === '' ? [reason] : [own, `(${reason})`]),
        ].join(' '),
      ),
    );
    report(
      'Lost or changed',
      lost.map(({ cue, message }) => (cue === 0 ? message : `caption ${cue}: ${message}`)),
    );
  } catch (error) {
    if (!(error instanceof WrongConversion)) throw error;
    if (error.field === '') throw new CommandFailure(`${asTyped(places[0]!)} ${error.message}.`);
    throw new UsageError(
      `--${error.field === 'toRate' ? 'to-rate' : error.field} ${error.message}.`,
    );
  }
}

// A negative time looks like an option: `--offset -10:00:00:00` means `--offset=-10:00:00:00`.
const at = process.argv.indexOf('--offset');
if (at > 0 && /^-\d/.test(process.argv[at + 1] ?? '')) {
  process.argv.splice(at, 2, `--offset=${process.argv[at + 1]}`);
}

await runCommand(COMMAND, convert);
