/**
 * Proactive content negotiation (RFC 9110, section 12): selects the representation that a request prefers. There is
 * always one, so nothing here leads to 406. A header of more than 1,024 characters is ignored.
 */
import { MAX_NEGOTIATED_HEADER } from '../contract/limits.ts';

/** The available content codings, the smallest first. */
export const CODINGS = ['br', 'zstd', 'gzip'] as const;
export type Encoding = 'identity' | (typeof CODINGS)[number];

/** One element of an Accept-like header. */
interface Preference {
  /** In lower case, without parameters. */
  name: string;
  /** From 0 to 1. */
  quality: number;
}

/**
 * Whether a client prefers Markdown to HTML: it names `text/markdown` with a quality above 0 that is at least that of
 * HTML. Wildcards mean HTML, never Markdown, so both a browser and a bare `curl` get the page.
 * @param accept the Accept header, as sent
 */
export function prefersMarkdown(accept: string | null): boolean {
  return markdownByAccept(negotiable(accept));
}

/**
 * Whether an error should be a page for people: the client names HTML explicitly, as browsers do when somebody follows
 * a link, and prefers it to the formats of programs.
 * @param accept the Accept header, as sent
 */
export function prefersPage(accept: string | null): boolean {
  return pageByAccept(negotiable(accept));
}

/**
 * The coding to send: the one with the highest quality or, among equals, the smallest. Without the header, or if it
 * refuses all available codings, the body is sent unencoded.
 * @param acceptEncoding the Accept-Encoding header, as sent
 */
export function preferredEncoding(acceptEncoding: string | null): Encoding {
  return encodingByAccept(negotiable(acceptEncoding));
}

/** Whether a body may be compressed with gzip, the coding that every runtime can produce as a stream. */
export function acceptsGzip(acceptEncoding: string | null): boolean {
  return gzipByAccept(negotiable(acceptEncoding));
}

/**
 * Whether an error is sent as problem details (RFC 9457): the client names `application/problem+json` with at least the
 * quality of plain JSON. With wildcards, errors have the contract's format.
 * @param accept the Accept header, as sent
 */
export function prefersProblemDetails(accept: string | null): boolean {
  return problemByAccept(negotiable(accept));
}

/** Whether If-None-Match contains this entity tag; the comparison is weak (RFC 9110, 13.1.2). */
export function matchesEntityTag(ifNoneMatch: string | null, tag: string): boolean {
  const header = negotiable(ifNoneMatch);
  if (header.trim() === '*') return true;
  const wanted = tag.replace(/^W\//, '');
  return header.matchAll(/"[^"]*"/g).some(([known]) => known === wanted);
}

const markdownByAccept = remembered((accept) => {
  const wanted = preferences(accept);
  const markdown = quality(wanted, 'text/markdown');
  return markdown > 0 && markdown >= quality(wanted, 'text/html', 'text/*', '*/*');
});

const pageByAccept = remembered((accept) => {
  const wanted = preferences(accept);
  const html = quality(wanted, 'text/html');
  return FOR_PROGRAMS.every((name) => quality(wanted, name) < html);
});

const FOR_PROGRAMS = [
  'application/json',
  'application/problem+json',
  'text/markdown',
  'text/event-stream',
];

/** The names of each coding; x-gzip is an old one (RFC 9110, 8.4.1.3). */
const CODING_NAMES: Record<(typeof CODINGS)[number], readonly string[]> = {
  br: ['br'],
  zstd: ['zstd'],
  gzip: ['gzip', 'x-gzip'],
};

const encodingByAccept = remembered((accept): Encoding => {
  const wanted = preferences(accept);
  let best: Encoding = 'identity';
  let most = quality(wanted, 'identity');
  for (const coding of CODINGS.toReversed()) {
    const own = quality(wanted, ...CODING_NAMES[coding], '*');
    if (own === 0 || own < most) continue;
    best = coding;
    most = own;
  }
  return best;
});

const gzipByAccept = remembered((accept) => {
  const wanted = preferences(accept);
  const gzip = quality(wanted, ...CODING_NAMES.gzip, '*');
  return gzip > 0 && gzip >= quality(wanted, 'identity');
});

const problemByAccept = remembered((accept) => {
  const wanted = preferences(accept);
  const problem = quality(wanted, 'application/problem+json');
  return problem > 0 && problem >= quality(wanted, 'application/json');
});

/** The quality of the first of these names that is given, or 0; the highest if it is given twice. */
function quality(wanted: readonly Preference[], ...names: readonly string[]): number {
  for (const name of names) {
    const found = wanted.filter((preference) => preference.name === name);
    if (found.length > 0) return Math.max(...found.map((entry) => entry.quality));
  }
  return 0;
}

function preferences(header: string): Preference[] {
  return splitOutsideQuotes(header, ',').flatMap((element) => {
    const [name = '', ...parameters] = splitOutsideQuotes(element, ';').map((part) => part.trim());
    const weight = parameters.find((parameter) => /^q\s*=/i.test(parameter));
    const value = weight === undefined ? 1 : readQuality(weight.replace(/^q\s*=\s*/i, ''));
    return name === '' || value === null ? [] : [{ name: name.toLowerCase(), quality: value }];
  });
}

/** A weight as defined by RFC 9110, 12.4.2; an element with any other weight is ignored. */
const readQuality = (text: string): number | null =>
  /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(text) ? Number(text) : null;

/** Splits a text at separators outside quotes, in linear time. */
function splitOutsideQuotes(text: string, separator: ',' | ';'): string[] {
  if (!text.includes('"')) return text.split(separator);
  const parts: string[] = [];
  let from = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (quoted && character === '\\') at += 1;
    else if (character === '"') quoted = !quoted;
    else if (!quoted && character === separator) {
      parts.push(text.slice(from, at));
      from = at + 1;
    }
  }
  return [...parts, text.slice(from)];
}

/** A header for negotiation; empty if it is missing, or longer than any that clients send. */
const negotiable = (header: string | null): string =>
  header === null || header.length > MAX_NEGOTIATED_HEADER ? '' : header;

/** The number of headers whose results are cached. */
const MAX_REMEMBERED = 500;

/** Caches results by header, because clients send the same few, and parsing one costs more than serving a document. */
function remembered<T>(read: (header: string) => T): (header: string) => T {
  const known = new Map<string, T>();
  return (header) => {
    const before = known.get(header);
    if (before !== undefined) return before;
    const value = read(header);
    if (known.size >= MAX_REMEMBERED) known.clear();
    known.set(header, value);
    return value;
  };
}
