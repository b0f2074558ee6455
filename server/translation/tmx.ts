/** Translation memories as TMX 1.4, the form in which programs of translators exchange them. */
import { Parser } from 'htmlparser2';

/** A translation of a sentence, with its languages. */
export interface TmxUnit {
  from: string;
  to: string;
  source: string;
  text: string;
  /** The engine that made it, in a document of this program; absent if a person did. */
  engine?: string;
}

/** The most units and characters of one that are read. */
const MAX_UNITS = 50_000;
const MAX_CHARS = 2000;
/** The longest name of an engine that is read. */
const MAX_ENGINE = 200;
/** The most variants of one unit; each but the first is a translation of the first. */
const MAX_VARIANTS = 20;
const TAG = /^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8}){0,4}$/;

const MARKUP: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};
const escaped = (text: string): string =>
  text
    // oxlint-disable-next-line no-control-regex -- these cannot be written in XML
    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, ' ')
    .replaceAll(/[&<>"]/g, (sign) => MARKUP[sign]!);

/** A segment: italics are paired codes. */
const segmentOf = (text: string): string =>
  text
    .split(/(<\/?i>)/i)
    .map((part, at) => {
      if (at % 2 === 0) return escaped(part);
      return part.startsWith('</') ? '<ept i="1">&lt;/i&gt;</ept>' : '<bpt i="1">&lt;i&gt;</bpt>';
    })
    .join('');

/** The beginning of a TMX document. */
export const TMX_HEAD = `<?xml version="1.0" encoding="UTF-8"?>
<tmx version="1.4">
<header creationtool="Captioner" creationtoolversion="1" segtype="sentence" o-tmf="Captioner" adminlang="en" srclang="*all*" datatype="plaintext"/>
<body>
`;
/** Its end. */
export const TMX_END = '</body>\n</tmx>\n';

/**
 * One unit of a TMX document.
 * @example
 * tmxUnit({ from: 'en', to: 'de', source: 'Hi.', text: 'Hallo.' }, 'person').includes('xml:lang="de"'); // => true
 */
export const tmxUnit = ({ from, to, source, text }: TmxUnit, who: string): string =>
  `<tu creationid="${escaped(who)}"><tuv xml:lang="${escaped(from || 'und')}"><seg>${segmentOf(source)}</seg></tuv><tuv xml:lang="${escaped(to)}"><seg>${segmentOf(text)}</seg></tuv></tu>\n`;

/** What a TMX document held. */
export interface ReadTmx {
  units: TmxUnit[];
  /** Units that were left out: without two languages, too long, or beyond the limit. */
  skipped: number;
}

/**
 * Reads a TMX document. Entities that it declares itself are not read, and codes inside segments are left out, but for
 * italics. The first variant of a unit, or the one in the document's source language, is the sentence.
 * @example
 * readTmx('<tmx><tu><tuv xml:lang="en"><seg>Hi.</seg></tuv><tuv xml:lang="de"><seg>Hallo.</seg></tuv></tu></tmx>').units;
 * // => [{ from: 'en', to: 'de', source: 'Hi.', text: 'Hallo.' }]
 */
export function readTmx(document: string): ReadTmx {
  const units: TmxUnit[] = [];
  let skipped = 0;
  let sourceLanguage = '';
  let isOwn = false;
  let engine: string | undefined;
  let variants: { language: string; text: string }[] = [];
  let language = '';
  let segment: string | null = null;
  /** The depth of codes inside a segment. */
  let inCode = 0;
  let code = '';
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (name === 'header') {
          sourceLanguage = (attributes['srclang'] ?? '').toLowerCase();
          isOwn = attributes['creationtool'] === 'Captioner';
        }
        if (name === 'tu') {
          variants = [];
          const by = attributes['creationid'];
          engine = isOwn && by !== 'person' ? by?.slice(0, MAX_ENGINE) : undefined;
          if (attributes['srclang']) sourceLanguage = attributes['srclang'].toLowerCase();
        } else if (name === 'tuv') language = attributes['xml:lang'] ?? attributes['lang'] ?? '';
        else if (name === 'seg') [segment, inCode] = ['', 0];
        else if (segment !== null && /^(?:bpt|ept|ph|it|ut|sub)$/.test(name))
          [inCode, code] = [inCode + 1, ''];
      },
      ontext(text) {
        if (segment === null) return;
        if (inCode > 0) code += text.slice(0, 20);
        else if (segment.length <= MAX_CHARS) segment += text;
      },
      onclosetag(name) {
        if (name === 'seg' && segment !== null) {
          if (variants.length < MAX_VARIANTS) variants.push({ language, text: segment });
          segment = null;
        } else if (segment !== null && /^(?:bpt|ept|ph|it|ut|sub)$/.test(name)) {
          inCode = Math.max(0, inCode - 1);
          if (/^<\/?i>$/i.test(code.trim())) segment += code.trim().toLowerCase();
          code = '';
        } else if (name === 'tu') take();
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  const take = (): void => {
    const source =
      variants.find((one) => one.language.toLowerCase() === sourceLanguage) ?? variants[0];
    let taken = 0;
    for (const { language: to, text } of variants) {
      const isUsable =
        source !== undefined &&
        text !== source.text &&
        to !== source.language &&
        [source.language, to].every((tag) => TAG.test(tag)) &&
        [source.text, text].every((one) => one.trim() !== '' && one.length <= MAX_CHARS);
      if (!isUsable || units.length >= MAX_UNITS) continue;
      taken += 1;
      units.push({
        from: source.language,
        to,
        source: source.text.replace(/\s+/gu, ' ').trim(),
        text: text.replace(/\s+/gu, ' ').trim(),
        ...(engine !== undefined && { engine }),
      });
    }
    if (taken === 0) skipped += 1;
    variants = [];
  };
  parser.write(document);
  parser.end();
  return { units, skipped };
}
