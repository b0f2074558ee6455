/**
 * The options of `captioner whisper`: those of openai-whisper's and whisper-ctranslate2's command lines. Each is used,
 * or accepted without effect, or refused with a reason.
 */
import { OPTION } from '../server/contract/limits.ts';
import type { CaptionerPayload } from '../server/contract/payload.ts';
import { trimmedTerms } from '../server/contract/glossary.ts';
import { TERM } from '../server/contract/limits.ts';
import { isTermSized } from '../server/contract/terms.ts';
import { ASR_OUTPUTS } from '../server/contract/openai.ts';
import { termsOfPrompt } from '../server/http/openai/asked.ts';
import { languageCode } from '../server/http/openai/languages.ts';
import { OTHERS_WHISPER } from '../server/http/openai/models.ts';
import { MODELS, recognises } from '../server/models/registry.ts';
import { UsageError } from './command-line.ts';

type Kind = 'text' | 'yes or no' | 'number' | readonly string[];

interface Option {
  short?: string;
  kind: Kind;
  /** What it does; absent if it has no effect. */
  says?: string;
  /** Why a value cannot be obeyed; null if it can. */
  refuses?: (value: string) => string | null;
}

const text = { kind: 'text' } as const;
const number = { kind: 'number' } as const;
const flag = { kind: 'yes or no' } as const;

const isYes = (value: string): boolean => value.toLowerCase() === 'true';
const isNone = (value: string | undefined): boolean => value === undefined || value === 'None';

const notYes = (reason: string) => (value: string) => (isYes(value) ? reason : null);
const notSet = (reason: string) => (value: string) => (isNone(value) ? null : reason);
const within =
  ({ minimum, maximum }: { minimum: number; maximum: number }, what: string) =>
  (value: string) =>
    isNone(value) || (Number(value) >= minimum && Number(value) <= maximum)
      ? null
      : `${what} must be from ${minimum} to ${maximum}.`;

/** The options of both programs. */
const OPTIONS: Record<string, Option> = {
  model: {
    ...text,
    says: 'A name of Whisper means the model that is best here for the language; a name of "captioner models" means that model',
  },
  output_dir: { ...text, short: 'o', says: 'The folder of the files (default: the current one)' },
  output_format: {
    short: 'f',
    kind: [...ASR_OUTPUTS, 'all'],
    says: 'txt, vtt, srt, tsv, json or all (default: all)',
  },
  language: { ...text, says: 'A code or an English word (default: the language is detected)' },
  task: {
    kind: ['transcribe', 'translate'],
    says: 'transcribe (default), or translate into English',
  },
  initial_prompt: { ...text, says: 'Terms, or a text with names, which become the glossary' },
  hotwords: { ...text, says: 'The same' },
  word_timestamps: { ...flag, says: 'True: the JSON has the words of each segment' },
  max_line_width: {
    ...number,
    says: 'The most characters in a line of srt and vtt',
    refuses: within(OPTION.maxLineChars, '--max_line_width'),
  },
  max_line_count: {
    ...number,
    says: 'The most lines in a caption of srt and vtt',
    refuses: within(OPTION.maxLines, '--max_line_count'),
  },
  pretty_json: { ...flag, short: 'p', says: 'True: JSON with line breaks' },
  verbose: { ...flag, says: 'False: the text is not printed' },
  highlight_words: { ...flag, refuses: notYes('--highlight_words is not supported.') },
  max_words_per_line: {
    ...number,
    refuses: notSet('--max_words_per_line is not supported; --max_line_width is.'),
  },
  clip_timestamps: {
    ...text,
    refuses: (value) =>
      value === '0' ? null : '--clip_timestamps is not supported: cut the recording first.',
  },
  model_directory: {
    ...text,
    refuses: notSet('Models of CTranslate2 cannot be loaded: leave --model_directory out.'),
  },
  live_transcribe: { ...flag, refuses: notYes('--live_transcribe is not supported.') },
  hf_token: {
    ...text,
    refuses: (value) =>
      value === ''
        ? null
        : '--hf_token is not needed: speakers are told apart without it, and are in the JSON of captioner itself.',
  },
  // How Whisper searches and computes, which is decided here.
  ...Object.fromEntries(
    [
      'temperature',
      'temperature_increment_on_fallback',
      'prompt_reset_on_temperature',
      'best_of',
      'beam_size',
      'patience',
      'length_penalty',
      'repetition_penalty',
      'no_repeat_ngram_size',
      'compression_ratio_threshold',
      'logprob_threshold',
      'no_speech_threshold',
      'hallucination_silence_threshold',
      'threads',
      'device_index',
      'batch_size',
      'vad_onset',
      'vad_threshold',
      'vad_min_speech_duration_ms',
      'vad_max_speech_duration_s',
      'vad_min_silence_duration_ms',
      'speaker_num',
      'live_volume_threshold',
      'live_input_device',
      'live_input_device_sample_rate',
    ].map((name) => [name, number]),
  ),
  ...Object.fromEntries(
    [
      'suppress_blank',
      'condition_on_previous_text',
      'carry_initial_prompt',
      'fp16',
      'local_files_only',
      'print_colors',
      'batched',
      'multilingual',
      'vad_filter',
    ].map((name) => [name, flag]),
  ),
  ...Object.fromEntries(
    [
      'model_dir',
      'device',
      'compute_type',
      'prefix',
      'suppress_tokens',
      'prepend_punctuations',
      'append_punctuations',
      'speaker_name',
    ].map((name) => [name, text]),
  ),
};

/** What a command line asks for. */
export interface WhisperTask {
  recordings: string[];
  folder: string;
  formats: (typeof ASR_OUTPUTS)[number][];
  task: 'transcribe' | 'translate';
  payload: Omit<CaptionerPayload, 'audio'>;
  withWords: boolean;
  isPretty: boolean;
  /** Whether the text is printed. */
  prints: boolean;
  /** The given options that have no effect. */
  withoutEffect: string[];
}

/**
 * Reads a command line as argparse does: `--name value`, `--name=value`, and names cut short.
 * @returns a word if only the help or the version is requested
 * @throws {UsageError} for what is unknown, invalid or cannot be obeyed
 */
export function readWhisperLine(args: readonly string[]): WhisperTask | 'help' | 'version' {
  const recordings: string[] = [];
  const given = new Map<string, string>();
  const rest = [...args];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '--') {
      recordings.push(...rest.splice(0));
    } else if (word === '-h' || word === '--help') return 'help';
    else if (word === '--version') return 'version';
    else if (word.startsWith('-') && word !== '-') {
      const [name, attached] = named(word);
      given.set(name, checked(name, attached ?? valueIn(name, rest)));
    } else recordings.push(word);
  }
  if (recordings.length === 0) throw new UsageError('Name the recordings to transcribe.');
  return taskOf(recordings, given);
}

/** The whole name of an option, and the value that is written with it. */
function named(word: string): [name: string, value?: string] {
  if (!word.startsWith('--')) {
    const found = Object.entries(OPTIONS).find(([, { short }]) => short === word[1]);
    if (!found) throw new UsageError(`There is no option ${word.slice(0, 2)}.`);
    return word.length > 2 ? [found[0], word.slice(2).replace(/^=/, '')] : [found[0]];
  }
  const end = word.indexOf('=');
  const name = word.slice(2, end < 0 ? undefined : end).replaceAll('-', '_');
  const value = end < 0 ? [] : [word.slice(end + 1)];
  const known = Object.keys(OPTIONS);
  if (known.includes(name)) return [name, ...value] as [string, string?];
  const meant = known.filter((each) => each.startsWith(name));
  if (meant.length === 1) return [meant[0]!, ...value] as [string, string?];
  if (meant.length === 0) throw new UsageError(`There is no option --${name}.`);
  throw new UsageError(`--${name} may be ${meant.map((each) => `--${each}`).join(' or ')}.`);
}

function valueIn(name: string, rest: string[]): string {
  const [next] = rest;
  if (next === undefined || (next.startsWith('-') && !/^-(?:\d|\.\d|$)/.test(next))) {
    throw new UsageError(`--${name} needs a value.`);
  }
  return rest.shift()!;
}

function checked(name: string, value: string): string {
  const { kind, refuses } = OPTIONS[name]!;
  const isFit =
    kind === 'text' ||
    (kind === 'number'
      ? isNone(value) || (value.trim() !== '' && Number.isFinite(Number(value)))
      : kind === 'yes or no'
        ? /^(?:true|false|none)$/i.test(value)
        : kind.includes(value));
  if (!isFit) {
    const wanted =
      kind === 'yes or no'
        ? 'True or False'
        : typeof kind === 'string'
          ? `a ${kind}`
          : kind.join(', ');
    throw new UsageError(`--${name} takes ${wanted}, not ${value}.`);
  }
  const reason = refuses?.(value);
  if (reason) throw new UsageError(reason);
  return value;
}

function taskOf(recordings: string[], given: ReadonlyMap<string, string>): WhisperTask {
  const set = (name: string): string | undefined => {
    const value = given.get(name);
    return isNone(value) ? undefined : value;
  };
  const format = (set('output_format') ?? 'all') as WhisperTask['formats'][number] | 'all';
  const model = modelOf(set('model'));
  const width = set('max_line_width');
  const lines = set('max_line_count');
  const captions = {
    ...(width !== undefined && { maxLineChars: Number(width) }),
    ...(lines !== undefined && { maxLines: Number(lines) }),
  };
  const terms = [
    ...trimmedTerms(set('hotwords') ?? ''),
    ...termsOfPrompt(set('initial_prompt') ?? ''),
  ].filter(isTermSized);
  const glossary = [...new Set(terms)].slice(0, TERM.maxTerms);
  return {
    recordings,
    folder: set('output_dir') ?? '.',
    formats: format === 'all' ? [...ASR_OUTPUTS] : [format],
    task: (set('task') ?? 'transcribe') as WhisperTask['task'],
    payload: {
      language: languageOf(set('language'), set('model')),
      ...(model !== undefined && { transcription: { model } }),
      ...(glossary.length > 0 && { glossary }),
      ...(Object.keys(captions).length > 0 && { captions }),
    },
    withWords: isYes(set('word_timestamps') ?? ''),
    isPretty: isYes(set('pretty_json') ?? ''),
    prints: isYes(set('verbose') ?? 'true'),
    withoutEffect: [...given.keys()].filter(
      (name) => OPTIONS[name]!.says === undefined && OPTIONS[name]!.refuses === undefined,
    ),
  };
}

/** The model that a name means; undefined for the one that is best for the language. */
function modelOf(name: string | undefined): string | undefined {
  if (name === undefined) return undefined;
  const own = MODELS.filter(({ kind }) => recognises(kind)).map((model) => model.name);
  if (own.includes(name)) return name;
  if (OTHERS_WHISPER.test(name)) return undefined;
  throw new UsageError(
    `There is no model ${name}: --model takes the names of Whisper, or one of ${own.join(', ')}.`,
  );
}

/** The language to hear; `auto` if none is named. */
function languageOf(language: string | undefined, model = ''): string {
  if (language === undefined) return model.endsWith('.en') ? 'en' : 'auto';
  const code = languageCode(language);
  if (code !== undefined) return code;
  throw new UsageError(`--language takes a code such as de, or an English word, not ${language}.`);
}

/** The help. */
export function whisperHelp(line: string): string {
  const used = Object.entries(OPTIONS).filter(([, { says }]) => says !== undefined);
  const rows = used.map(([name, { short, says }]) => {
    const flags = `${short ? `-${short}, ` : '    '}--${name}`;
    return `  ${flags.padEnd(24)}  ${says}`;
  });
  const namesOf = (isRefused: boolean) =>
    Object.entries(OPTIONS)
      .filter(([, { says, refuses }]) => says === undefined && Boolean(refuses) === isRefused)
      .map(([name]) => `--${name}`)
      .join(', ');
  return `Transcribes recordings with the arguments and files of openai-whisper and whisper-ctranslate2.

Usage:
  ${line}
      Writes talk.txt, talk.vtt, talk.srt, talk.tsv and talk.json

Options:
${rows.join('\n')}

Accepted, without effect: ${namesOf(false)}.
Refused, unless their value asks for nothing: ${namesOf(true)}.
`;
}
