/**
 * Reads the fields of a transcription form: what to recognise, and how to answer.
 */
import { payloadIssues, unknownPacks, type CaptionerPayload } from '../../contract/payload.ts';
import { RESPONSE_FORMATS, TRANSLATION_FORMATS } from '../../contract/openai.ts';
import { TERM, MAX_CHARS } from '../../contract/limits.ts';
import { trimmedTerms } from '../../contract/glossary.ts';
import { isTermSized } from '../../contract/terms.ts';
import { PROFILE_NAMES } from '../../captions/rules/profiles/profiles.ts';
import { AcceptedPayload } from '../../pipeline/providers.ts';
import type { TermPackList } from '../../contract/terminology.ts';
import { proposeTerms } from '../../terminology/packs/propose-terms.ts';
import { refusal } from './errors.ts';
import { sentSpeakers, type SentSpeaker } from './known-speakers.ts';
import { languageCode } from './languages.ts';
import type { ChosenModel, ModelNames } from './models.ts';
import { isAuto } from '../../models/registry.ts';
import { type TranscriptionForm } from './form.ts';

/** A format of a transcription. */
type ResponseFormat = (typeof RESPONSE_FORMATS)[number];

/**
 * A format of an answer: those of OpenAI's API, and those of Whisper's own writers, a sentence in each segment or line.
 */
export type AnswerFormat = ResponseFormat | 'segments' | 'lines' | 'tsv';

/** What to do with the speech: to write it in its own language, or in English. */
export type AskedTask = 'transcribe' | 'translate';

/** How to answer, as the form asks. */
interface AskedAnswer {
  task: AskedTask;
  format: AnswerFormat;
  /** The model as the form names it. */
  model: string;
  /** Returned in segments; it changes nothing. */
  temperature: number;
  words: boolean;
  segments: boolean;
  logprobs: boolean;
  /** The names of the speakers whose voices are known, if there are any. */
  known?: string[];
}

/** What a form asks for. */
export interface Asked {
  answer: AskedAnswer;
  stream: boolean;
  /** The profile that captions follow, of those that `?profile=` names. */
  profile: (typeof PROFILE_NAMES)[number] | undefined;
  /** Whose voices are known. */
  speakers: SentSpeaker[];
  payload: CaptionerPayload;
  /** Whether the speech has to be translated; false if the form says that it is English. */
  translates: boolean;
  /** What was assumed, in sentences. */
  notes: string[];
}

/** The fields of `captions[...]`, by the name that a form has for them. */
const CAPTION_FIELDS = {
  max_line_chars: 'maxLineChars',
  max_lines: 'maxLines',
  max_duration: 'maxDuration',
  min_duration: 'minDuration',
} as const;

/** A prompt of more words between its commas is a text, not a list of terms. */
const MAX_LISTED_WORDS = 4;

/**
 * Reads the fields. Unknown ones are ignored, because programs send those of other servers.
 * @param task what the address of the request asks for
 * @param key the key under which the recording will be stored
 * @throws {Problem} 400 with the first field that is invalid, 404 for an unknown model
 */
export function readAsked(
  { fields, file }: Pick<TranscriptionForm, 'fields'> & { file: { name: string } },
  key: string,
  { models, packs }: { models: ModelNames; packs: TermPackList },
  task: AskedTask,
): Asked {
  const form = fieldsOf(fields);
  const model = form.one('model');
  if (model === undefined) throw refusal(400, null, 'you must provide a model parameter', 'model');
  const chosen = models.choose(model);
  const isTranslation = task === 'translate';
  const formats = isTranslation ? TRANSLATION_FORMATS : RESPONSE_FORMATS;
  const format = oneOf(form, 'response_format', formats) ?? 'json';
  // Translated words have no times of their own.
  const granularities = isTranslation ? [] : form.all('timestamp_granularities');
  for (const one of granularities) known('timestamp_granularities', one, ['word', 'segment']);
  for (const one of form.all('include')) known('include', one, ['logprobs']);
  checkChunking(form);
  const speakers = sentSpeakers(
    form.all('known_speaker_names'),
    form.all('known_speaker_references'),
    models.knowsVoices && chosen.provider === 'edge' && !isTranslation,
  );
  const payload = payloadOf(form, chosen, { key, filename: fileName(file.name) }, packs);
  const isAssumed =
    isTranslation && languageOf(form) === undefined && !isAuto(payload.language ?? '');
  return {
    answer: {
      task,
      format,
      model,
      temperature: numberOf(form, 'temperature', 0, 1) ?? 0,
      words: granularities.includes('word'),
      segments: granularities.length === 0 || granularities.includes('segment'),
      ...(speakers.length > 0 && { known: speakers.map(({ name }) => name) }),
      logprobs: !isTranslation && form.all('include').includes('logprobs'),
    },
    stream: !isTranslation && isTrue(form.one('stream')),
    profile: oneOf(form, 'profile', PROFILE_NAMES),
    speakers,
    payload,
    translates: isTranslation && !/^en\b/i.test(payload.language ?? ''),
    notes: isAssumed ? [ASSUMED] : [],
  };
}

/** Said where a translation names no language, which OpenAI's clients cannot. */
const ASSUMED =
  "English was assumed: this model does not detect the language of a recording. Name it in 'language'.";

/** The values of a form by name; `name[]` and `name[0]` are `name`. */
type Fields = ReturnType<typeof fieldsOf>;

function fieldsOf(fields: TranscriptionForm['fields']) {
  const values = new Map<string, string[]>();
  for (const [sent, value] of fields) {
    const name = sent.replace(/\[\d*\]$/, '');
    const list = values.get(name);
    if (list) list.push(value);
    else values.set(name, [value]);
  }
  return {
    /** The last value. */
    one: (name: string): string | undefined => values.get(name)?.at(-1),
    all: (...names: string[]): string[] => names.flatMap((name) => values.get(name) ?? []),
    /** The values of `name[...]`, by what is in the brackets. */
    within: (name: string): [string, string][] =>
      [...values].flatMap(([full, list]): [string, string][] =>
        full.startsWith(`${name}[`) && full.endsWith(']')
          ? [[full.slice(name.length + 1, -1), list.at(-1)!]]
          : [],
      ),
  };
}

function payloadOf(
  form: Fields,
  chosen: ChosenModel,
  audio: { key: string; filename: string },
  installed: TermPackList,
): CaptionerPayload {
  const glossary = glossaryOf(form);
  const packs = form.all('packs').flatMap((list) => trimmedTerms(list));
  const topic = form.one('topic');
  const captions = captionSettings(form);
  const payload = {
    audio: { key: audio.key, ...(audio.filename !== '' && { filename: audio.filename }) },
    language: languageOf(form) ?? chosen.language,
    transcription: {
      provider: chosen.provider,
      ...(chosen.model !== undefined && { model: chosen.model }),
    },
    ...(topic !== undefined && { topic }),
    ...(glossary.length > 0 && { glossary }),
    ...(packs.length > 0 && { terminology: { packs } }),
    ...(captions && { captions }),
  };
  const ids = installed.packs.map(({ id }) => id);
  const [issue] = [
    ...payloadIssues(payload, AcceptedPayload),
    ...unknownPacks({ ...payload, terminology: { packs } }, ids),
  ];
  if (!issue) return payload;
  const param = PARAMS.find(([path]) => issue.path.startsWith(path))?.[1] ?? issue.path;
  throw refusal(400, 'invalid_value', `Invalid value for '${param}': it ${issue.message}.`, param);
}

/** The fields of the form for the places of a payload. */
const PARAMS: readonly [path: string, field: string][] = [
  ...Object.entries(CAPTION_FIELDS).map(([field, path]): [string, string] => [
    `captions.${path}`,
    `captions[${field}]`,
  ]),
  ['terminology.packs', 'packs'],
  ['glossary', 'keywords'],
  ['topic', 'topic'],
  ['language', 'language'],
];

/** The terms of the prompt and the keywords. */
function glossaryOf(form: Fields): string[] {
  const prompt = form.one('prompt') ?? '';
  if (prompt.length > TERM.maxGlossaryChars) {
    const message = `Invalid 'prompt': it has more than ${TERM.maxGlossaryChars} characters.`;
    throw refusal(400, 'string_above_max_length', message, 'prompt');
  }
  const keywords = form.all('keywords').flatMap((one) => trimmedTerms(one));
  const terms = [...keywords, ...termsOfPrompt(prompt)].filter(isTermSized);
  return [...new Set(terms)].slice(0, TERM.maxTerms);
}

/** The terms of a prompt: those of a list, or the names in a text. */
export function termsOfPrompt(prompt: string): string[] {
  const listed = trimmedTerms(prompt);
  const isText =
    /[.!?…]["”’)]*(?:\s|$)/.test(prompt) ||
    listed.some((term) => term.split(/\s+/).length > MAX_LISTED_WORDS);
  return isText ? proposeTerms(prompt).map(({ term }) => term) : listed;
}

/** The language of the form: that of `language`, or the only one of `languages`. */
function languageOf(form: Fields): string | undefined {
  const named = form.all('language', 'languages').filter((one) => one.trim() !== '');
  const codes = named.map((one) => {
    const code = languageCode(one);
    if (code !== undefined) return code;
    const message = `Invalid language '${one.slice(0, 50)}'. Language parameter must be specified in ISO-639-1 format.`;
    throw refusal(400, 'invalid_language_format', message, 'language');
  });
  const given = form.one('language')?.trim() ?? '';
  return given !== '' || new Set(codes).size === 1 ? codes[0] : undefined;
}

function captionSettings(form: Fields): Record<string, number> | undefined {
  const settings: Record<string, number> = {};
  for (const [field, value] of form.within('captions')) {
    const param = `captions[${field}]`;
    if (!Object.hasOwn(CAPTION_FIELDS, field)) {
      throw refusal(400, 'unknown_parameter', `Unknown parameter: '${param}'.`, param);
    }
    const number = value.trim() === '' ? Number.NaN : Number(value);
    if (!Number.isFinite(number)) throw notNumber(param, value);
    settings[CAPTION_FIELDS[field as keyof typeof CAPTION_FIELDS]] = number;
  }
  return Object.keys(settings).length > 0 ? settings : undefined;
}

/** Recordings are always cut at pauses, so the strategy changes nothing; one that does not exist is refused. */
function checkChunking(form: Fields): void {
  const sent =
    form.one('chunking_strategy') ?? Object.fromEntries(form.within('chunking_strategy'));
  const type = typeof sent === 'string' ? strategyOf(sent) : sent['type'];
  if (type === undefined && (typeof sent === 'string' || Object.keys(sent).length === 0)) return;
  known('chunking_strategy', String(type), ['auto', 'server_vad']);
}

/** The type of a strategy that is sent as text: its name, or an object as JSON. */
function strategyOf(text: string): string | undefined {
  if (text === '' || text === 'null') return undefined;
  if (!text.startsWith('{')) return text;
  try {
    return String((JSON.parse(text) as { type?: unknown }).type);
  } catch {
    return text;
  }
}

const isTrue = (text = ''): boolean => ['true', '1'].includes(text.toLowerCase());

function oneOf<Value extends string>(
  form: Fields,
  name: string,
  values: readonly Value[],
): Value | undefined {
  const value = form.one(name);
  return value === undefined ? undefined : known(name, value, values);
}

function known<Value extends string>(
  param: string,
  value: string,
  values: readonly Value[],
): Value {
  const found = values.find((one) => one === value);
  if (found !== undefined) return found;
  const list = values.map((one) => `'${one}'`).join(', ');
  const message = `Invalid value: '${value.slice(0, 50)}'. Supported values are: ${list}.`;
  throw refusal(400, 'invalid_value', message, param);
}

function numberOf(form: Fields, name: string, least: number, most: number): number | undefined {
  const value = form.one(name);
  if (value === undefined || value === '') return undefined;
  const number = Number(value);
  if (Number.isNaN(number)) throw notNumber(name, value);
  if (number >= least && number <= most) return number;
  const message = `Invalid '${name}': it must be from ${least} to ${most}.`;
  throw refusal(400, 'decimal_out_of_range', message, name);
}

const notNumber = (param: string, value: string) =>
  refusal(
    400,
    'invalid_type',
    `Invalid type for '${param}': expected a number, but got '${value.slice(0, 50)}'.`,
    param,
  );

/** The name of a file without folders and control characters, within the limit. */
const fileName = (name: string): string =>
  [...name.replace(/^.*[/\\]/s, '').replaceAll(/\p{Cc}/gu, '')]
    .slice(0, MAX_CHARS.fileName)
    .join('')
    .trim();
