/**
 * Writes captions as JSON, and reads it: our own, and the transcripts of whisper, OpenAI, Deepgram, AssemblyAI, podcasts
 * and YouTube.
 */
import { jsonrepair } from 'jsonrepair';
import { makeCue, type Caption, type Placement } from '../cue.ts';
import { dividedWords, type Word } from './divided-words.ts';
import { readCue, type Reading, type ReadCue } from './portable-captions.ts';

/**
 * The value of a file.
 * @example
 * captionsAsJson([{ start: 0, end: 1, lines: ['Hello'] }]).cues[0]?.index; // => 1
 */
export const captionsAsJson = (cues: readonly Caption[]) => ({
  cues: cues.map(({ start, end, lines }, at) => makeCue(at + 1, start, end, [...lines])),
});

/** The most signs of values that a document may have, and the most captions or words of it. */
const [MOST_SIGNS, MOST_VALUES] = [4_000_000, 500_000];

/** Values of unknown kind by their names. */
type Fields = Record<string, unknown>;

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {};
const listOf = (value: unknown): Fields[] =>
  Array.isArray(value) ? value.slice(0, MOST_VALUES).map(fieldsOf) : [];
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const numberOf = (value: unknown): number =>
  typeof value === 'number'
    ? value
    : typeof value === 'string' && value !== ''
      ? Number(value)
      : Number.NaN;

/**
 * Reads captions from JSON, whatever program wrote it. Words without captions are divided by our own rules.
 * @throws {SyntaxError} if it is no JSON, or has too many values
 * @example
 * readJson('{"segments":[{"start":0,"end":1,"text":" Hello"}]}'); // => [{ start: 0, end: 1, lines: ['Hello'] }]
 */
export function readJson(
  document: string,
  { unread = () => {}, details }: Reading = {},
): ReadCue[] {
  let signs = 0;
  for (let at = 0; at < document.length; at += 1) {
    const code = document.charCodeAt(at);
    if (code === 0x2c || code === 0x5b || code === 0x7b) signs += 1;
  }
  if (signs > MOST_SIGNS) throw new SyntaxError('Not captions: too many values.');
  const root = rootOf(document.replace(/^\ufeff/, ''), unread);
  const whole = fieldsOf(fieldsOf(root)['result'] ?? root);
  const language = textOf(whole['language'] ?? whole['language_code']);
  if (/^[a-z]{2,3}(?:[-_]\w+)?$/i.test(language))
    details?.({ language: language.replace('_', '-') });
  const found =
    ownCues(whole) ??
    segments(Array.isArray(root) ? root : (whole['segments'] ?? whole['chunks'])) ??
    deepgram(whole) ??
    assemblyAi(whole) ??
    youTube(whole['events']) ??
    (words(whole['words'], 1).length > 0 ? dividedWords(words(whole['words'], 1), language) : []);
  return found.filter((cue, at) => {
    const isRead = Number.isFinite(cue.start) && Number.isFinite(cue.end) && cue.start >= 0;
    if (!isRead) {
      unread({ line: at + 1, text: cue.lines.join(' '), reason: 'its times cannot be read' });
    }
    return isRead;
  });
}

/** The value of a document; a damaged one is repaired as far as it can be, which is reported. */
function rootOf(document: string, unread: NonNullable<Reading['unread']>): unknown {
  try {
    return JSON.parse(document);
  } catch (error) {
    try {
      const root: unknown = JSON.parse(jsonrepair(document));
      unread({ line: 0, text: '', reason: 'the JSON is damaged: what follows may be missing' });
      return root;
    } catch {
      throw error;
    }
  }
}

/** The captions of our own files and results, only if all are whole. */
function ownCues(whole: Fields): ReadCue[] | null {
  const cues = whole['cues'] ?? fieldsOf(whole['captions'])['cues'];
  if (!Array.isArray(cues)) return null;
  const read = listOf(cues).map(({ start, end, lines, speakers, placement }): ReadCue | null => {
    const isWhole =
      typeof start === 'number' &&
      typeof end === 'number' &&
      Array.isArray(lines) &&
      lines.every((line) => typeof line === 'string');
    if (!isWhole) return null;
    const isNamed = Array.isArray(speakers) && speakers.every((name) => typeof name === 'string');
    const { vertical, align } = fieldsOf(placement);
    const place: Placement = {
      ...(vertical === 'top' || vertical === 'middle' ? { vertical } : {}),
      ...(align === 'start' || align === 'end' ? { align } : {}),
    };
    return {
      start,
      end,
      lines,
      ...(isNamed ? { speakers } : {}),
      ...(Object.keys(place).length > 0 ? { placement: place } : {}),
    };
  });
  return read.some((cue) => cue === null) ? [] : (read as ReadCue[]);
}

const cueOf = (start: number, end: number, text: string, speaker = ''): ReadCue =>
  readCue(
    start,
    end,
    text
      .split(/\r\n?|\n/)
      .map((line) => line.trim())
      .filter((line) => line !== '')
      .map((line) => ({ text: line, speaker })),
  );

/** The segments of whisper, of OpenAI's API, of whisper.cpp and of podcasts. */
function segments(value: unknown): ReadCue[] | null {
  const all = listOf(value);
  if (all.length === 0) return null;
  const read = all.map((segment): ReadCue => {
    const [from, to] = Array.isArray(segment['timestamp']) ? segment['timestamp'] : [];
    const start = numberOf(segment['start'] ?? segment['startTime'] ?? from);
    const end = numberOf(segment['end'] ?? segment['endTime'] ?? to);
    const text = textOf(segment['text'] ?? segment['body']);
    return cueOf(start, end, text, textOf(segment['speaker']));
  });
  return read.some(({ lines }) => lines.length > 0) ? read : null;
}

/** @param unit the seconds of one in its times */
const words = (value: unknown, unit: number): Word[] =>
  listOf(value).flatMap((word) => {
    const text = textOf(word['punctuated_word'] ?? word['text'] ?? word['word']).trim();
    const [start, end] = [numberOf(word['start']) * unit, numberOf(word['end']) * unit];
    const speaker = word['speaker'];
    const name = typeof speaker === 'number' ? `Speaker ${speaker + 1}` : textOf(speaker);
    return text === '' || !(end >= start) ? [] : [{ start, end, text, speaker: name }];
  });

function deepgram(whole: Fields): ReadCue[] | null {
  const { channels } = fieldsOf(whole['results']);
  const [channel] = listOf(channels);
  if (!channel) return null;
  const [alternative = {}] = listOf(channel['alternatives']);
  return dividedWords(words(alternative['words'], 1), textOf(channel['detected_language']));
}

/** AssemblyAI's times are milliseconds. */
function assemblyAi(whole: Fields): ReadCue[] | null {
  if (!('audio_duration' in whole || 'utterances' in whole || 'acoustic_model' in whole))
    return null;
  const utterances = listOf(whole['utterances']);
  const all = words(
    utterances.length > 0 ? utterances.flatMap(({ words: own }) => listOf(own)) : whole['words'],
    0.001,
  );
  return all.length === 0 ? null : dividedWords(all, textOf(whole['language_code']));
}

function youTube(events: unknown): ReadCue[] | null {
  const all = listOf(events).flatMap((event) => {
    const text = listOf(event['segs'])
      .map((part) => textOf(part['utf8']))
      .join('');
    const start = numberOf(event['tStartMs']) / 1000;
    const end = start + numberOf(event['dDurationMs']) / 1000;
    return text.trim() === '' ? [] : [cueOf(start, end, text)];
  });
  return all.length === 0 ? null : all;
}
