/**
 * Reads XML as far as timed text needs it: elements with namespaces, attributes and text. A document type is ignored, so
 * entities cannot expand and nothing is fetched.
 */
import { Parser } from 'htmlparser2';

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

/** Escapes text for XML, in an element or in a double-quoted attribute. */
export const xmlText = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
