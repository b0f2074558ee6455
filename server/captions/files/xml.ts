/**
 * Reads XML as far as timed text needs it: elements with namespaces, attributes and text. A document type is ignored, so
 * entities cannot expand and nothing is fetched.
 */
import { decodeXML } from 'entities/decode';
import { Parser } from 'htmlparser2';
import type { UnreadLine } from './portable-captions.ts';

/** An element. Names have no prefix; `space` is the namespace. */
export interface XmlElement {
  name: string;
  space: string;
  attributes: XmlAttribute[];
  children: XmlNode[];
  /** The line in which it begins, from 1. */
  line: number;
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

const NEW_LINE = 0x0a;
const XML = 'http://www.w3.org/XML/1998/namespace';

/**
 * The root element of a document, as far as it can be read.
 * @param damaged hears of an element that is not closed: its name, and the place in the document where that is seen
 * @throws {SyntaxError} if an element is too deep, or if there is none
 */
export function readXml(
  document: string,
  damaged: (name: string, at: number) => void = () => {},
): XmlElement {
  const root: XmlElement = { name: '', space: '', attributes: [], children: [], line: 1 };
  let line = 1;
  let counted = 0;
  const open = [{ element: root, scope: new Map([['xml', XML]]) }];
  const parser = new Parser(
    {
      onopentag(qualified, attributes) {
        const inner = open.at(-1)!;
        const declares = Object.keys(attributes).some((name) => name.startsWith('xmlns'));
        const scope = declares ? new Map(inner.scope) : inner.scope;
        for (; counted < parser.startIndex; counted += 1) {
          if (document.charCodeAt(counted) === NEW_LINE) line += 1;
        }
        const element = { ...elementOf(qualified, attributes, scope), children: [], line };
        inner.element.children.push(element);
        open.push({ element, scope });
        if (open.length > DEEPEST)
          throw new SyntaxError('Not timed text: elements are nested too deeply.');
      },
      ontext(text) {
        const { children } = open.at(-1)!.element;
        // It comes in parts, between references.
        const before = children.at(-1);
        if (typeof before === 'string') children[children.length - 1] = before + text;
        else children.push(text);
      },
      onclosetag(qualified, isImplied) {
        open.pop();
        // An element that ends with its own tag is closed by a slash.
        if (isImplied && document[parser.endIndex - 1] !== '/') {
          damaged(qualified, parser.endIndex);
        }
      },
    },
    { xmlMode: true },
  );
  parser.end(document);
  const found = root.children.find((node) => typeof node !== 'string');
  if (!found || typeof found === 'string') throw new SyntaxError('Not XML: there is no element.');
  return found;
}

/** Reports the elements of a document that are not closed, in their order. */
export function damageIn(
  document: string,
  unread: (line: UnreadLine) => void,
): (name: string, at: number) => void {
  let line = 1;
  let counted = 0;
  return (name, at) => {
    for (; counted < at; counted += 1) if (document[counted] === '\n') line += 1;
    const text = document.slice(Math.max(0, at - 80), at);
    unread({ line, text, reason: `the file is damaged: <${name}> is not closed before it` });
  };
}

function elementOf(
  qualified: string,
  given: Readonly<Record<string, string>>,
  scope: Map<string, string>,
): Pick<XmlElement, 'name' | 'space' | 'attributes'> {
  const plain: [qualified: string, value: string][] = [];
  for (const [name, written] of Object.entries(given)) {
    const value = written.replace(/[\n\r\t]/g, ' ');
    if (name === 'xmlns') scope.set('', value);
    else if (name.startsWith('xmlns:')) scope.set(name.slice(6), value);
    else plain.push([name, value]);
  }
  return {
    ...named(qualified, scope, true),
    attributes: plain.map(([name, value]) => ({ ...named(name, scope, false), value })),
  };
}

/** A name and its namespace: without a prefix, an element has the default one and an attribute has none. */
function named(qualified: string, scope: Map<string, string>, isElement: boolean) {
  const at = qualified.indexOf(':');
  const prefix = at < 0 ? '' : qualified.slice(0, at);
  const space = at < 0 && !isElement ? '' : (scope.get(prefix) ?? '');
  return { name: qualified.slice(at + 1), space };
}

/** An attribute's value, by its local name and the end of its namespace; undefined if it is absent. */
export const attribute = (
  { attributes }: XmlElement,
  name: string,
  spaceEnd = '',
): string | undefined => {
  for (const each of attributes) {
    if (each.name !== name) continue;
    if (spaceEnd === '' ? each.space === '' : each.space.endsWith(spaceEnd)) return each.value;
  }
  return undefined;
};

/** The elements directly in an element. */
export const elements = ({ children }: XmlElement): XmlElement[] =>
  children.filter((child) => typeof child !== 'string');

/** An element and all below it, in the order of the document. */
export const elementsIn = (element: XmlElement): XmlElement[] => {
  const found: XmlElement[] = [];
  const walk = (each: XmlElement): void => {
    found.push(each);
    for (const child of each.children) if (typeof child !== 'string') walk(child);
  };
  walk(element);
  return found;
};

/** The text in an element and all below it. */
export const textIn = (element: XmlElement): string =>
  element.children.map((child) => (typeof child === 'string' ? child : textIn(child))).join('');

/** Matches a comment's edges, a tag or its start, and text. */
const PIECES = /<!--|-->|<[^<>]*>?|[^<>-]+|[>-]/g;

/** What the texts of a kind of document are in, by its tags. */
export interface TextMarkup {
  /** Matches where they begin. */
  begins: RegExp;
  /** Matches the start of an element that has a text. */
  block: RegExp;
  /** Matches a tag of what may begin within a word. */
  look: RegExp;
  /** Matches a tag of what describes the document. */
  about: RegExp;
}

/** The texts between the tags of a document, as they are written, also where damage has made them part of a tag. */
export function textsBetweenTags(
  source: string,
  { begins, block, look, about }: TextMarkup,
): { line: number; text: string }[] {
  const texts: { line: number; text: string }[] = [];
  const from = begins.exec(source)?.index ?? 0;
  let line = 1;
  for (let at = 0; at < from; at += 1) if (source[at] === '\n') line += 1;
  let isComment = false;
  let inAbout = 0;
  let goesOn = false;
  for (const [piece] of source.slice(from).matchAll(PIECES)) {
    const isTag = piece.startsWith('<');
    if (piece === '<!--') isComment = true;
    else if (piece === '-->') isComment = false;
    else if (isComment) continue;
    // No text is in a description, whose end may be missing.
    else if (isTag && block.test(piece)) [inAbout, goesOn] = [0, false];
    else if (isTag && about.test(piece)) {
      inAbout = Math.max(0, inAbout + (piece[1] === '/' ? -1 : piece.endsWith('/>') ? 0 : 1));
    } else if (inAbout === 0 && !(isTag && piece.endsWith('>'))) {
      const text = decodeXML(isTag ? piece.slice(1) : piece);
      const last = texts.at(-1);
      // Looks begin and end within words.
      if (last && goesOn) last.text += text;
      else texts.push({ line, text });
      goesOn = true;
    } else if (!look.test(piece)) goesOn = false;
    for (let at = piece.indexOf('\n'); at >= 0; at = piece.indexOf('\n', at + 1)) line += 1;
  }
  return texts;
}

/** Escapes text for XML, in an element or in a double-quoted attribute. */
export const xmlText = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
