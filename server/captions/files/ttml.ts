/**
 * Reads TTML of any profile (IMSC, EBU-TT-D, Netflix's DFXP, YouTube's), and writes it in the text profile of IMSC 1.1
 * (https://www.w3.org/TR/ttml-imsc1.1/), which broadcasters and streaming services accept.
 */
import { formatTimestamp, frameRateOf } from '../timestamps.ts';
import { type FrameCount, frameOfFields } from '../time-code.ts';
import type { Caption, Placement, Row } from '../cue.ts';
import { readColour } from './colours.ts';
import { isRightToLeft } from './direction.ts';
import { agentId, agentsOf, regionOf, SAFE_EDGE, type TtmlRegion } from './ttml-parts.ts';
import { attribute, readXml, type XmlElement, xmlText } from './xml.ts';
import {
  type CaptionFileOptions,
  cueOfRuns,
  type FileDetails,
  type LookRun,
  placementOf,
  type ReadCue,
  type Reading,
  type ReadRun,
  spokenLines,
  WHITE,
} from './portable-captions.ts';

/**
 * Writes captions as a TTML document. Speakers become agents, positions regions, and italics a style. The language sets
 * the direction of lines, including those that begin with a foreign word.
 * @throws {RangeError} for a time before the beginning
 * @example
 * toTtml([{ start: 0, end: 1, lines: ['Hello'] }], { language: 'en' }).includes('>Hello</span>'); // => true
 */
export function toTtml(cues: readonly Caption[], options: CaptionFileOptions = {}): string {
  const agents = new Map<string, string>();
  const regions = new Map<string, string>();
  const body = cues.map((cue) => {
    const region = regionOf(cue);
    regions.set(region.id, regionElement(region));
    const text = spokenLines(cue)
      .map(({ speaker, lines }) => spanOf(lines, agentId(agents, speaker)))
      .join('<br/>');
    return `      <p begin="${formatTimestamp(cue.start, '.')}" end="${formatTimestamp(cue.end, '.')}" region="${region.id}">${text}</p>\n`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>
<tt xmlns="http://www.w3.org/ns/ttml" xmlns:ttp="http://www.w3.org/ns/ttml#parameter" xmlns:tts="http://www.w3.org/ns/ttml#styling" xmlns:ttm="http://www.w3.org/ns/ttml#metadata" ttp:contentProfiles="http://www.w3.org/ns/ttml/profile/imsc1.1/text" ttp:timeBase="media"${rateOf(options.frameRate)} xml:lang="${xmlText(options.language ?? '')}" xml:space="preserve">
  <head>
${agents.size === 0 ? '' : `    <metadata>\n${agentsOf(agents)}    </metadata>\n`}    <styling>
      <style xml:id="text" tts:fontFamily="proportionalSansSerif" tts:fontSize="100%" tts:lineHeight="125%" tts:color="white" tts:backgroundColor="black"/>
      <style xml:id="italic" tts:fontStyle="italic"/>
    </styling>
    <layout>
${[...regions.values()].join('') || regionElement(regionOf({}))}    </layout>
  </head>
  <body${isRightToLeft(options.language ?? '') ? ' tts:direction="rtl"' : ''}>
    <div>
${body.join('')}    </div>
  </body>
</tt>
`;
}

function spanOf(lines: readonly (readonly LookRun[])[], agent: string | null): string {
  const text = lines
    .map((runs) =>
      runs
        .map(({ text, italic, colour = WHITE }) => {
          const style = `text${italic ? ' italic' : ''}`;
          const own = colour === WHITE ? '' : ` tts:color="${colour}"`;
          return italic || own !== ''
            ? `<span style="${style}"${own}>${xmlText(text)}</span>`
            : xmlText(text);
        })
        .join(''),
    )
    .join('<br/>');
  return `<span style="text"${agent === null ? '' : ` ttm:agent="${agent}"`}>${text}</span>`;
}

const regionElement = ({ id, y, height, display, align }: TtmlRegion): string =>
  `      <region xml:id="${id}" tts:origin="10% ${y}%" tts:extent="80% ${height}%" tts:displayAlign="${display}" tts:textAlign="${align}"/>\n`;

function rateOf(frameRate: number | undefined): string {
  if (frameRate === undefined) return '';
  const { nominal, multiplier } = frameRateOf(frameRate);
  return ` ttp:frameRate="${nominal}"${multiplier === 1 ? '' : ' ttp:frameRateMultiplier="1000 1001"'}`;
}

/** The properties that an element passes on to its children. */
interface Inherited {
  /** Seconds; the end is Infinity if unknown. */
  begin: number;
  end: number;
  italic: boolean;
  colour: string | undefined;
  preserve: boolean;
  speaker: string;
  placement: Placement;
  row: Row | undefined;
  /** Whether its children follow one another. */
  inSequence: boolean;
}

interface Document {
  base: TimeBase;
  /** Styles, regions and agents by id. */
  named: ReadonlyMap<string, XmlElement>;
}

/** A line being read, with the times of its element. */
interface Found {
  runs: ReadRun[];
  at: Inherited;
}

/**
 * Reads a TTML document: its captions in order of time, with italics, positions and speakers. Texts within a paragraph
 * that have times of their own become separate captions.
 * @throws {SyntaxError} if it is not XML
 */
export function readTtml(source: string, reading: Reading = {}): ReadCue[] {
  const root = readXml(source);
  const named = new Map<string, XmlElement>();
  for (const element of elementsIn(root)) {
    const id = attribute(element, 'id', '/namespace') ?? attribute(element, 'id');
    if (id !== undefined) named.set(id, element);
  }
  const document = { base: timeBaseOf(root), named };
  reading.details?.(detailsOf(root, document.base));
  const unread = reading.unread ?? (() => {});
  const cues: ReadCue[] = [];
  const start: Inherited = {
    begin: 0,
    end: Number.POSITIVE_INFINITY,
    italic: false,
    colour: undefined,
    preserve: false,
    speaker: '',
    placement: {},
    row: undefined,
    inSequence: false,
  };
  const walk = (element: XmlElement, own: Inherited) => {
    if (element.name === 'p') cues.push(...paragraph(element, own, document, unread));
    else if (element.name !== 'head') {
      for (const [child, at] of inTurn(element, own, document)) walk(child, at);
    }
  };
  walk(root, inherit(root, start, document));
  return cues.sort((one, other) => one.start - other.start);
}

/** The elements in another with what they inherit; those of a sequence begin when the one before has ended. */
function inTurn(
  element: XmlElement,
  own: Inherited,
  document: Document,
): [XmlElement, Inherited][] {
  let { begin } = own;
  return elements(element).map((child) => {
    const at = inherit(child, { ...own, begin }, document);
    if (own.inSequence && Number.isFinite(at.end)) begin = at.end;
    return [child, at];
  });
}

function detailsOf(root: XmlElement, { count }: TimeBase): FileDetails {
  const language = attribute(root, 'lang', '/namespace') ?? '';
  const hasRate = attribute(root, 'frameRate', '#parameter') !== undefined;
  return {
    ...(language !== '' && { language }),
    ...(hasRate && { frameRate: Math.round(count.rate * 1000) / 1000 }),
    ...(count.dropped > 0 && { dropFrame: true }),
  };
}

const elements = ({ children }: XmlElement): XmlElement[] =>
  children.filter((child) => typeof child !== 'string');

const elementsIn = (element: XmlElement): XmlElement[] => [
  element,
  ...elements(element).flatMap(elementsIn),
];

/** The properties that an element passes on. Its times are relative to its parent's. */
function inherit(element: XmlElement, above: Inherited, document: Document): Inherited {
  const { base, named } = document;
  const begin = above.begin + (readTtmlTime(attribute(element, 'begin'), base) ?? 0);
  const end = readTtmlTime(attribute(element, 'end'), base);
  const lasts = readTtmlTime(attribute(element, 'dur'), base);
  const ends = [
    above.end,
    ...(end === null ? [] : [above.begin + end]),
    ...(lasts === null ? [] : [begin + lasts]),
  ];
  const space = attribute(element, 'space', '/namespace');
  const agent = attribute(element, 'agent', '#metadata');
  const style = styleOf(element, 'fontStyle', document);
  const region = named.get(attribute(element, 'region') ?? '');
  const colour = styleOf(element, 'color', document);
  return {
    begin,
    end: Math.min(...ends),
    italic: style === undefined ? above.italic : style === 'italic' || style === 'oblique',
    colour: colour === undefined ? above.colour : readColour(colour),
    preserve: space === undefined ? above.preserve : space === 'preserve',
    speaker: agent === undefined ? above.speaker : nameOf(agent, named),
    placement: region ? regionPlacement(region, document) : above.placement,
    row: region ? regionRow(region, document) : above.row,
    inSequence: attribute(element, 'timeContainer') === 'seq',
  };
}

/** The value of a style on an element: its own, otherwise that of the styles it references, the last first. */
function styleOf(
  element: XmlElement,
  name: string,
  document: Document,
  depth = 0,
): string | undefined {
  const own = attribute(element, name, '#styling') ?? attribute(element, name, '#style-extension');
  if (own !== undefined || depth > 8) return own;
  const ids = (attribute(element, 'style') ?? '').split(/\s+/).filter(Boolean);
  for (const id of ids.toReversed()) {
    const style = document.named.get(id);
    const value = style && styleOf(style, name, document, depth + 1);
    if (value !== undefined) return value;
  }
  // A region may contain styles as child elements.
  for (const style of elements(element).filter((child) => child.name === 'style')) {
    const value = styleOf(style, name, document, depth + 1);
    if (value !== undefined) return value;
  }
  return undefined;
}

function regionPlacement(region: XmlElement, document: Document): Placement {
  const display = styleOf(region, 'displayAlign', document) ?? 'before';
  const [, top] = (styleOf(region, 'origin', document) ?? '').split(/\s+/);
  const [, height] = (styleOf(region, 'extent', document) ?? '').split(/\s+/);
  const text = styleOf(region, 'textAlign', document);
  // The vertical position of its text, as a percentage of the picture's height.
  const [from, tall] = [percent(top, 0), percent(height, 100)];
  const at = from + tall * (display === 'before' ? 0 : display === 'center' ? 0.5 : 1);
  const vertical = at < 40 ? 'top' : at < 65 ? 'middle' : 'bottom';
  const align =
    text === 'start' || text === 'left'
      ? 'start'
      : text === 'end' || text === 'right'
        ? 'end'
        : 'center';
  return placementOf(vertical, align);
}

/** The row of a region whose text begins at its upper edge, unless that is the edge of the safe area. */
function regionRow(region: XmlElement, document: Document): Row | undefined {
  const [, top] = (styleOf(region, 'origin', document) ?? '').split(/\s+/);
  const display = styleOf(region, 'displayAlign', document) ?? 'before';
  const y = percent(top, Number.NaN);
  if (display !== 'before' || Number.isNaN(y) || y <= SAFE_EDGE || y >= 100 - SAFE_EDGE) {
    return undefined;
  }
  const share = (y - SAFE_EDGE) / (100 - 2 * SAFE_EDGE);
  return { first: Math.round(share * 100) + 1, of: 100 };
}

const percent = (text: string | undefined, otherwise: number): number =>
  /^\d+(?:\.\d+)?%$/.test(text ?? '') ? Number.parseFloat(text ?? '') : otherwise;

function nameOf(agent: string, named: ReadonlyMap<string, XmlElement>): string {
  const element = named.get(agent.trim().split(/\s+/)[0]!);
  const name = element && elements(element).find((child) => child.name === 'name');
  return name ? textIn(name).replace(/\s+/g, ' ').trim() : '';
}

const textIn = (element: XmlElement): string =>
  element.children.map((child) => (typeof child === 'string' ? child : textIn(child))).join('');

/** The captions of a paragraph: one, or one for each of its texts with times of its own. */
function paragraph(
  element: XmlElement,
  own: Inherited,
  document: Document,
  unread: NonNullable<Reading['unread']>,
): ReadCue[] {
  const lines: Found[] = [];
  const say = (text: string, at: Inherited) => {
    const last = lines.at(-1);
    let plain = text.replace(at.preserve ? /[\n\r\t]/g : /\s+/g, ' ');
    // White space collapses to one space, even across elements.
    const before = last?.runs.at(-1)?.text ?? '';
    if (!at.preserve && /(?:^|\s)$/.test(before)) plain = plain.trimStart();
    if (plain === '') return;
    if (!last || last.at.begin !== at.begin || last.at.end !== at.end) lines.push({ runs: [], at });
    const { italic, colour, speaker } = at;
    const line = lines.at(-1)!;
    if (line.runs.length === 0) line.at = at;
    line.runs.push({ text: plain, italic, colour, speaker });
  };
  const walk = (inside: XmlElement, at: Inherited) => {
    const parts = new Map(inTurn(inside, at, document));
    for (const child of inside.children) {
      if (typeof child === 'string') say(child, at);
      else if (child.name === 'br') lines.push({ runs: [], at });
      else if (child.name === 'span') walk(child, parts.get(child)!);
    }
  };
  walk(element, own);
  const cues: ReadCue[] = [];
  const hasText = ({ runs }: Found): boolean => runs.some(({ text }) => text.trim() !== '');
  for (const group of groupBy(lines.filter(hasText))) {
    const [{ at }] = group;
    if (Number.isFinite(at.end) && at.end > at.begin) {
      const runs = group.map((line) => line.runs);
      const cue = cueOfRuns(at.begin, at.end, runs, at.placement);
      cues.push(at.row ? { ...cue, row: at.row } : cue);
      continue;
    }
    const text = group.map(({ runs }) => runs.map((run) => run.text).join('')).join(' ');
    const reason = at.end <= at.begin ? 'it ends before it begins' : 'it has no end';
    unread({ line: 0, text: text.trim(), reason });
  }
  return cues;
}

function groupBy(lines: readonly Found[]): [Found, ...Found[]][] {
  const groups: [Found, ...Found[]][] = [];
  for (const line of lines) {
    const last = groups.at(-1);
    if (last && last[0].at.begin === line.at.begin && last[0].at.end === line.at.end) {
      last.push(line);
    } else groups.push([line]);
  }
  return groups;
}

/** The units of a document's times. */
interface TimeBase {
  frameRate: number;
  tickRate: number;
  /** How time code counts. */
  count: FrameCount;
  /** Whether times are time code. */
  isSmpte: boolean;
}

const positive = (text: string | undefined): number | undefined => {
  const value = Number(text);
  return value > 0 && Number.isFinite(value) ? value : undefined;
};

/** The time base of a document, from the attributes of its root; 30 frames a second by default. */
function timeBaseOf(root: XmlElement): TimeBase {
  const frameRate = positive(attribute(root, 'frameRate', '#parameter'));
  const [numerator, denominator] = (attribute(root, 'frameRateMultiplier', '#parameter') ?? '1 1')
    .split(/[\s:]+/)
    .map(positive);
  const multiplier = (numerator ?? 1) / (denominator ?? 1);
  const frames = (frameRate ?? 30) * multiplier;
  const tickRate = positive(attribute(root, 'tickRate', '#parameter'));
  const nominal = Math.max(1, Math.round(frameRate ?? 30));
  const drops = /^drop(?:NTSC)?$/i.test(attribute(root, 'dropMode', '#parameter') ?? '');
  const count = { rate: frames, nominal, dropped: drops && nominal % 30 === 0 ? nominal / 15 : 0 };
  const isSmpte = attribute(root, 'timeBase', '#parameter') === 'smpte';
  return { frameRate: frames, tickRate: tickRate ?? (frameRate ? frames : 1), count, isSmpte };
}

/** The seconds of a time expression; null if it is invalid. */
function readTtmlTime(text: string | undefined, base: TimeBase): number | null {
  if (text === undefined) return null;
  const clock = /^\s*(\d{2,}):(\d\d):(\d\d)(?:(\.\d+)|:(\d{2,})(?:\.\d+)?)?\s*$/.exec(text);
  if (clock) {
    const [, hours, minutes, seconds, fraction = '0', frames = '0'] = clock;
    if (base.isSmpte && clock[4] === undefined) {
      const { count } = base;
      const fields = [hours, minutes, seconds, frames].map(Number);
      return toMs(frameOfFields(fields as [number, number, number, number], count) / count.rate);
    }
    const whole = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
    return toMs(whole + Number(fraction) + Number(frames) / base.frameRate);
  }
  const [, count, metric = ''] = /^\s*(\d+(?:\.\d+)?)(h|m|s|ms|f|t)\s*$/.exec(text) ?? [];
  if (count === undefined) return null;
  const seconds: Record<string, number> = {
    h: 3600,
    m: 60,
    s: 1,
    ms: 0.001,
    f: 1 / base.frameRate,
    t: 1 / base.tickRate,
  };
  return toMs(Number(count) * (seconds[metric] ?? 1));
}

/** Rounds to milliseconds, the precision of captions. */
const toMs = (seconds: number): number => Math.round(seconds * 1000) / 1000;
