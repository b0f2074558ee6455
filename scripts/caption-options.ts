/** The options of the caption command, and the request and formats that result from them. */
import { TRANSLATION_PROVIDERS } from '../server/translation/engines/services.ts';
import { readFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import {
  type CaptionFormat,
  FORMAT_IDS,
  type FormatId,
  FORMATS,
} from '../server/captions/files/formats.ts';
import { trimmedTerms } from '../server/contract/glossary.ts';
import { LANGUAGE_TAG } from '../server/contract/translations.ts';
import { payloadIssues, type CaptionerPayload } from '../server/contract/payload.ts';
import { FRAME_RATES } from '../server/captions/timestamps.ts';
import {
  HouseProfileError,
  type HouseProfile,
  readHouseProfile,
} from '../server/captions/rules/profiles/house-profile.ts';
import { isProfileName, PROFILE_NAMES } from '../server/captions/rules/profiles/profiles.ts';
import { framesOf } from '../server/http/runs/frames-query.ts';
import type { CaptionsQuery } from '../server/http/runs/profiled-captions.ts';
import { AcceptedPayload } from '../server/pipeline/providers.ts';
import { HANDOUT_ENDINGS } from '../server/handouts/endings.ts';
import { UnreadableHandout } from '../server/handouts/lines.ts';
import { readHandout } from '../server/handouts/read-handout.ts';
import { SPEAKERS } from '../server/contract/limits.ts';
import { SPEECH_NAMES } from '../server/speech/providers/registry.ts';
import { proposeTerms } from '../server/terminology/packs/propose-terms.ts';
import { UsageError, type Given } from './command-line.ts';
import { asTyped, fromHere } from './current-folder.ts';
import { OPTION, TERM } from '../server/contract/limits.ts';

/** The options. */
const OPTIONS = {
  output: {
    short: 'o',
    value: 'PATH',
    says: 'The captions file, or a folder for several (default: standard output, or the current folder); - is standard output',
  },
  format: {
    short: 'f',
    value: 'FORMATS',
    says: `The formats, separated by commas (default: the ending of the output file, or srt): ${FORMAT_IDS.join(', ')}`,
  },
  overwrite: { says: 'Replace existing caption files' },
  language: {
    short: 'l',
    value: 'TAG',
    says: 'The spoken language, such as de or pt-BR; auto detects it',
    default: 'en',
  },
  topic: {
    short: 't',
    value: 'TEXT',
    says: 'The topic of the recording; it selects term packs',
  },
  glossary: {
    short: 'g',
    value: 'TERMS',
    says: 'Names and terms in the recording, separated by commas; @FILE reads them from a file',
  },
  names: {
    value: 'FILES',
    says: `Files with the names of people, companies and products, separated by commas: a programme, a list of speakers, slides (${HANDOUT_ENDINGS.join(', ')})`,
  },
  packs: { value: 'IDS', says: 'Term packs, separated by commas' },
  width: {
    short: 'w',
    value: 'CHARACTERS',
    says: `Maximum characters per line (${OPTION.maxLineChars.minimum} to ${OPTION.maxLineChars.maximum}; default: ${OPTION.maxLineChars.default}, or that of the profile)`,
  },
  lines: {
    value: 'NUMBER',
    says: `Maximum lines per caption (${OPTION.maxLines.minimum} to ${OPTION.maxLines.maximum}; default: ${OPTION.maxLines.default}, or that of the profile)`,
  },
  speakers: {
    value: 'NUMBER',
    says: `Distinguish speakers by their voices: their number, up to ${SPEAKERS.mostTold}, or auto`,
  },
  profile: {
    value: 'NAME',
    says: `The publisher’s rules to follow (${PROFILE_NAMES.join(', ')}), or the file of your own profile`,
  },
  translate: {
    value: 'TAGS',
    says: 'Also write translations into these languages, separated by commas, with the language model of the server, or the one configured here, to which the text is sent; without one, on this machine',
  },
  translator: {
    value: 'NAME',
    says: 'What translates; edge is this machine, or the model at EDGE_LLM_URL (default: the first that is configured)',
    oneOf: TRANSLATION_PROVIDERS,
  },
  memory: {
    value: 'FILE',
    says: 'A TMX file with translations of sentences, read before captions are translated and brought up to date after; what you change in a translated file is kept',
  },
  'frame-rate': {
    value: 'RATE',
    says: 'Frames per second of the video, for a profile, whose captions then begin and end on frames, and for formats that count frames',
    oneOf: FRAME_RATES,
  },
  'drop-frame': { says: 'Time code of 29.97 and 59.94 frames per second drops numbers' },
  start: {
    value: 'TIMECODE',
    says: 'The time code at which the programme begins, in formats that count frames: 10:00:00:00',
  },
  karaoke: { says: 'Write the times of words, in formats that hold them: vtt, ass, ttml' },
  shots: {
    value: 'SECONDS',
    says: 'Times at which shots begin, separated by commas, for a profile; @FILE reads them from a file',
  },
  provider: {
    short: 'p',
    value: 'NAME',
    says: 'The transcription service; edge is this machine, or the service at EDGE_SPEECH_URL',
    oneOf: SPEECH_NAMES,
    default: 'edge',
  },
  model: {
    short: 'm',
    value: 'NAME',
    says: 'The speech model (default: the one for the language)',
  },
  server: {
    short: 's',
    value: 'URL',
    says: 'Caption on this server, with the key in CAPTIONER_API_KEY, or that of captioner login',
  },
  json: { says: 'Print progress and outcomes as JSON lines on standard output' },
};
/** The given options. */
export type Options = Given<typeof OPTIONS>['options'];

/** The command as its help describes it. */
export const COMMAND = {
  name: 'caption',
  says: 'Creates captions for recordings, on this machine or on a server.',
  uses: [
    { line: 'talk.mp4', says: 'Prints SRT captions' },
    { line: 'talk.mp3 -o talk.vtt', says: 'Writes WebVTT captions to a file' },
    {
      line: 'talk.mp4 -o talk.srt --translate de,fr',
      says: 'Also writes talk.de.srt and talk.fr.srt',
    },
    { line: 'talk.srt --translate de', says: 'Translates captions without their sound' },
    {
      line: 'talks/ more.m4a -f srt,vtt -o captions/',
      says: 'Writes two files for each recording',
    },
  ],
  options: OPTIONS,
  notes: [
    'MP3 and WAV need no other program; FFmpeg, if it is installed, reads all other formats, including the audio of videos.',
    'Progress is printed to standard error. Recordings are never changed or deleted.',
    'Exit codes: 0 if every recording was captioned, 1 if any failed, 2 for incorrect usage.',
    "npm prints its command on standard output: use -o, or npm's --silent before the name.",
  ],
};

const list = (text: string | undefined): string[] =>
  (text ?? '')
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');

/** @throws {UsageError} there is nothing for which a memory of this machine is needed */
export function checkMemory({ memory, server }: Options, languages: readonly string[]): void {
  if (memory === undefined) return;
  if (server !== undefined) {
    throw new UsageError('--memory is for translations without a server, which has its own.');
  }
  if (languages.length === 0) throw new UsageError('--memory needs --translate.');
}

/**
 * The languages to translate into, without duplicates.
 * @throws {UsageError} for something that is no language
 */
export function languagesOf({ translate }: Options): string[] {
  const tags = [...new Set(list(translate))];
  const wrong = tags.find((tag) => !new RegExp(LANGUAGE_TAG).test(tag));
  if (wrong !== undefined || (translate !== undefined && tags.length === 0)) {
    throw new UsageError(
      `--translate takes languages such as de,pt-BR, not ${wrong ?? translate}.`,
    );
  }
  return tags;
}

/**
 * The number of speakers, or auto; undefined if nothing is asked.
 * @throws {UsageError} for anything else
 */
export function speakersOf({ speakers, server }: Options): number | 'auto' | undefined {
  if (speakers === undefined) return undefined;
  if (speakers === 'auto' && server === undefined) return speakers;
  const number = Number(speakers);
  if (!Number.isInteger(number) || number < 1 || number > SPEAKERS.mostTold) {
    throw new UsageError(
      server === undefined
        ? `--speakers takes auto or a number from 1 to ${SPEAKERS.mostTold}, not ${speakers}.`
        : `With --server, --speakers takes a number from 1 to ${SPEAKERS.mostTold}, not ${speakers}: the server finds the number by itself.`,
    );
  }
  return number;
}

/**
 * The formats, without duplicates.
 * @throws {UsageError} for a format that does not exist
 */
export function formatsOf({ format, output }: Options): string[] {
  const ending = /[/\\]$/.test(output ?? '')
    ? ''
    : extname(output ?? '')
        .slice(1)
        .toLowerCase();
  const named = [...new Set(list(format?.toLowerCase()))];
  const unknown = named.find((each) => !FORMAT_IDS.includes(each as FormatId));
  if (unknown !== undefined || (format !== undefined && named.length === 0)) {
    throw new UsageError(
      `--format must be one of ${FORMAT_IDS.join(', ')}, not ${unknown ?? format}.`,
    );
  }
  if (named.length > 0) return named;
  if (ending === '') return ['srt'];
  if (FORMAT_IDS.includes(ending as FormatId)) return [ending];
  throw new UsageError(
    `.${ending} is not a caption format; select one with --format: ${FORMAT_IDS.join(', ')}.`,
  );
}

/**
 * The terms of --glossary, or of the file it names.
 * @throws {UsageError} if the file cannot be read
 */
export const glossaryOf = ({ glossary }: Options): Promise<string | undefined> =>
  textOrFile(glossary, 'glossary');

/** The reasons for which a name is taken without asking; rare words are only proposed to people. */
const TAKEN: ReadonlySet<string> = new Set(['acronym', 'camel_case', 'capitalised']);

/**
 * The names in the files of --names.
 * @throws {UsageError} for a file that cannot be read
 */
export async function namesOf({ names }: Options): Promise<string[]> {
  const found: string[] = [];
  for (const path of list(names).map(fromHere)) {
    const bytes = await readFile(path).catch(() => {
      throw new UsageError(`The file of names ${asTyped(path)} cannot be read.`);
    });
    try {
      const lines = await readHandout({ bytes: new Uint8Array(bytes), hint: path });
      const proposals = proposeTerms(lines).filter(({ why }) => TAKEN.has(why));
      found.push(...proposals.map(({ term }) => term));
    } catch (error) {
      if (!(error instanceof UnreadableHandout)) throw error;
      throw new UsageError(`${asTyped(path)}: ${error.message}`);
    }
  }
  return [...new Set(found)];
}

/** The terms of a glossary and names together, as many as a payload may have; those of the glossary first. */
export const withNames = (glossary: Glossary, names: readonly string[]): Glossary =>
  names.length === 0
    ? glossary
    : [...new Set([...trimmedTerms(glossary ?? ''), ...names])].slice(0, TERM.maxTerms);

/** The glossary of a payload. */
export type Glossary = CaptionerPayload['glossary'];

/** The given text, or the content of the file named after an @. */
async function textOrFile(given: string | undefined, what: string): Promise<string | undefined> {
  if (!given?.startsWith('@')) return given;
  const path = fromHere(given.slice(1));
  return readFile(path, 'utf8').catch(() => {
    throw new UsageError(`The ${what} ${asTyped(path)} cannot be read.`);
  });
}

/** The profile for the captions: as a query in the API's terms, or a house profile. */
export interface ProfileRules {
  query: CaptionsQuery;
  house?: HouseProfile;
}

/**
 * Reads a profile from a file.
 * @throws {UsageError} for an unknown name, and for a file that is not a profile
 */
async function houseProfileOf(given: string): Promise<HouseProfile> {
  const path = fromHere(given);
  const file = await readFile(path, 'utf8').catch(() => null);
  if (file === null) {
    throw new UsageError(
      `--profile must be one of ${PROFILE_NAMES.join(', ')}, or a file that can be read, not ${asTyped(path)}.`,
    );
  }
  try {
    return readHouseProfile(file);
  } catch (error) {
    if (!(error instanceof HouseProfileError)) throw error;
    throw new UsageError(`The profile ${asTyped(path)} cannot be used:\n${error.message}`);
  }
}

/**
 * The profile options; empty without --profile.
 * @throws {UsageError} for a picture without a profile, invalid times, an invalid profile, or a file that cannot be read
 */
export async function profileOptions(options: Options): Promise<ProfileRules> {
  const { profile: named } = options;
  const isFile = named !== undefined && !isProfileName(named);
  const house = isFile ? { house: await houseProfileOf(named) } : {};
  const given = await textOrFile(options.shots, 'list of shots');
  const shots = given?.split(/[\s,]+/).filter((time) => time !== '');
  const query = {
    ...(named === undefined || isFile ? {} : { profile: named }),
    ...(options['frame-rate'] === undefined ? {} : { frameRate: options['frame-rate'] }),
    ...(options['drop-frame'] === undefined ? {} : { dropFrame: 'true' }),
    ...(options.start === undefined ? {} : { start: options.start }),
    ...(options.karaoke === undefined ? {} : { karaoke: 'true' }),
    ...(shots === undefined ? {} : { shots: shots.join(',') }),
  } as CaptionsQuery;
  if (named === undefined && shots) throw new UsageError('--shots needs --profile.');
  checkFormats(options, query);
  if (shots && !(shots.length > 0 && shots.every((time) => /^\d{1,6}(\.\d{1,6})?$/.test(time)))) {
    throw new UsageError('--shots must be seconds, separated by commas.');
  }
  return { query, ...house };
}

/** Checks what only some formats hold. @throws {UsageError} for none of them, and for wrong time code */
function checkFormats(options: Options, query: CaptionsQuery): void {
  // Translated files keep their formats, whatever those are.
  const formats = options.translate === undefined ? formatsOf(options) : [];
  const hasNone = (holds: (format: CaptionFormat) => boolean): boolean =>
    formats.length > 0 && !formats.some((id) => holds(FORMATS[id as FormatId]));
  const { frameRate, dropFrame, start, karaoke } = query;
  const counts = [frameRate, dropFrame, start].some((given) => given !== undefined);
  if (options.profile === undefined && counts && hasNone(({ inFrames }) => inFrames === true)) {
    throw new UsageError(
      '--frame-rate, --drop-frame and --start need --profile, or a format that counts frames.',
    );
  }
  if (karaoke !== undefined && hasNone(({ keeps }) => keeps.includes('words'))) {
    throw new UsageError('--karaoke needs a format that holds the times of words: vtt, ass, ttml.');
  }
  try {
    framesOf(query);
  } catch {
    throw new UsageError(`--start must be time code such as 10:00:00:00, not ${start}.`);
  }
}

/** Checks --packs. @throws {UsageError} for a pack that is not installed */
export function checkPacks(options: Options, installed: readonly string[]): void {
  const unknown = list(options.packs).find((pack) => !installed.includes(pack));
  if (unknown === undefined) return;
  throw new UsageError(`--packs must be among ${installed.join(', ')}, not ${unknown}.`);
}

/**
 * The payload of a run.
 * @throws {UsageError} beyond the limits, which are the same as over HTTP
 */
export function payloadOf(file: string, options: Options, glossary: Glossary): CaptionerPayload {
  const name = basename(file);
  const packs = list(options.packs);
  // Options that were not given are left to the service, or to the profile.
  const captions = {
    ...(options.width === undefined ? {} : { maxLineChars: Number(options.width) }),
    ...(options.lines === undefined ? {} : { maxLines: Number(options.lines) }),
  };
  const payload = {
    // The service accepts no other extension; the content has been checked already.
    audio: { key: name.endsWith('.mp3') ? name : `${name}.mp3`, filename: name },
    language: options.language,
    transcription: {
      provider: options.provider,
      ...(options.model ? { model: options.model } : {}),
    },
    ...(Object.keys(captions).length > 0 ? { captions } : {}),
    ...(packs.length > 0 ? { terminology: { packs } } : {}),
    ...(options.topic ? { topic: options.topic } : {}),
    ...(glossary && glossary.length > 0 ? { glossary } : {}),
  };
  const [issue] = payloadIssues(payload, AcceptedPayload);
  if (!issue) return payload as CaptionerPayload;
  const [, option] = PATHS.find(([path]) => issue.path.startsWith(path)) ?? [];
  const given = option === undefined ? undefined : options[option];
  const subject = option === undefined ? `The name of ${asTyped(file)}` : `--${option}`;
  throw new UsageError(
    `${subject} ${issue.message}${given !== undefined && given.length < 100 ? `, not ${given}` : ''}.`,
  );
}

/** The options that fill the fields of a payload. */
const PATHS: readonly [path: string, option: keyof Options][] = [
  ['captions.maxLineChars', 'width'],
  ['captions.maxLines', 'lines'],
  ['transcription.provider', 'provider'],
  ['transcription.model', 'model'],
  ['language', 'language'],
  ['topic', 'topic'],
  ['glossary', 'glossary'],
];
