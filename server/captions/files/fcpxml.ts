/**
 * Reads and writes the captions of Final Cut Pro, which are clips of FCPXML, by Apple's document type of version 1.10
 * (https://developer.apple.com/documentation/professional-video-applications/document-type-definition).
 */
import type { Caption } from '../cue.ts';
import { frameAt } from '../timestamps.ts';
import { frameCountOf } from '../time-code.ts';
import { overheard, reportMissing } from './missing-text.ts';
import {
  type CaptionFileOptions,
  colouredRuns,
  cueOfRuns,
  type FileDetails,
  type LookRun,
  placementOf,
  type ReadCue,
  type Reading,
  type ReadRun,
  WHITE,
} from './portable-captions.ts';
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

/** Writes captions as an FCPXML document: a project whose only clip is a gap that the captions are connected to. */
export function toFcpxml(cues: readonly Caption[], options: CaptionFileOptions = {}): string {
  const { frameRate = 25, dropFrame = false, firstFrame = 0, language = '' } = options;
  const count = frameCountOf(frameRate, dropFrame);
  /** Times are fractions of a second, a whole number of frames. */
  const unit =
    count.rate === count.nominal ? [100, count.nominal * 100] : [1001, count.nominal * 1000];
  const time = (frames: number): string =>
    frames === 0 ? '0s' : `${frames * unit[0]!}/${unit[1]!}s`;
  const last = cues.reduce((end, cue) => Math.max(end, frameAt(cue.end, count.rate)), 1);
  const role = `iTT?captionFormat=ITT.${/^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8})*$/.test(language) ? language : 'en'}`;
  const captions = cues.map((cue, at) => {
    const start = frameAt(cue.start, count.rate);
    const end = Math.max(start + 1, frameAt(cue.end, count.rate));
    const placed = cue.placement?.vertical === 'top' ? 'top' : 'bottom';
    const { align = 'center' } = cue.placement ?? {};
    const aligned =
      align === 'center' ? '' : ` alignment="${align === 'start' ? 'left' : 'right'}"`;
    const runs = colouredRuns(cue).flatMap((line, n) =>
      n === 0 ? line : [{ text: '\n', italic: false }, ...line],
    );
    const styles = runs.map((run: LookRun, n) => ({ run, id: `ts${at + 1}-${n + 1}` }));
    const texts = styles.map(
      ({ run, id }) => `<text-style ref="${id}">${xmlText(run.text)}</text-style>`,
    );
    const definitions = styles.map(({ run, id }) => {
      const colour = colourOf(run.colour ?? WHITE);
      const italic = run.italic ? ' italic="1"' : '';
      return `              <text-style-def id="${id}"><text-style font=".AppleSystemUIFont" fontSize="13" fontFace="Regular" fontColor="${colour}" backgroundColor="0 0 0 1"${italic}/></text-style-def>\n`;
    });
    const name = xmlText(
      runs
        .map(({ text }) => text)
        .join('')
        .replace(/\s+/g, ' ')
        .slice(0, 100),
    );
    return `            <caption lane="1" offset="${time(start)}" name="${name}" start="0s" duration="${time(end - start)}" role="${role}">
              <text placement="${placed}"${aligned}>${texts.join('')}</text>
${definitions.join('')}            </caption>\n`;
  });
  const drop = count.dropped > 0 ? 'DF' : 'NDF';
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE fcpxml>
<fcpxml version="1.10">
  <resources>
    <format id="r1" frameDuration="${time(1)}" width="1920" height="1080"/>
  </resources>
  <library>
    <event name="Captions">
      <project name="Captions">
        <sequence format="r1" duration="${time(last)}" tcStart="${time(firstFrame)}" tcFormat="${drop}">
          <spine>
            <gap name="Gap" offset="${time(firstFrame)}" start="0s" duration="${time(last)}">
${captions.join('')}            </gap>
          </spine>
        </sequence>
      </project>
    </event>
  </library>
</fcpxml>
`;
}

/** The red, green, blue and opacity of `#rrggbb`, from 0 to 1. */
const colourOf = (colour: string): string =>
  [1, 3, 5]
    .map(
      (at) => Math.round((Number.parseInt(colour.slice(at, at + 2), 16) / 255) * 10_000) / 10_000,
    )
    .concat(1)
    .join(' ');

/** A clip at its place: when it begins in the film, and the time of its own at which that is. */
interface Placed {
  begins: number;
  from: number;
}

/** Formats, media and styles by their ids. */
type Named = ReadonlyMap<string, XmlElement>;

/** A caption of Final Cut as it is found. */
interface Found {
  element: XmlElement;
  begins: number;
  ends: number;
}

/**
 * Reads an FCPXML document: the captions of its first project that has any, in the language of the first of them. Where
 * there are no captions, its titles are read.
 * @throws {SyntaxError} if it is not XML
 */
export function readFcpxml(source: string, reading: Reading = {}): ReadCue[] {
  const heard = overheard(reading.unread);
  const root = readXml(source, damageIn(source, heard.unread));
  if (root.name !== 'fcpxml') throw new SyntaxError(`Not FCPXML: its root is ${root.name}.`);
  const all = elementsIn(root);
  const kind = all.some(({ name }) => name === 'caption') ? 'caption' : 'title';
  const named = new Map(
    all.flatMap((each) => {
      const id = attribute(each, 'id');
      return id === undefined ? [] : [[id, each] as const];
    }),
  );
  const sequences = all.filter(({ name }) => name === 'sequence');
  const sequence = sequences.find((each) => elementsIn(each).some(({ name }) => name === kind));
  const found = sequence ? clipsOf(sequence, kind, named) : [];
  if (sequence) reading.details?.(detailsOf(sequence, named, found[0]?.element));
  const role = found[0] && roleOf(found[0].element);
  const cues = found.flatMap(({ element, begins, ends }) => {
    const { line } = element;
    const reason = !(ends > begins)
      ? 'its times cannot be read'
      : attribute(element, 'enabled') === '0'
        ? 'it is switched off'
        : kind === 'caption' && roleOf(element) !== role
          ? 'it is of another language than the first'
          : begins < 0
            ? 'it is before the beginning'
            : '';
    const cue = cueOfRuns(toMs(begins), toMs(ends), linesOf(element, named), placeOf(element));
    if (reason === '') return cue.lines.length === 0 ? [] : [cue];
    heard.unread({ line, text: textIn(element).replace(/\s+/g, ' ').trim(), reason });
    return [];
  });
  reportMissing(textsBetweenTags(source, TEXTS), cues, heard, 'lines');
  return cues.sort((one, other) => one.start - other.start);
}

/** What the texts of a document are in. */
const TEXTS: TextMarkup = {
  begins: /<fcpxml[\s>]/,
  block: /^<(?:caption|title|text)(?:\s[^<>]*)?>/,
  look: /^<\/?text-style[\s/>]/,
  about: /^<\/?(?:note|metadata|bookmark|reserved|data)[\s/>]/,
};

const roleOf = (element: XmlElement): string => attribute(element, 'role') ?? '';

/** The captions or titles below an element of a timeline, with their times in the film. */
function clipsOf(sequence: XmlElement, kind: 'caption' | 'title', named: Named): Found[] {
  const found: Found[] = [];
  const walk = (element: XmlElement, above: Placed): void => {
    const isLine = element.name === 'spine';
    // What follows another clip begins where that one ends, if it does not say.
    let next = above.from;
    for (const child of elements(element)) {
      const offset = secondsOf(attribute(child, 'offset')) ?? (isLine ? next : above.from);
      const begins = above.begins + offset - above.from;
      const lasts = secondsOf(attribute(child, 'duration')) ?? 0;
      if (isLine && child.name !== 'transition') next = offset + lasts;
      if (child.name === kind) found.push({ element: child, begins, ends: begins + lasts });
      else walk(child, { begins, from: child.name === 'spine' ? 0 : startOf(child, named) });
    }
  };
  for (const spine of elements(sequence).filter(({ name }) => name === 'spine')) {
    // A timeline begins at its time code, or at 0.
    const [first] = elements(spine);
    walk(spine, { begins: 0, from: (first && secondsOf(attribute(first, 'offset'))) ?? 0 });
  }
  return found;
}

/** The time of its own at which a clip begins: its own, or that of what it shows. */
function startOf(clip: XmlElement, named: Named): number {
  const shown = named.get(attribute(clip, 'ref') ?? '');
  const own = secondsOf(attribute(clip, 'start')) ?? secondsOf(shown && attribute(shown, 'start'));
  return own ?? 0;
}

/** The seconds of a time such as `1001/30000s`; null for anything else. */
function secondsOf(text: string | undefined): number | null {
  const [, above, below = '1'] = /^\s*(-?\d+(?:\.\d+)?)(?:\/(\d+))?s\s*$/.exec(text ?? '') ?? [];
  return above === undefined || Number(below) === 0 ? null : Number(above) / Number(below);
}

function detailsOf(sequence: XmlElement, named: Named, first: XmlElement | undefined): FileDetails {
  const format = named.get(attribute(sequence, 'format') ?? '');
  const frame = secondsOf(format && attribute(format, 'frameDuration')) ?? 0;
  const language = /captionFormat=\w+\.([A-Za-z]{2,3}(?:-\w{2,8})*)/.exec(
    first ? roleOf(first) : '',
  );
  const begins = secondsOf(attribute(sequence, 'tcStart')) ?? 0;
  return {
    ...(language && { language: language[1]! }),
    ...(frame > 0 && { frameRate: Math.round(1000 / frame) / 1000 }),
    ...(frame > 0 && begins > 0 && { firstFrame: Math.round(begins / frame) }),
    ...(attribute(sequence, 'tcFormat') === 'DF' && { dropFrame: true }),
  };
}

/** The lines of a caption; each of its texts begins a new one. */
function linesOf(caption: XmlElement, named: Named): ReadRun[][] {
  const lines: ReadRun[][] = [];
  for (const text of elements(caption).filter(({ name }) => name === 'text')) {
    lines.push([]);
    for (const part of text.children) {
      // Between its elements, a file is indented.
      if (typeof part === 'string' && part.trim() === '') continue;
      const shown = typeof part === 'string' ? part : textIn(part);
      const look = typeof part === 'string' ? {} : lookOf(part, named);
      for (const [at, piece] of shown.split(/\r\n?|[\n\u2028]/).entries()) {
        if (at > 0) lines.push([]);
        lines.at(-1)!.push({ ...look, text: piece });
      }
    }
  }
  return lines;
}

function lookOf(style: XmlElement, named: Named): Pick<ReadRun, 'italic' | 'colour'> {
  const defined = named.get(attribute(style, 'ref') ?? '');
  const of = (name: string): string | undefined =>
    attribute(style, name) ??
    (defined && elements(defined).flatMap((each) => attribute(each, name) ?? [])[0]);
  const parts = (of('fontColor') ?? '').trim().split(/\s+/).map(Number);
  const isColour = parts.length >= 3 && parts.every((part) => part >= 0 && part <= 1);
  const colour = `#${parts
    .slice(0, 3)
    .map((part) =>
      Math.round(part * 255)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`;
  const italic = of('italic') === '1' || /italic|oblique/i.test(of('fontFace') ?? '');
  return { italic, ...(isColour && { colour }) };
}

function placeOf(caption: XmlElement) {
  const text = elements(caption).find(({ name }) => name === 'text');
  const says = (name: string): string => (text && attribute(text, name)) ?? '';
  const align = { left: 'start', right: 'end' } as const;
  return placementOf(
    says('placement') === 'top' ? 'top' : 'bottom',
    align[says('alignment') as keyof typeof align] ?? 'center',
  );
}

/** Rounds to milliseconds, the precision of captions. */
const toMs = (seconds: number): number => Math.round(seconds * 1000) / 1000;
