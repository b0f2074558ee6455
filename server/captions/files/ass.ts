/**
 * Reads and writes Advanced SubStation Alpha as libass, VLC, mpv and FFmpeg do
 * (http://www.tcax.org/docs/ass-specs.htm). Times are hundredths of a second.
 */
import type { Caption } from '../cue.ts';
import { isRightToLeft } from './direction.ts';
import { hidesWords, withoutTags } from './missing-text.ts';
import {
  placeBlock,
  colourBlock,
  type LookRun,
  markedRuns,
  cueOfRuns,
  fileLines,
  portableSpeakers,
  readCue,
  type Reading,
  type ReadCue,
  readOverrides,
  withoutOverrides,
} from './portable-captions.ts';

/** White with a black edge, at the bottom in the middle; sizes refer to a picture of 1920 × 1080. */
const head = (encoding: number, before: string) => `[Script Info]
ScriptType: v4.00+
PlayResX: 1920
PlayResY: 1080
WrapStyle: 0
ScaledBorderAndShadow: yes

[V4+ Styles]
Format: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, Bold, Italic, Underline, StrikeOut, ScaleX, ScaleY, Spacing, Angle, BorderStyle, Outline, Shadow, Alignment, MarginL, MarginR, MarginV, Encoding
Style: Default,Arial,64,&H00FFFFFF,${before},&H00000000,&H80000000,0,0,0,0,100,100,0,0,1,4,0,2,96,96,54,${encoding}

[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
`;

/** The colour of words that are still to be said, in karaoke; elsewhere it is not seen. */
const [WHITE_BEFORE, GREY_BEFORE] = ['&H00FFFFFF', '&H00A0A0A0'];

/** The character set that every player takes for text in Unicode. */
const ANY_ENCODING = 1;
/**
 * Makes libass, and players built on it, determine the direction of each line from its letters; otherwise every line
 * runs from left to right, and its final full stop ends up on the wrong side.
 */
const BY_LETTERS = -1;

/** Separates the speakers of a caption whose lines have different ones. */
const BETWEEN_NAMES = ';';

/**
 * Writes captions as an ASS document. The speakers of a caption go into its name field. ASS has no escapes, so commas
 * and semicolons in names, braces, and the backslash of `\N` are replaced by look-alikes.
 * @example
 * toAss([{ start: 0, end: 1, lines: ['Hello'] }]).split('\n').at(-2);
 * // => 'Dialogue: 0,0:00:00.00,0:00:01.00,Default,,0,0,0,,Hello'
 */
export const toAss = (
  cues: readonly Caption[],
  { language = '' }: { language?: string } = {},
): string =>
  head(
    isRightToLeft(language) ? BY_LETTERS : ANY_ENCODING,
    cues.some(({ words }) => words) ? GREY_BEFORE : WHITE_BEFORE,
  ) +
  cues
    .map((cue) => {
      const [start, end] = hundredths(cue);
      const lines = markedRuns(cue, ['colours', 'words']);
      const karaoke = karaokeOf(lines, start, end);
      const text = lines
        .map((runs) =>
          runs
            .map((run) => {
              const { text, italic, colour } = run;
              const plain = withoutOverrides(text);
              const shown = italic ? `{\\i1}${plain}{\\i0}` : plain;
              const coloured = colour ? `${colourBlock(colour)}${shown}{\\c}` : shown;
              return `${karaoke.get(run) ?? ''}${coloured}`;
            })
            .join(''),
        )
        .join('\\N');
      return `Dialogue: 0,${time(start)},${time(end)},Default,${namesOf(cue)},0,0,0,,${placeBlock(cue.placement)}${text}\n`;
    })
    .join('');

/** A caption's times; never of zero length, because some players show such a caption until the next one. */
function hundredths({ start, end }: Caption): [number, number] {
  const from = Math.round(start * 100);
  return [from, Math.max(from + 1, Math.round(end * 100))];
}

/** The blocks before words: how long each is said, in hundredths of a second. The first may wait. */
function karaokeOf(
  lines: readonly (readonly LookRun[])[],
  start: number,
  end: number,
): Map<LookRun, string> {
  const timed = lines
    .flat()
    .flatMap((run) =>
      run.starts === undefined
        ? []
        : [{ run, from: Math.min(end, Math.max(start, Math.round(run.starts * 100))) }],
    );
  return new Map(
    timed.map(({ run, from }, at) => {
      const wait = at === 0 && from > start ? `{\\k${from - start}}` : '';
      return [run, `${wait}{\\k${(timed[at + 1]?.from ?? end) - from}}`];
    }),
  );
}

const pad = (value: number): string => String(value).padStart(2, '0');

const time = (hundredths: number): string =>
  `${Math.floor(hundredths / 360_000)}:${pad(Math.floor(hundredths / 6000) % 60)}:${pad(
    Math.floor(hundredths / 100) % 60,
  )}.${pad(hundredths % 100)}`;

function namesOf(cue: Caption): string {
  const names = portableSpeakers(cue).map((name) =>
    name.replaceAll(',', '‚').replaceAll(';', '；'),
  );
  return new Set(names).size < 2 ? (names[0] ?? '') : names.join(BETWEEN_NAMES);
}

/** What a line of events may begin with. */
const EVENTS = new Set(['Format', 'Dialogue', 'Comment', 'Picture', 'Sound', 'Movie', 'Command']);

/** The fields of an event in a document that does not list them. */
const FIELDS = 'layer,start,end,style,name,marginl,marginr,marginv,effect,text'.split(',');

/**
 * Reads an ASS or SSA document: its dialogue in order of time, with italics, colours, positions and names. Comments and
 * other kinds of events are no captions.
 */
export function readAss(document: string, { unread = () => {} }: Reading = {}): ReadCue[] {
  const cues: ReadCue[] = [];
  let fields = FIELDS;
  let section = '';
  for (const [at, line] of fileLines(document).entries()) {
    // A mark of byte order counts as white space.
    const [, heading] = /^\s*\[([^\]]+)\]\s*$/.exec(line) ?? [];
    if (heading) section = heading.toLowerCase();
    if (heading || line.trim() === '') continue;
    const [, key, value = ''] = /^\s*([A-Za-z]+):\s?(.*)$/.exec(line) ?? [];
    // Dialogue counts wherever it stands; a heading may be damaged.
    const isEvent = section === 'events' || key === 'Dialogue' || EVENT_TIMES.test(line);
    if (!isEvent || (key !== 'Dialogue' && /^\s*(?:;|!:)/.test(line))) continue;
    if (key === 'Format') fields = value.split(',').map((name) => name.trim().toLowerCase());
    const isAttached = section === 'fonts' || section === 'graphics';
    const cue = key === 'Dialogue' && !isAttached ? readDialogue(value, fields) : null;
    if (cue) {
      cues.push(cue);
      if (hidesWords(besides(value, fields), cue)) {
        unread({ line: at + 1, text: line, reason: 'a part of it is no text of a caption' });
      }
    } else if (key === 'Dialogue') {
      unread({ line: at + 1, text: line, reason: 'its times or its text cannot be read' });
    } else if (!EVENTS.has(key ?? '')) {
      unread({ line: at + 1, text: line, reason: 'it is no event' });
    }
  }
  return cues.sort((one, other) => one.start - other.start);
}

/** Matches the times of an event. */
const EVENT_TIMES = /,\s*\d{1,4}:\d\d:\d\d\.\d\d\s*,\s*\d{1,4}:\d\d:\d\d\.\d\d/;

/** Matches the effects that scripts and players know. */
const EFFECT = /^\s*(?:!effect|banner|scroll|karaoke|fx|code|template|kara)\b/i;

/** The words of an event in blocks, in drawings, and in fields that should have none. */
function besides(value: string, fields: readonly string[]): string {
  const parts = value.split(',');
  const at = fields.indexOf('text');
  const others = fields.slice(0, at).flatMap((name, n) => {
    const part = parts[n] ?? '';
    return /^margin|^effect/.test(name) && !EFFECT.test(part) ? [part.replaceAll(/\d/g, '')] : [];
  });
  const text = parts.slice(at).join(',');
  const blocks = text.match(/\{[^{}]*\}/g) ?? [];
  const drawn = /\\p[1-9]/.test(text) ? [text.replaceAll(/\{[^{}]*\}|[\d.-]+/g, ' ')] : [];
  return [...others, ...blocks.map(withoutTags), ...drawn].join(' ');
}

function readDialogue(value: string, fields: readonly string[]): ReadCue | null {
  const parts = value.split(',');
  const named = (name: string): string => parts[fields.indexOf(name)] ?? '';
  const [start, end] = [readTime(named('start')), readTime(named('end'))];
  const at = fields.indexOf('text');
  if (start === null || end === null || at < 0 || parts.length <= at) return null;
  // The text is the last field, so it may contain commas.
  const text = parts.slice(at).join(',');
  const { lines, placement } = readOverrides([{ text }], undefined, start);
  const shown = lines.filter(hasText);
  const name = (fields.includes('actor') ? named('actor') : named('name')).trim();
  const names = name.split(BETWEEN_NAMES);
  const speakerOf = (index: number): string =>
    names.length === shown.length ? names[index]!.trim() : name;
  if (shown.length === 0) return readCue(start, end, [{ text: '', speaker: name }], placement);
  return cueOfRuns(
    start,
    end,
    shown.map((runs, index) => runs.map((run) => ({ ...run, speaker: speakerOf(index) }))),
    placement,
  );
}

const hasText = (runs: readonly { text: string }[]): boolean =>
  runs.some(({ text }) => text.trim() !== '');

function readTime(text: string): number | null {
  const match = /^\s*(\d+):(\d{1,2}):(\d{1,2})[.:](\d{1,3})\s*$/.exec(text);
  if (!match) return null;
  const [, hours, minutes, seconds, fraction = ''] = match;
  const ms = Number(fraction.padEnd(3, '0'));
  return (
    (Number(hours) * 3_600_000 + Number(minutes) * 60_000 + Number(seconds) * 1000 + ms) / 1000
  );
}
