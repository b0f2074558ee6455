/** Writes the result of a run as OpenAI's API does. */
import { deflateSync } from 'node:zlib';
import { languageOf as languageNamed } from '../../captions/language.ts';
import { joinWords } from '../../captions/width.ts';
import type { CaptionerWorkflowError } from '../../contract/failure.ts';
import {
  type CaptionerCompletedResult,
  type CaptionerResult,
  wholeMilliseconds,
  type TranscriptWord,
} from '../../contract/results.ts';
import type { TranslationResult } from '../../contract/translations.ts';
import { withoutTags } from '../../translation/sentences.ts';
import { languageOf } from '../runs/run-representation.ts';
import { stringOf, type StoredText } from '../work/stored-texts.ts';
import type { Asked } from './asked.ts';
import type { Problem } from '../problems.ts';
import { refusal } from './errors.ts';
import { languageWord } from './languages.ts';
import { primarySubtag } from '../../models/registry.ts';
import { endsSentence } from '../../captions/punctuation.ts';

/** A sentence longer than this, in seconds, is divided at a pause or, at twice this, anywhere. */
const LONG_SECONDS = 15;
/** The length of the windows whose beginnings Whisper names `seek`, in seconds and in its frames. */
const WINDOW_SECONDS = 30;
const WINDOW_FRAMES = 3000;

type AskedAnswer = Asked['answer'];

/** A transcription as the text of a response. */
interface WrittenAnswer {
  text: string;
  /** The recogniser that heard the recording: `edge/moonshine-base`. */
  recogniser: string;
}

/** The order to write an answer: all that its task needs. */
interface AnswerOrder {
  result: StoredText;
  /** The result of the translation, if there is one. */
  translation: StoredText | null;
  answer: AskedAnswer;
  /** Whether to write the events that end a stream instead. */
  events: boolean;
}

/**
 * Writes an answer. A task.
 * @throws {Problem} the run was blocked or failed
 */
export function openAiAnswer({
  result: stored,
  translation,
  answer,
  events,
}: AnswerOrder): WrittenAnswer {
  const result: CaptionerResult = JSON.parse(stringOf(stored));
  if (result.status !== 'completed') throw refusalOf(result);
  const { provider, name, model } = result.transcript.metadata;
  const recogniser = [provider, model ?? name].filter((part) => typeof part === 'string').join('/');
  const said = translation === null ? heardIn(result) : translatedIn(translation);
  return {
    text: events ? lastEvents(result, answer) : written(result, said, answer),
    recogniser,
  };
}

/** A sentence, and its words. */
interface Segment {
  start: number;
  end: number;
  text: string;
  words: readonly TranscriptWord[];
}

/** A text, and its segments. */
interface Said {
  text: string;
  segments: () => Segment[];
}

/** What was recognised, by sentences. */
const heardIn = (result: CaptionerCompletedResult): Said => ({
  text: result.transcript.text,
  segments: () =>
    sentencesOf(result).map(([from, to]) => {
      const words = result.transcript.words.slice(from, to);
      const text = joinWords(words.map(({ text: word }) => word));
      return { start: words[0]!.start, end: words.at(-1)!.end, text, words };
    }),
});

/** What it means in another language, by sentences. */
function translatedIn(stored: StoredText): Said {
  const { sentences }: TranslationResult = JSON.parse(stringOf(stored));
  const plain = sentences.map(({ start, end, text }) => ({
    start,
    end,
    text: withoutTags(text),
    words: [],
  }));
  return { text: plain.map(({ text }) => text).join(' '), segments: () => plain };
}

function written(result: CaptionerCompletedResult, said: Said, answer: AskedAnswer): string {
  const { text } = said;
  switch (answer.format) {
    case 'srt':
    case 'vtt':
      // Caption files are made elsewhere.
      return '';
    case 'text':
      return `${text}\n`;
    case 'verbose_json':
      return JSON.stringify(verbose(result, said, answer));
    case 'diarized_json':
      return JSON.stringify(diarized(result, answer));
    case 'lines':
      return segmentLines(said.segments());
    case 'tsv':
      return segmentTable(said.segments());
    case 'segments':
      return JSON.stringify(whisperResult(result, said, answer.words));
    default:
      return JSON.stringify({ text, ...additions(result, answer), usage: usageOf(result) });
  }
}

/** The last events of a stream. */
function lastEvents(result: CaptionerCompletedResult, answer: AskedAnswer): string {
  const { text } = result.transcript;
  const segments = answer.format === 'diarized_json' ? diarized(result, answer).segments : [];
  const done = {
    type: 'transcript.text.done',
    text,
    ...additions(result, answer),
  };
  return [...segments, done].map(eventText).join('');
}

/** An event of a stream as text. */
export const eventText = (event: object): string => `data: ${JSON.stringify(event)}\n\n`;

/** The fields that only some requests get. */
function additions(result: CaptionerCompletedResult, { logprobs, model }: AskedAnswer) {
  return {
    ...(model === 'gpt-transcribe' && { languages: [{ code: languageOf(result) }] }),
    ...(logprobs && { logprobs: logprobsOf(result.transcript.words) }),
  };
}

/** The words with the logarithms of their confidences, where the recogniser reports them. */
function logprobsOf(words: readonly TranscriptWord[]) {
  const encoder = new TextEncoder();
  return words.flatMap(({ text, confidence }, at) => {
    if (confidence === undefined) return [];
    const token = at === 0 ? text : ` ${text}`;
    return [{ token, logprob: logarithm(confidence), bytes: [...encoder.encode(token)] }];
  });
}

/** The lowest logarithm of a confidence; JSON has no infinity. */
const LEAST_LOGPROB = -100;

const logarithm = (confidence: number): number =>
  Math.max(LEAST_LOGPROB, Math.round(Math.log(confidence) * 1e4) / 1e4);

const durationOf = ({ transcript }: CaptionerCompletedResult): number =>
  Number(transcript.metadata['duration'] ?? transcript.words.at(-1)?.end ?? 0);

const usageOf = (result: CaptionerCompletedResult) => ({
  type: 'duration',
  seconds: Math.ceil(durationOf(result)),
});

function verbose(result: CaptionerCompletedResult, said: Said, answer: AskedAnswer) {
  const { words } = result.transcript;
  return {
    task: answer.task,
    language: answer.task === 'translate' ? 'english' : languageWord(languageOf(result)),
    duration: durationOf(result),
    text: said.text,
    ...(answer.segments && {
      segments: said.segments().map((segment, id) => segmentOf(segment, id, answer.temperature)),
    }),
    ...(answer.words && {
      words: words.map(({ text: word, start, end }) => ({ word, start, end })),
    }),
    usage: usageOf(result),
  };
}

/** A transcript as Whisper's own JSON has it. */
function whisperResult(result: CaptionerCompletedResult, said: Said, withWords: boolean) {
  const wordsOf = (words: readonly TranscriptWord[]) =>
    words.map(({ text, start, end, confidence }) => ({
      word: ` ${text}`,
      start,
      end,
      ...(confidence !== undefined && { probability: confidence }),
    }));
  return {
    text: said.text,
    segments: said.segments().map((segment, id) => ({
      ...segmentOf(segment, id, 0),
      ...(withWords && segment.words.length > 0 && { words: wordsOf(segment.words) }),
    })),
    language: primarySubtag(languageOf(result)),
  };
}

const segmentLines = (segments: readonly Segment[]): string =>
  segments.map(({ text }) => `${text}\n`).join('');

/** The table whose times are whole milliseconds. */
const segmentTable = (segments: readonly Segment[]): string =>
  [
    'start\tend\ttext',
    ...segments.map(({ start, end, text }) =>
      [wholeMs(start), wholeMs(end), text.replaceAll(/\s/gu, ' ')].join('\t'),
    ),
    '',
  ].join('\n');

const wholeMs = (seconds: number): number => Math.round(1000 * seconds);

function segmentOf(
  { start, end, text: sentence, words }: Segment,
  id: number,
  temperature: number,
) {
  // As Whisper has it: the texts of all segments together are the whole text.
  const text = ` ${sentence}`;
  const confidences = words.flatMap(({ confidence }) => confidence ?? []);
  const sum = confidences.reduce((total, confidence) => total + logarithm(confidence), 0);
  return {
    id,
    seek: Math.floor(start / WINDOW_SECONDS) * WINDOW_FRAMES,
    start,
    end,
    text,
    // The recognisers here have different vocabularies, and one of words has none.
    tokens: [],
    temperature,
    avg_logprob: confidences.length === 0 ? 0 : Math.round((sum / confidences.length) * 1e4) / 1e4,
    compression_ratio: compressionOf(text),
    no_speech_prob: 0,
  };
}

/** How much a text can be compressed; one that repeats itself has more than 2.4. */
function compressionOf(text: string): number {
  const bytes = new TextEncoder().encode(text);
  return Math.round((bytes.byteLength / deflateSync(bytes).byteLength) * 1e4) / 1e4;
}

/** The sentences of a transcript, from the index of the first word up to but not including that after the last. */
function sentencesOf(
  result: CaptionerCompletedResult,
  endsToo: (at: number) => boolean = () => false,
): [from: number, to: number][] {
  const { words, utterances } = result.transcript;
  const language = languageNamed(languageOf(result));
  const pauses = new Set(utterances.map(({ lastWord }) => lastWord));
  const sentences: [number, number][] = [];
  let from = 0;
  for (const [at, { text, end }] of words.entries()) {
    const seconds = end - words[from]!.start;
    const isLong = seconds >= 2 * LONG_SECONDS || (seconds >= LONG_SECONDS && pauses.has(at));
    const ends =
      at === words.length - 1 ||
      isLong ||
      endsToo(at) ||
      endsSentence(text, words[at + 1]?.text, language);
    if (!ends) continue;
    sentences.push([from, at + 1]);
    from = at + 1;
  }
  return sentences;
}

function diarized(result: CaptionerCompletedResult, { known = [] }: { known?: readonly string[] }) {
  const { text, words } = result.transcript;
  const letters = new Map<string, string>();
  const letterOf = ({ speaker = '' }: TranscriptWord): string => {
    if (known.includes(speaker)) return speaker;
    const letter = letters.get(speaker) ?? speakerLetters(letters.size);
    letters.set(speaker, letter);
    return letter;
  };
  const changes = (at: number): boolean => words[at]?.speaker !== words[at + 1]?.speaker;
  return {
    task: 'transcribe',
    duration: wholeMilliseconds(durationOf(result)),
    text,
    segments: sentencesOf(result, changes).map(([from, to], at) => ({
      type: 'transcript.text.segment',
      id: `seg_${String(at + 1).padStart(3, '0')}`,
      start: words[from]!.start,
      end: words[to - 1]!.end,
      text: ` ${joinWords(words.slice(from, to).map(({ text: word }) => word))}`,
      speaker: letterOf(words[from]!),
    })),
    usage: usageOf(result),
  };
}

/** The label of the speaker with a number from 0: A to Z, then AA. */
const speakerLetters = (number: number): string => {
  const letter = String.fromCodePoint(65 + (number % 26));
  return number < 26 ? letter : speakerLetters(Math.floor(number / 26) - 1) + letter;
};

/** The error for a run that has no transcript. */
export function refusalOf(result: Exclude<CaptionerResult, CaptionerCompletedResult>) {
  if (result.status === 'blocked') {
    const message =
      'The recording was blocked by the content filter: moderation found speech that this service does not caption.';
    return refusal(400, 'content_filter', message, 'file', NOT_AGAIN);
  }
  return failureOf(result.error);
}

/** The error for a run or a translation that failed. */
export function failureOf({
  code,
  message,
  retryable,
}: Pick<CaptionerWorkflowError, 'code' | 'message' | 'retryable'>): Problem {
  const [status, param] = FAILURES[code] ?? [retryable ? 503 : 500, null];
  const known = status === 400 && param === 'file' ? 'invalid_value' : code;
  const again = status === 503 ? { 'retry-after': RETRY_SECONDS } : {};
  return refusal(status, known, message, param, retryable ? again : NOT_AGAIN);
}

/** When a model that could not be fetched, or a provider that failed, may be there. */
const RETRY_SECONDS = '60';

/** Tells OpenAI's clients that sending the same again would fail again. */
const NOT_AGAIN = { 'x-should-retry': 'false' };

/** The statuses of failed runs, and the field that the failure is about. */
const FAILURES: Record<string, [status: number, param: string | null]> = {
  audio_unreadable: [400, 'file'],
  audio_too_long: [400, 'file'],
  provider_not_configured: [400, 'model'],
  model_unavailable: [503, 'model'],
  language_unsupported: [400, 'language'],
  provider_rate_limited: [429, null],
  cancelled: [409, null],
};
