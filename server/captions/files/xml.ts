/**
 * Reads XML as far as timed text needs it: elements with namespaces, attributes and text. A document type is ignored, so
 * entities cannot expand and nothing is fetched.
 */
/** An element. Names have no prefix; `space` is the namespace. */
export interface XmlElement {
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
export const attribute = (
  { attributes }: XmlElement,
  name: string,
  spaceEnd = '',
): string | undefined =>
  attributes.find(
    (each) =>
      each.name === name && (spaceEnd === '' ? each.space === '' : each.space.endsWith(spaceEnd)),
  )?.value;

/** Escapes text for XML, in an element or in a double-quoted attribute. */
export const xmlText = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
