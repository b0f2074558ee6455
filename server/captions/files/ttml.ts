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
import { overheard, reportMissing } from './missing-text.ts';
import {
  attribute,
  damageIn,
  elements,
  elementsIn,
  readXml,
  textIn,
  type TextMarkup,
  textsBetweenTags,
  type XmlElement,
  xmlText,
} from './xml.ts';
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
    const text = spokenLines(cue, ['colours', 'ruby', 'dots', 'words'])
      .map(({ speaker, lines }) => spanOf(lines, agentId(agents, speaker), cue))
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

function spanOf(
  lines: readonly (readonly LookRun[])[],
  agent: string | null,
  cue: Caption,
): string {
  const text = lines.map((runs) => wordsOf(runs, cue)).join('<br/>');
  return `<span style="text"${agent === null ? '' : ` ttm:agent="${agent}"`}>${text}</span>`;
}

/** The runs of a line; a word with a time, which appears at it, is a span of its own with all of its runs. */
function wordsOf(runs: readonly LookRun[], { start }: Caption): string {
  let isOpen = false;
  const parts = runs.map((run) => {
    if (run.starts === undefined) return runOf(run);
    const before = isOpen ? '</span>' : '';
    isOpen = true;
    return `${before}<span begin="${(run.starts - start).toFixed(3)}s">${runOf(run)}`;
  });
  return parts.join('') + (isOpen ? '</span>' : '');
}

function runOf({ text, italic, colour = WHITE, reading, dots }: LookRun): string {
  const style = `text${italic ? ' italic' : ''}`;
  const own = `${colour === WHITE ? '' : ` tts:color="${colour}"`}${dots ? ' tts:textEmphasis="filled dot"' : ''}`;
  const shown = reading
    ? `<span tts:ruby="container"><span tts:ruby="base">${xmlText(text)}</span><span tts:ruby="text">${xmlText(reading)}</span></span>`
    : xmlText(text);
  return italic || own !== '' ? `<span style="${style}"${own}>${shown}</span>` : shown;
}

const regionElement = ({ id, y, height, display, align, inColumns }: TtmlRegion): string =>
  `      <region xml:id="${id}" tts:origin="10% ${y}%" tts:extent="80% ${height}%" tts:displayAlign="${display}" tts:textAlign="${align}"${inColumns ? ' tts:writingMode="tbrl"' : ''}/>\n`;

function rateOf(frameRate: number | undefined): string {
  if (frameRate === undefined) return '';
  const { nominal, multiplier } = frameRateOf(frameRate);
  return ` ttp:frameRate="${nominal}"${multiplier === 1 ? '' : ' ttp:frameRateMultiplier="1000 1001"'}`;
}

/** A stretch of time, in seconds; the end is Infinity if it is unknown. */
interface Times {
  begin: number;
  end: number;
}

/** Where and when a region shows its text. */
interface Place {
  placement: Placement;
  row: Row | undefined;
  columns: Caption['columns'];
  regionTimes: Times;
}

const placeOf = ({ placement, row, columns, regionTimes }: Place): Place => ({
  placement,
  row,
  columns,
  regionTimes,
});

const ALWAYS: Times = { begin: 0, end: Number.POSITIVE_INFINITY };

/** The properties that an element passes on to its children. */
interface Inherited extends Times, Place {
  italic: boolean;
  colour: string | undefined;
  preserve: boolean;
  speaker: string;
  dots: boolean;
  /** Whether its children follow one another. */
  inSequence: boolean;
  /** Whether it is not displayed. */
  isHidden: boolean;
}

interface Document {
  /** The namespace of its elements; others are foreign. */
  space: string;
  base: TimeBase;
  /** Styles, regions and agents by id. */
  named: ReadonlyMap<string, XmlElement>;
  /** The places of regions that were asked for. */
  places: Map<XmlElement, Place>;
  /** The values of styles that elements refer to, by the name of the value and their ids. */
  styles: Map<string, string | undefined>;
}

/** A line being read, with the times of its element. */
interface Found {
  runs: ReadRun[];
  at: Inherited;
  /** Whether it only has other times than the text before it, in the same line. */
  goesOn: boolean;
}

/**
 * Reads a TTML document: its captions in order of time, with italics, positions and speakers. Texts within a paragraph
 * that have times of their own become separate captions.
 * @throws {SyntaxError} if it is not XML
 */
export function readTtml(source: string, reading: Reading = {}): ReadCue[] {
  const heard = overheard(reading.unread);
  const { unread } = heard;
  const root = readXml(source, damageIn(source, unread));
  if (OTHERS.has(root.name)) throw new SyntaxError(`Not timed text: its root is ${root.name}.`);
  const named = new Map<string, XmlElement>();
  for (const element of elementsIn(root)) {
    const id = attribute(element, 'id', '/namespace') ?? attribute(element, 'id');
    if (id !== undefined) named.set(id, element);
  }
  const document = {
    space: root.space,
    base: timeBaseOf(root),
    named,
    places: new Map(),
    styles: new Map(),
  };
  reading.details?.(detailsOf(root, document.base));
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
    columns: undefined,
    dots: false,
    regionTimes: ALWAYS,
    inSequence: false,
    isHidden: false,
  };
  const walk = (element: XmlElement, own: Inherited, above: Inherited) => {
    if (element.name === 'p') {
      cues.push(...paragraph(element, own, document, unread));
      // Only where the end of a paragraph is missing, others are in it.
      for (const inside of paragraphsIn(element)) {
        walk(inside, inherit(inside, above, document), above);
      }
    } else if (element.name !== 'head') {
      for (const [child, at] of inTurn(element, own, document)) walk(child, at, own);
    }
  };
  walk(root, inherit(root, start, document), start);
  // What damage has made part of a tag is no text of any element.
  const texts = [...agentsIn(root), ...textsBetweenTags(source, TEXTS)];
  reportMissing(texts, cues, heard, elementsIn(root).some(isTimedSpan) ? 'parts' : 'lines');
  return withEnds(cues.sort((one, other) => one.start - other.start));
}

/** The roots of XML with captions that is not TTML, though its elements have the same names. */
const OTHERS = new Set(['timedtext', 'transcript']);

/** Whether an element is a part of a paragraph with times of its own, which may be another caption. */
const isTimedSpan = (element: XmlElement): boolean =>
  element.name === 'span' &&
  ['begin', 'end', 'dur'].some((name) => attribute(element, name) !== undefined);

/** The names of those who speak. */
const agentsIn = (root: XmlElement): { line: number; text: string }[] =>
  elementsIn(root).flatMap((element) =>
    element.name === 'name' || element.name === 'agent'
      ? [{ line: element.line, text: textIn(element) }]
      : [],
  );

const paragraphsIn = (element: XmlElement): XmlElement[] =>
  elements(element).flatMap((child) => (child.name === 'p' ? [child] : paragraphsIn(child)));

/** What the texts of a document are in. */
const TEXTS: TextMarkup = {
  begins: /<(?:[\w-]{1,40}:)?(?:body|p)[\s>]/,
  block: /^<(?:[\w-]{1,40}:)?p(?:\s[^<>]*)?>/,
  look: /^<\/?(?:[\w-]{1,40}:)?span[\s/>]/,
  about: /^<\/?(?:[\w-]{1,40}:)?(?:metadata|title|desc|copyright|agent|name|actor)[\s/>]/,
};

/** A caption without an end lasts until the next one, at most this many seconds, also after its last word. */
const LONGEST_OPEN = 5;

function withEnds(cues: readonly ReadCue[]): ReadCue[] {
  let next = Number.POSITIVE_INFINITY;
  return cues
    .toReversed()
    .map((cue, at, all) => {
      const after = all[at - 1]?.start ?? next;
      if (after > cue.start) next = after;
      if (Number.isFinite(cue.end)) return cue;
      return {
        ...cue,
        end: Math.min(next, (cue.words?.at(-1)?.start ?? cue.start) + LONGEST_OPEN),
      };
    })
    .toReversed();
}

/** The elements in another with what they inherit; those of a sequence begin when the one before has ended. */
function inTurn(
  element: XmlElement,
  own: Inherited,
  document: Document,
): [XmlElement, Inherited][] {
  let { begin } = own;
  return elements(element)
    .filter(({ name, space }) => IN_TIME.has(name) && space === document.space)
    .map((child) => {
      const at = inherit(child, { ...own, begin }, document);
      if (own.inSequence) begin = lastsUntil(child, at, document);
      return [child, at];
    });
}

/** The elements that have times. */
const IN_TIME = new Set(['body', 'div', 'p', 'span', 'br', 'head']);

/** The end of an element in a sequence: as it says, or when the last of what it contains ends. */
function lastsUntil(element: XmlElement, at: Inherited, document: Document): number {
  const says = ['end', 'dur'].some((name) => attribute(element, name) !== undefined);
  if (says || !at.inSequence) return Number.isFinite(at.end) ? at.end : at.begin;
  const [child, own] = inTurn(element, at, document).at(-1) ?? [];
  return child && own ? Math.min(at.end, lastsUntil(child, own, document)) : at.begin;
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

/** The properties that an element passes on. Its times are relative to its parent's. */
function inherit(element: XmlElement, above: Inherited, document: Document): Inherited {
  const { base, named } = document;
  // Most elements of a long document are line breaks, and say nothing.
  if (element.attributes.length === 0 && element.children.length === 0) {
    return above.inSequence ? { ...above, inSequence: false } : above;
  }
  const times = timesOf(element, above, base);
  const space = attribute(element, 'space', '/namespace');
  const agent = attribute(element, 'agent', '#metadata');
  const style = styleOf(element, 'fontStyle', document);
  const region = named.get(attribute(element, 'region') ?? '');
  const colour = styleOf(element, 'color', document);
  const dots = styleOf(element, 'textEmphasis', document);
  const shown = displayed(element, times, above.isHidden, document);
  return {
    ...shown,
    italic: style === undefined ? above.italic : style === 'italic' || style === 'oblique',
    colour: colour === undefined ? above.colour : readColour(colour),
    preserve: space === undefined ? above.preserve : space === 'preserve',
    speaker: agent === undefined ? above.speaker : nameOf(agent, named),
    ...placeOf(region ? regionPlace(region, document) : above),
    dots: dots === undefined ? above.dots : dots !== 'none',
    inSequence: attribute(element, 'timeContainer') === 'seq',
  };
}

/** The times of an element, and whether it is displayed in them: `set` shows what is hidden, or hides the rest. */
function displayed(
  element: XmlElement,
  { begin, end }: Times,
  isInHidden: boolean,
  document: Document,
): Times & { isHidden: boolean } {
  const isOff = styleOf(element, 'display', document) === 'none';
  const change = element.children.find(
    (child) =>
      typeof child !== 'string' &&
      child.name === 'set' &&
      attribute(child, 'display', '#styling') !== undefined,
  );
  if (typeof change !== 'object' || isInHidden)
    return { begin, end, isHidden: isInHidden || isOff };
  const hides = attribute(change, 'display', '#styling') === 'none';
  const times = timesOf(change, { begin, end }, document.base);
  // What is shown, hidden and shown again is shown.
  if (hides) return { begin, end: isOff || times.end < end ? end : times.begin, isHidden: isOff };
  return isOff ? { ...times, isHidden: false } : { begin, end, isHidden: false };
}

/** The times of an element, which are relative to those above it. */
function timesOf(element: XmlElement, above: Times, base: TimeBase): Times {
  const begin = above.begin + (readTtmlTime(attribute(element, 'begin'), base) ?? 0);
  const end = readTtmlTime(attribute(element, 'end'), base);
  const lasts = readTtmlTime(attribute(element, 'dur'), base);
  const ends = [
    above.end,
    ...(end === null ? [] : [above.begin + end]),
    ...(lasts === null ? [] : [begin + lasts]),
  ];
  return { begin, end: Math.min(...ends) };
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
  const ids = attribute(element, 'style');
  const referred = ids === undefined ? undefined : valueOfStyles(ids, name, document, depth);
  if (referred !== undefined) return referred;
  // A region may contain styles as child elements.
  for (const child of element.children) {
    if (typeof child === 'string' || child.name !== 'style') continue;
    const value = styleOf(child, name, document, depth + 1);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** The value of a style in those with the given ids, the last first. */
function valueOfStyles(
  ids: string,
  name: string,
  document: Document,
  depth: number,
): string | undefined {
  const key = `${name} ${ids}`;
  // From deeper, it may be cut off where styles refer to each other.
  if (depth === 0 && document.styles.has(key)) return document.styles.get(key);
  let value: string | undefined;
  for (const id of ids.split(/\s+/).filter(Boolean).toReversed()) {
    const style = document.named.get(id);
    value = style && styleOf(style, name, document, depth + 1);
    if (value !== undefined) break;
  }
  if (depth === 0) document.styles.set(key, value);
  return value;
}

function regionPlace(region: XmlElement, document: Document): Place {
  const known = document.places.get(region);
  const place = known ?? {
    placement: regionPlacement(region, document),
    row: regionRow(region, document),
    columns: regionColumns(region, document),
    regionTimes: timesOf(region, ALWAYS, document.base),
  };
  document.places.set(region, place);
  return place;
}

function regionPlacement(region: XmlElement, document: Document): Placement {
  const display = styleOf(region, 'displayAlign', document) ?? 'before';
  const [, top] = (styleOf(region, 'origin', document) ?? '').split(/\s+/);
  const [, height] = (styleOf(region, 'extent', document) ?? '').split(/\s+/);
  const text = styleOf(region, 'textAlign', document);
  const align =
    text === 'start' || text === 'left'
      ? 'start'
      : text === 'end' || text === 'right'
        ? 'end'
        : 'center';
  if (regionColumns(region, document)) return placementOf('bottom', align);
  // The vertical position of its text, as a percentage of the picture's height.
  const [from, tall] = [percent(top, 0), percent(height, 100)];
  const at = from + tall * (display === 'before' ? 0 : display === 'center' ? 0.5 : 1);
  const vertical = at < 40 ? 'top' : at < 65 ? 'middle' : 'bottom';
  return placementOf(vertical, align);
}

/** The edge at which a region has columns of text. */
function regionColumns(region: XmlElement, document: Document): Caption['columns'] {
  if (!styleOf(region, 'writingMode', document)?.startsWith('tb')) return undefined;
  const isAfter = styleOf(region, 'displayAlign', document) === 'after';
  return isAfter ? 'left' : 'right';
}

/** The row of a region whose text begins at its upper edge, unless that is the edge of the safe area. */
function regionRow(region: XmlElement, document: Document): Row | undefined {
  const [, top] = (styleOf(region, 'origin', document) ?? '').split(/\s+/);
  const display = styleOf(region, 'displayAlign', document) ?? 'before';
  const y = percent(top, Number.NaN);
  if (regionColumns(region, document)) return undefined;
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

/** The captions of a paragraph: one, or one for each of its texts with times of its own. */
function paragraph(
  element: XmlElement,
  own: Inherited,
  document: Document,
  unread: NonNullable<Reading['unread']>,
): ReadCue[] {
  const wrong = ['begin', 'end', 'dur'].find((name) => {
    const time = attribute(element, name);
    return time !== undefined && readTtmlTime(time, document.base) === null;
  });
  if (wrong !== undefined) {
    const reason = `its ${wrong} is no time, and is ignored`;
    unread({ line: element.line, text: textIn(element), reason });
  }
  const lines: Found[] = [];
  /** Without its base, a reading is text. */
  const say = (text: string, at: Inherited, reading = '') => {
    const last = lines.at(-1);
    let plain = text.replace(at.preserve ? /[\n\r\t]/g : /\s+/g, ' ');
    // White space collapses to one space, even across elements.
    const before = last?.runs.at(-1)?.text ?? '';
    if (!at.preserve && /(?:^|\s)$/.test(before)) plain = plain.trimStart();
    if (plain === '') return;
    if (at.inSequence || at.isHidden) {
      const reason = at.isHidden ? 'it is not displayed' : 'it lasts no time in its sequence';
      if (plain.trim() !== '') unread({ line: element.line, text: plain.trim(), reason });
      return;
    }
    const isApart = last && (last.at.begin !== at.begin || last.at.end !== at.end);
    // White space belongs to what is before it.
    if (!last || (isApart && plain.trim() !== '')) {
      lines.push({ runs: [], at, goesOn: last !== undefined && last.runs.length > 0 });
    }
    const { italic, colour, speaker, dots } = at;
    const line = lines.at(-1)!;
    if (line.runs.length === 0) line.at = at;
    const own = { text: plain, italic, colour, speaker };
    line.runs.push({ ...own, ...(dots && { dots }), ...(reading !== '' && { reading }) });
  };
  const walk = (inside: XmlElement, at: Inherited) => {
    const parts = new Map(inTurn(inside, at, document));
    for (const child of inside.children) {
      if (typeof child === 'string') say(child, at);
      else if (!parts.has(child)) continue;
      else if (child.name === 'br') lines.push({ runs: [], at, goesOn: false });
      else if (child.name === 'span') {
        const own = parts.get(child)!;
        if (styleOf(child, 'ruby', document) !== 'container') walk(child, own);
        else {
          const bases = rubyParts(child, 'base', document);
          const readings = rubyParts(child, 'text', document);
          const isPaired = bases.length === readings.length;
          const whole = [bases.join(''), readings.join('')] as const;
          for (const [base, reading] of isPaired
            ? bases.map((base, n) => [base, readings[n]!] as const)
            : [whole]) {
            say(base, own, reading.replace(/\s+/g, ' ').trim());
          }
        }
      }
    }
  };
  walk(element, own);
  const cues: ReadCue[] = [];
  for (const group of captionsOf(lines)) {
    const [{ at }] = group;
    const begin = Math.max(at.begin, at.regionTimes.begin);
    const end = Math.min(at.end, at.regionTimes.end);
    if (end > begin) {
      const runs = group.map((line) => line.runs);
      const { row, columns } = at;
      const cue = cueOfRuns(begin, end, runs, at.placement);
      cues.push({ ...cue, ...(row && { row }), ...(columns && { columns }) });
      continue;
    }
    const text = group.map(({ runs }) => runs.map((run) => run.text).join('')).join(' ');
    unread({ line: element.line, text: text.trim(), reason: 'it ends before it begins' });
  }
  return cues;
}

/** The texts of the bases or of the readings in a container of ruby. */
function rubyParts(element: XmlElement, part: 'base' | 'text', document: Document): string[] {
  return elements(element).flatMap((child) =>
    styleOf(child, 'ruby', document) === part ? [textIn(child)] : rubyParts(child, part, document),
  );
}

/** The lines of each caption of a paragraph. */
function captionsOf(lines: readonly Found[]): (readonly [Found, ...Found[]])[] {
  const texts = lines.filter(({ runs }) => runs.some(({ text }) => text.trim() !== ''));
  const [first, ...rest] = texts;
  if (!first) return [];
  const ends = new Set(texts.map(({ at }) => at.end));
  const isInOrder = rest.every(({ at }, n) => at.begin >= texts[n]!.at.begin);
  const areShown = texts.every(({ at }) => at.end > at.begin);
  const isGrowing =
    areShown && texts.at(-1)!.at.begin > first.at.begin && ends.size === 1 && isInOrder;
  if (!isGrowing) return groupBy(texts);
  // Words that appear one after another and stay are one caption.
  const whole: [Found, ...Found[]] = [{ ...first, runs: [] }];
  for (const { at, runs, goesOn } of texts) {
    const timed = runs.map((run, n) => (n === 0 ? { ...run, starts: at.begin } : run));
    if (goesOn || whole[0].runs.length === 0) whole.at(-1)!.runs.push(...timed);
    else whole.push({ at, goesOn, runs: timed });
  }
  return [whole];
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
  const clock = /^\s*(\d+):(\d\d):(\d\d)(?:([.,]\d+)|:(\d{2,})(?:\.\d+)?)?\s*$/.exec(text);
  if (clock) {
    const [, hours, minutes, seconds, fraction = '0', frames = '0'] = clock;
    if (base.isSmpte && clock[4] === undefined) {
      const { count } = base;
      const fields = [hours, minutes, seconds, frames].map(Number);
      return toMs(frameOfFields(fields as [number, number, number, number], count) / count.rate);
    }
    const whole = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
    return toMs(whole + Number(fraction.replace(',', '.')) + Number(frames) / base.frameRate);
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
