/**
 * Writes captions as JSON, and reads it: our own, and the transcripts of whisper, whisper.cpp, OpenAI, Deepgram,
 * AssemblyAI, Google, Amazon, Azure, Vosk, podcasts and YouTube.
 */
import { makeCue, type Caption, type Placement } from '../cue.ts';
import { overheard, reportMissing } from './missing-text.ts';
import { dividedWords, type Word } from './divided-words.ts';
import { readCue, type Reading, type ReadCue, type UnreadLine } from './portable-captions.ts';

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
export function readJson(document: string, { unread, details }: Reading = {}): ReadCue[] {
  let signs = 0;
  for (let at = 0; at < document.length; at += 1) {
    const code = document.charCodeAt(at);
    if (code === 0x2c || code === 0x5b || code === 0x7b) signs += 1;
  }
  if (signs > MOST_SIGNS) throw new SyntaxError('Not captions: too many values.');
  const heard = overheard(unread);
  const { root, isDamaged } = rootOf(document.replace(/^\ufeff/, ''), heard.unread);
  const whole = fieldsOf(fieldsOf(root)['result'] ?? root);
  const language = textOf(whole['language'] ?? whole['language_code']);
  if (/^[a-z]{2,3}(?:[-_]\w+)?$/i.test(language))
    details?.({ language: language.replace('_', '-') });
  const found =
    ownCues(whole, heard.unread) ??
    segments(Array.isArray(root) ? root : (whole['segments'] ?? whole['chunks']), heard.unread) ??
    whisperCpp(whole['transcription']) ??
    google(whole['results'], language) ??
    aws(whole['items'] ?? fieldsOf(whole['results'])['items'], language) ??
    azure(whole['recognizedPhrases']) ??
    deepgram(whole) ??
    assemblyAi(whole) ??
    youTube(whole['events']) ??
    wordsAlone(whole['words'] ?? fieldsOf(root)['result'] ?? root, language);
  const read = found.filter((cue, at) => {
    const isRead = Number.isFinite(cue.start) && Number.isFinite(cue.end) && cue.start >= 0;
    if (!isRead) {
      const text = [...(cue.speakers ?? []).slice(0, 1), ...cue.lines].join(' ');
      heard.unread({ line: at + 1, text, reason: 'its times cannot be read' });
    }
    return isRead;
  });
  if (isDamaged && read.length > 0) reportMissing(textsIn(document), read, heard);
  return read;
}

/** What stands between the quotation marks of a damaged document, apart from names of fields and values of other kinds. */
function textsIn(document: string): { line: number; text: string }[] {
  const pieces = document.split('"');
  let next = 1;
  return pieces.flatMap((piece, at) => {
    const line = next;
    next += piece.split('\n').length - 1;
    const isNamed = pieces[at + 1]?.trimStart().startsWith(':') === true;
    const isName = isNamed && /^\w{1,24}$/.test(piece);
    if (isName || !/\p{L}{2}/u.test(piece) || NO_TEXT.test(piece)) return [];
    const text = piece
      .replaceAll(/\\u([\da-f]{4})/gi, (_, code: string) =>
        String.fromCharCode(Number.parseInt(code, 16)),
      )
      .replaceAll(/\\./g, ' ');
    return [{ line, text }];
  });
}

/** Matches signs and values of JSON that are no texts. */
const NO_TEXT = /^[\s:,[\]{}\d.-]*(?:null|true|false)[\s:,[\]{}\d.-]*$/;

/** Matches an object in which there are no others: a caption, a segment, a word. */
const OBJECTS = /\{[^{}]*\}/g;

/**
 * The value of a document; of one that breaks off as far as it goes, of another damaged one its objects that are whole,
 * which is reported.
 */
function rootOf(
  document: string,
  unread: NonNullable<Reading['unread']>,
): { root: unknown; isDamaged: boolean } {
  try {
    return { root: JSON.parse(document), isDamaged: false };
  } catch (error) {
    let root: unknown;
    try {
      root = JSON.parse(closed(document));
    } catch {
      const whole = Array.from(document.matchAll(OBJECTS), ([object]) => valueOf(object));
      root = whole.filter((each) => each !== null);
      if (!Array.isArray(root) || root.length === 0) throw error;
    }
    unread({ line: 0, text: '', reason: 'the JSON is damaged: what follows may be missing' });
    return { root, isDamaged: true };
  }
}

/** A document that breaks off, with the ends of all that is open. */
function closed(document: string): string {
  const ends: string[] = [];
  let isText = false;
  for (let at = 0; at < document.length; at += 1) {
    const sign = document[at]!;
    if (isText) {
      if (sign === '\\') at += 1;
      else if (sign === '"') isText = false;
    } else if (sign === '"') isText = true;
    else if (sign === '{' || sign === '[') ends.push(sign === '{' ? '}' : ']');
    else if (sign === '}' || sign === ']') ends.pop();
  }
  const whole = isText
    ? `${document.replace(/\\(?:u[\da-f]{0,3})?$/i, '')}"`
    : document.replace(/[\s,]$/, '');
  return whole + ends.toReversed().join('');
}

function valueOf(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}

/** The captions of our own files and results; those that are not whole are reported. */
function ownCues(whole: Fields, unread: NonNullable<Reading['unread']>): ReadCue[] | null {
  const cues = whole['cues'] ?? fieldsOf(whole['captions'])['cues'];
  if (!Array.isArray(cues)) return null;
  const read = listOf(cues).map((cue, at): ReadCue | null => {
    const { start, end, lines, speakers, placement } = cue;
    const isWhole =
      typeof start === 'number' &&
      typeof end === 'number' &&
      Array.isArray(lines) &&
      lines.every((line) => typeof line === 'string');
    if (!isWhole) return null;
    const said = textOf(cue['text']);
    const bare = (text: string): string => text.replaceAll(/<\/?i>|\s/gi, '');
    if (said !== '' && bare(said) !== bare(lines.join(''))) {
      unread({ line: at + 1, text: said, reason: 'its text is not that of its lines' });
    }
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
  return read.flatMap((cue, at) => {
    if (cue) return cue;
    const text = textOf(fieldsOf(cues[at])['text']) || JSON.stringify(cues[at]);
    unread({ line: at + 1, text, reason: 'it is no whole caption' });
    return [];
  });
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
function segments(value: unknown, unread: NonNullable<Reading['unread']>): ReadCue[] | null {
  const all = listOf(value);
  if (all.length === 0) return null;
  const unknown: UnreadLine[] = [];
  const read = all.map((segment, at): ReadCue => {
    const [from, to] = Array.isArray(segment['timestamp']) ? segment['timestamp'] : [];
    const start = numberOf(segment['start'] ?? segment['startTime'] ?? from);
    const end = numberOf(segment['end'] ?? segment['endTime'] ?? to);
    const lines = segment['lines'];
    const text =
      textOf(segment['text'] ?? segment['body']) ||
      (Array.isArray(lines) ? lines.map(textOf).join('\n') : '');
    const hasText = ['text', 'body', 'lines'].some((name) => name in segment);
    if (!hasText && Object.keys(segment).length > 0) {
      const reason = 'it has no text by a name that is known';
      unknown.push({ line: at + 1, text: JSON.stringify(segment), reason });
    }
    return cueOf(start, end, text, textOf(segment['speaker']));
  });
  if (unknown.length < all.length) for (const line of unknown) unread(line);
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

/** The words of programs that write nothing else. */
const wordsAlone = (value: unknown, language: string): ReadCue[] =>
  words(value, 1).length > 0 ? dividedWords(words(value, 1), language) : [];

/** The segments of whisper.cpp, in milliseconds. */
function whisperCpp(value: unknown): ReadCue[] | null {
  const all = listOf(value);
  return all.length === 0
    ? null
    : all.map((segment) => {
        const { from, to } = fieldsOf(segment['offsets']);
        return cueOf(numberOf(from) / 1000, numberOf(to) / 1000, textOf(segment['text']));
      });
}

/** The seconds of Google's durations, such as `1.500s`. */
const secondsOf = (value: unknown): number =>
  numberOf(typeof value === 'string' ? value.replace(/s$/, '') : value);

/** The best alternative of each result of Google's Speech-to-Text. */
function google(value: unknown, language: string): ReadCue[] | null {
  const all = listOf(value).flatMap((result) => {
    const [best = {}] = listOf(result['alternatives']);
    return listOf(best['words']).map((word) => ({
      text: textOf(word['word']),
      start: secondsOf(word['startTime'] ?? word['startOffset'] ?? 0),
      end: secondsOf(word['endTime'] ?? word['endOffset']),
      speaker: '',
    }));
  });
  return all.length === 0 ? null : dividedWords(all, language);
}

/** The items of Amazon Transcribe: words, and signs without times that follow them. */
function aws(value: unknown, language: string): ReadCue[] | null {
  const all: Word[] = [];
  for (const item of listOf(value)) {
    const [best = {}] = listOf(item['alternatives']);
    const text = textOf(best['content']);
    const last = all.at(-1);
    if (item['type'] === 'punctuation' && last) last.text += text;
    else {
      const speaker = textOf(item['speaker_label']);
      const [start, end] = [numberOf(item['start_time']), numberOf(item['end_time'])];
      all.push({ text, start, end, speaker });
    }
  }
  return all.length === 0 ? null : dividedWords(all, language);
}

/** The phrases of Azure's speech service, in ticks of a ten-millionth of a second. */
function azure(value: unknown): ReadCue[] | null {
  const all = listOf(value).map((phrase) => {
    const [best = {}] = listOf(phrase['nBest']);
    const start = numberOf(phrase['offsetInTicks']) / 10_000_000;
    const end = start + numberOf(phrase['durationInTicks']) / 10_000_000;
    const { speaker } = phrase;
    const name = typeof speaker === 'number' ? `Speaker ${speaker}` : '';
    return cueOf(start, end, textOf(best['display']), name);
  });
  return all.length === 0 ? null : all;
}

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
