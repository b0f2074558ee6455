/**
 * Reads TTML of any profile (IMSC, EBU-TT-D, Netflix's DFXP, YouTube's), and writes it in the text profile of IMSC 1.1
 * (https://www.w3.org/TR/ttml-imsc1.1/), which broadcasters and streaming services accept.
 */
import { formatTimestamp, frameRateOf } from '../timestamps.ts';
import type { Caption, Placement } from '../cue.ts';
import {
  type CaptionFileOptions,
  isRightToLeft,
  placementOf,
  readCue,
  type ReadCue,
  type ReadLine,
  spokenLines,
} from './portable-captions.ts';

/**
 * Writes captions as a TTML document. Speakers become agents, positions regions, and italics a style. The language sets
 * the direction of lines, including those that begin with a foreign word.
 * @throws {RangeError} past 99:59:59,999
 * @example
 * toTtml([{ start: 0, end: 1, lines: ['Hello'] }], { language: 'en' }).includes('>Hello</span>'); // => true
 */
export function toTtml(cues: readonly Caption[], options: CaptionFileOptions = {}): string {
  const agents = new Map<string, string>();
  const regions = new Map<string, string>();
  const body = cues.map((cue) => {
    const region = regionId(cue.placement);
    regions.set(region, regionOf(region, cue.placement));
    const text = spokenLines(cue)
      .map(({ speaker, lines }) => spanOf(lines, agentId(agents, speaker)))
      .join('<br/>');
    return `      <p begin="${formatTimestamp(cue.start, '.')}" end="${formatTimestamp(cue.end, '.')}" region="${region}">${text}</p>\n`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>
<tt xmlns="http://www.w3.org/ns/ttml" xmlns:ttp="http://www.w3.org/ns/ttml#parameter" xmlns:tts="http://www.w3.org/ns/ttml#styling" xmlns:ttm="http://www.w3.org/ns/ttml#metadata" ttp:contentProfiles="http://www.w3.org/ns/ttml/profile/imsc1.1/text" ttp:timeBase="media"${rateOf(options.frameRate)} xml:lang="${xmlText(options.language ?? '')}" xml:space="preserve">
  <head>
${metadataOf(agents)}    <styling>
      <style xml:id="text" tts:fontFamily="proportionalSansSerif" tts:fontSize="100%" tts:lineHeight="125%" tts:color="white" tts:backgroundColor="black"/>
      <style xml:id="italic" tts:fontStyle="italic"/>
    </styling>
    <layout>
${[...regions.values()].join('') || regionOf('bottom', undefined)}    </layout>
  </head>
  <body${isRightToLeft(options.language ?? '') ? ' tts:direction="rtl"' : ''}>
    <div>
${body.join('')}    </div>
  </body>
</tt>
`;
}

function spanOf(
  lines: readonly { text: string; italic: boolean }[][],
  agent: string | null,
): string {
  const text = lines
    .map((runs) =>
      runs
        .map(({ text, italic }) =>
          italic ? `<span style="text italic">${xmlText(text)}</span>` : xmlText(text),
        )
        .join(''),
    )
    .join('<br/>');
  return `<span style="text"${agent === null ? '' : ` ttm:agent="${agent}"`}>${text}</span>`;
}

function agentId(agents: Map<string, string>, speaker: string): string | null {
  if (speaker === '') return null;
  const id = agents.get(speaker) ?? `speaker${agents.size + 1}`;
  agents.set(speaker, id);
  return id;
}

function metadataOf(agents: ReadonlyMap<string, string>): string {
  if (agents.size === 0) return '';
  const each = [...agents].map(
    ([name, id]) =>
      `      <ttm:agent xml:id="${id}" type="person"><ttm:name type="full">${xmlText(name)}</ttm:name></ttm:agent>\n`,
  );
  return `    <metadata>\n${each.join('')}    </metadata>\n`;
}

const regionId = ({ vertical, align }: Placement = {}): string =>
  `${vertical ?? 'bottom'}${align ? `-${align}` : ''}`;

/** A region of the picture with a margin of a tenth on all sides, since screens may cut off the edge. */
function regionOf(id: string, { vertical, align }: Placement = {}): string {
  const display = vertical === 'top' ? 'before' : vertical === 'middle' ? 'center' : 'after';
  return `      <region xml:id="${id}" tts:origin="10% 10%" tts:extent="80% 80%" tts:displayAlign="${display}" tts:textAlign="${align ?? 'center'}"/>\n`;
}

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
  preserve: boolean;
  speaker: string;
  placement: Placement;
}

interface Document {
  base: TimeBase;
  /** Styles, regions and agents by id. */
  named: ReadonlyMap<string, XmlElement>;
}

/** A line being read, with the times of its element. */
interface Found extends ReadLine {
  begin: number;
  end: number;
  placement: Placement;
}

/**
 * Reads a TTML document: its captions in order of time, with italics, positions and speakers. Texts within a paragraph
 * that have times of their own become separate captions.
 * @throws {SyntaxError} if it is not XML
 */
export function readTtml(source: string): ReadCue[] {
  const root = readXml(source);
  const named = new Map<string, XmlElement>();
  for (const element of elementsIn(root)) {
    const id = attribute(element, 'id', '/namespace') ?? attribute(element, 'id');
    if (id !== undefined) named.set(id, element);
  }
  const document = { base: timeBaseOf(root), named };
  const cues: ReadCue[] = [];
  const start: Inherited = {
    begin: 0,
    end: Number.POSITIVE_INFINITY,
    italic: false,
    preserve: false,
    speaker: '',
    placement: {},
  };
  const walk = (element: XmlElement, above: Inherited) => {
    const own = inherit(element, above, document);
    if (element.name === 'p') cues.push(...paragraph(element, own, document));
    else if (element.name !== 'head') for (const child of elements(element)) walk(child, own);
  };
  walk(root, start);
  return cues.sort((one, other) => one.start - other.start);
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
  return {
    begin,
    end: Math.min(...ends),
    italic: style === undefined ? above.italic : style === 'italic' || style === 'oblique',
    preserve: space === undefined ? above.preserve : space === 'preserve',
    speaker: agent === undefined ? above.speaker : nameOf(agent, named),
    placement: region ? regionPlacement(region, document) : above.placement,
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
function paragraph(element: XmlElement, own: Inherited, document: Document): ReadCue[] {
  const lines: Found[] = [];
  const newLine = (at: Inherited) =>
    lines.push({
      text: '',
      speaker: at.speaker,
      begin: at.begin,
      end: at.end,
      placement: at.placement,
    });
  const say = (text: string, at: Inherited) => {
    const last = lines.at(-1);
    let plain = text.replace(at.preserve ? /[\n\r\t]/g : /\s+/g, ' ');
    // White space collapses to one space, even across elements.
    if (!at.preserve && /(?:^|\s)(?:<\/i>)?$/.test(last?.text ?? '')) plain = plain.trimStart();
    if (plain === '') return;
    if (!last || last.begin !== at.begin || last.end !== at.end) newLine(at);
    const line = lines.at(-1)!;
    if (line.text === '') line.speaker = at.speaker;
    line.text += at.italic ? `<i>${plain}</i>` : plain;
  };
  const walk = (inside: XmlElement, at: Inherited) => {
    for (const child of inside.children) {
      if (typeof child === 'string') say(child, at);
      else if (child.name === 'br') newLine(at);
      else if (child.name === 'span') walk(child, inherit(child, at, document));
    }
  };
  walk(element, own);
  const cues: ReadCue[] = [];
  for (const group of groupBy(lines.filter(({ text }) => text.trim() !== ''))) {
    const [{ begin, end, placement }] = group;
    if (!Number.isFinite(end) || !(end > begin)) continue;
    const read = group.map(({ text, speaker }) => ({ text: trimmed(text), speaker }));
    cues.push(readCue(begin, end, read, placement));
  }
  return cues;
}

/** A line without white space at its edges, which is invisible, even inside italics. */
function trimmed(text: string): string {
  const begun = text.replace(/^((?:<i>)?)\s+/, '$1');
  return begun.endsWith('</i>')
    ? `${begun.slice(0, -'</i>'.length).trimEnd()}</i>`
    : begun.trimEnd();
}

function groupBy(lines: readonly Found[]): [Found, ...Found[]][] {
  const groups: [Found, ...Found[]][] = [];
  for (const line of lines) {
    const last = groups.at(-1);
    if (last && last[0].begin === line.begin && last[0].end === line.end) last.push(line);
    else groups.push([line]);
  }
  return groups;
}

/** The units of a document's times. */
interface TimeBase {
  frameRate: number;
  tickRate: number;
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
  return { frameRate: frames, tickRate: tickRate ?? (frameRate ? frames : 1) };
}

/** The seconds of a time expression; null if it is invalid. */
function readTtmlTime(text: string | undefined, base: TimeBase): number | null {
  if (text === undefined) return null;
  const clock = /^\s*(\d{2,}):(\d\d):(\d\d)(?:(\.\d+)|:(\d{2,})(?:\.\d+)?)?\s*$/.exec(text);
  if (clock) {
    const [, hours, minutes, seconds, fraction = '0', frames = '0'] = clock;
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

// Reads XML as far as timed text needs it: elements with namespaces, attributes and text. A document type is ignored,
// so entities cannot expand and nothing is fetched.

/** An element. Names have no prefix; `space` is the namespace. */
interface XmlElement {
  name: string;
  space: string;
  attributes: XmlAttribute[];
  children: XmlNode[];
}

interface XmlAttribute {
  name: string;
  space: string;
  value: string;
}

/** An element or text. */
type XmlNode = XmlElement | string;

/** Deeper documents are refused, because walking them could overflow the stack. */
const DEEPEST = 200;

const PARTS =
  /<!--[\s\S]*?-->|<!\[CDATA\[([\s\S]*?)\]\]>|<\?[\s\S]*?\?>|<!DOCTYPE(?:[^[>]|\[[^\]]*\])*>|<(\/?)([^\s<>/=]+)((?:\s+[^\s=<>/]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*(\/?)>|([^<]+)|</gi;
const ATTRIBUTES = /\s*([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/gy;
const NAMED: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const XML = 'http://www.w3.org/XML/1998/namespace';

/**
 * The root element of a document.
 * @throws {SyntaxError} if it is not well-formed, or too deep
 */
export function readXml(document: string): XmlElement {
  const root: XmlElement = { name: '', space: '', attributes: [], children: [] };
  const open: { element: XmlElement; qualified: string; scope: Map<string, string> }[] = [
    { element: root, qualified: '', scope: new Map([['xml', XML]]) },
  ];
  for (const match of document.matchAll(PARTS)) {
    const [part, data, closes, qualified, attributes = '', empty, text] = match;
    const inner = open.at(-1)!;
    if (part === '<')
      throw new SyntaxError(`Not XML: the "<" at ${match.index} does not begin a tag.`);
    if (data !== undefined) inner.element.children.push(data);
    else if (text !== undefined) inner.element.children.push(readReferences(text));
    else if (qualified === undefined) continue;
    else if (closes) {
      if (inner.qualified !== qualified) {
        throw new SyntaxError(`Not XML: </${qualified}> closes <${inner.qualified}>.`);
      }
      open.pop();
    } else {
      const scope = new Map(inner.scope);
      const element = elementOf(qualified, attributes, scope);
      inner.element.children.push(element);
      if (!empty) open.push({ element, qualified, scope });
      if (open.length > DEEPEST)
        throw new SyntaxError('Not timed text: elements are nested too deeply.');
    }
  }
  const [unclosed] = open.slice(1);
  if (unclosed) throw new SyntaxError(`Not XML: <${unclosed.qualified}> is not closed.`);
  const found = root.children.find((node) => typeof node !== 'string');
  if (!found || typeof found === 'string') throw new SyntaxError('Not XML: there is no element.');
  return found;
}

function elementOf(qualified: string, source: string, scope: Map<string, string>): XmlElement {
  const plain: { qualified: string; value: string }[] = [];
  for (const [, name = '', double, single] of source.matchAll(ATTRIBUTES)) {
    const value = readReferences((double ?? single ?? '').replace(/[\n\r\t]/g, ' '));
    if (name === 'xmlns') scope.set('', value);
    else if (name.startsWith('xmlns:')) scope.set(name.slice(6), value);
    else plain.push({ qualified: name, value });
  }
  return {
    ...named(qualified, scope, true),
    attributes: plain.map(({ qualified, value }) => ({ ...named(qualified, scope, false), value })),
    children: [],
  };
}

/** A name and its namespace: without a prefix, an element has the default one and an attribute has none. */
function named(qualified: string, scope: Map<string, string>, isElement: boolean) {
  const at = qualified.indexOf(':');
  const prefix = at < 0 ? '' : qualified.slice(0, at);
  const space = at < 0 && !isElement ? '' : (scope.get(prefix) ?? '');
  return { name: qualified.slice(at + 1), space };
}

const readReferences = (text: string): string =>
  text.replace(
    /&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#x([\da-f]{1,6}));/gi,
    (whole, name, decimal, hex) => {
      if (name) return NAMED[String(name).toLowerCase()] ?? whole;
      const code = decimal ? Number(decimal) : Number.parseInt(hex, 16);
      return code <= 0x10_ff_ff ? String.fromCodePoint(code) : whole;
    },
  );

/** An attribute's value, by its local name and the end of its namespace; undefined if it is absent. */
const attribute = ({ attributes }: XmlElement, name: string, spaceEnd = ''): string | undefined =>
  attributes.find(
    (each) =>
      each.name === name && (spaceEnd === '' ? each.space === '' : each.space.endsWith(spaceEnd)),
  )?.value;

/** Escapes text for XML, in an element or in a double-quoted attribute. */
const xmlText = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
