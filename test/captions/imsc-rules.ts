/**
 * The rules of IMSC 1.1's text profile, as far as our documents use it. Written from the
 * recommendations (https://www.w3.org/TR/ttml-imsc1.1/ and https://www.w3.org/TR/ttml1/),
 * independently of the writer: the allowed children and attributes of each element, the allowed
 * values, and that every reference has its target.
 */
import { readXml } from '../../server/captions/files/xml.ts';

const TT = 'http://www.w3.org/ns/ttml';
const XML = 'http://www.w3.org/XML/1998/namespace';
const PREFIX: Record<string, string> = {
  [TT]: '',
  [`${TT}#parameter`]: 'ttp:',
  [`${TT}#styling`]: 'tts:',
  [`${TT}#metadata`]: 'ttm:',
  [XML]: 'xml:',
  '': '',
};

/** The allowed children of each element, in this order; `*` for any number. */
const CONTENT: Record<string, RegExp> = {
  tt: /^(?:head )?(?:body )?$/,
  head: /^(?:metadata )*(?:styling )?(?:layout )?$/,
  metadata: /^(?:ttm:agent )*$/,
  'ttm:agent': /^(?:ttm:name )+$/,
  'ttm:name': /^#text $/,
  styling: /^(?:style )*$/,
  style: /^$/,
  layout: /^(?:region )*$/,
  region: /^$/,
  body: /^(?:div )*$/,
  div: /^(?:p )*$/,
  p: /^(?:#text |span |br )*$/,
  span: /^(?:#text |span |br )*$/,
  br: /^$/,
};

const ID = /^[A-Za-z_][\w.-]*$/;
const TIME = /^\d{2,}:[0-5]\d:[0-5]\d(?:\.\d+)?$/;
const LENGTHS = /^\d+(?:\.\d+)?% \d+(?:\.\d+)?%$/;
const COLOUR = /^(?:white|black|#[\da-f]{6}(?:[\da-f]{2})?)$/;

/** The allowed attributes of each element. */
const ATTRIBUTES: Record<string, Record<string, RegExp>> = {
  tt: {
    'xml:lang': /^(?:[A-Za-z]{1,8}(?:-[A-Za-z\d]{1,8})*)?$/,
    'xml:space': /^(?:default|preserve)$/,
    'ttp:contentProfiles': /^http:\/\/www\.w3\.org\/ns\/ttml\/profile\/imsc1\.1\/text$/,
    'ttp:timeBase': /^media$/,
    'ttp:frameRate': /^[1-9]\d*$/,
    'ttp:frameRateMultiplier': /^[1-9]\d* [1-9]\d*$/,
  },
  'ttm:agent': { 'xml:id': ID, type: /^(?:person|character|group|organization|other)$/ },
  'ttm:name': { type: /^(?:full|family|given|alias|other)$/ },
  style: {
    'xml:id': ID,
    'tts:fontFamily': /^(?:default|monospaceSerif|proportionalSansSerif)$/,
    'tts:fontSize': /^\d+%$/,
    'tts:lineHeight': /^(?:normal|\d+%)$/,
    'tts:color': COLOUR,
    'tts:backgroundColor': COLOUR,
    'tts:fontStyle': /^(?:normal|italic|oblique)$/,
  },
  region: {
    'xml:id': ID,
    'tts:origin': LENGTHS,
    'tts:extent': LENGTHS,
    'tts:displayAlign': /^(?:before|center|after)$/,
    'tts:textAlign': /^(?:left|center|right|start|end)$/,
  },
  body: { 'tts:direction': /^(?:ltr|rtl)$/ },
  p: { begin: TIME, end: TIME, region: ID },
  span: { style: /^\S+(?: \S+)*$/, 'ttm:agent': ID },
};

/** The required attributes of each element. */
const REQUIRED: Record<string, string[]> = {
  tt: ['xml:lang', 'ttp:contentProfiles'],
  'ttm:agent': ['xml:id', 'type'],
  'ttm:name': ['type'],
  style: ['xml:id'],
  region: ['xml:id', 'tts:origin', 'tts:extent'],
  p: ['begin', 'end', 'region'],
};

const nameOf = ({ space, name }: { space: string; name: string }): string =>
  `${PREFIX[space] ?? `{${space}}`}${name}`;

/** Describes each fault of a document in a sentence. */
export function imscFaults(document: string): string[] {
  const faults: string[] = [];
  const ids = new Set<string>();
  const references: string[] = [];
  const visit = (element: ReturnType<typeof readXml>) => {
    const name = nameOf(element);
    const content = element.children.map((child) =>
      typeof child !== 'string' ? `${nameOf(child)} ` : child.trim() === '' ? '' : '#text ',
    );
    if (!CONTENT[name]?.test(content.join(''))) faults.push(`${name} holds ${content.join('')}`);
    const given = new Map(element.attributes.map((each) => [nameOf(each), each.value]));
    for (const [attribute, value] of given) {
      const rule = ATTRIBUTES[name]?.[attribute];
      if (!rule?.test(value)) faults.push(`${name} has ${attribute}="${value}"`);
    }
    for (const required of REQUIRED[name] ?? []) {
      if (!given.has(required)) faults.push(`${name} has no ${required}`);
    }
    const id = given.get('xml:id');
    if (id !== undefined && ids.has(id)) faults.push(`the id ${id} is there twice`);
    if (id !== undefined) ids.add(id);
    references.push(
      ...(given.get('style')?.split(' ') ?? []),
      ...['region', 'ttm:agent'].flatMap((key) => given.get(key) ?? []),
    );
    if (name === 'p' && !(given.get('begin')! < given.get('end')!)) faults.push('p ends too early');
    if (name === 'region') faults.push(...regionFaults(given));
    for (const child of element.children) if (typeof child !== 'string') visit(child);
  };
  const root = readXml(document);
  if (nameOf(root) !== 'tt') faults.push(`the root is ${nameOf(root)}`);
  visit(root);
  for (const reference of references) if (!ids.has(reference)) faults.push(`no ${reference}`);
  return faults;
}

/** Checks that a region is within the picture. */
function* regionFaults(given: ReadonlyMap<string, string>) {
  const [origin = [], extent = []] = ['tts:origin', 'tts:extent'].map((name) =>
    (given.get(name) ?? '').split(' ').map(Number.parseFloat),
  );
  for (const axis of [0, 1]) {
    if (!((origin[axis] ?? 0) + (extent[axis] ?? 0) <= 100)) yield 'a region leaves the picture';
  }
}
