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
  const header = negotiable(accept);
  return header !== null && markdownByAccept(header);
}

/**
 * Whether an error should be a page for people: the client names HTML explicitly, as browsers do when somebody follows
 * a link, and prefers it to the formats of programs.
 * @param accept the Accept header, as sent
 */
export function prefersPage(accept: string | null): boolean {
  const header = negotiable(accept);
  return header !== null && pageByAccept(header);
}

/**
 * The coding to send: the one with the highest quality or, among equals, the smallest. Without the header, or if it
 * refuses all available codings, the body is sent unencoded.
 * @param acceptEncoding the Accept-Encoding header, as sent
 */
export function preferredEncoding(acceptEncoding: string | null): Encoding {
  const header = negotiable(acceptEncoding);
  return header === null ? 'identity' : encodingByAccept(header);
}

/** Whether a body may be compressed with gzip, the coding that every runtime can produce as a stream. */
export function acceptsGzip(acceptEncoding: string | null): boolean {
  const header = negotiable(acceptEncoding);
  return header !== null && gzipByAccept(header);
}

/**
 * Whether an error is sent as problem details (RFC 9457): the client names `application/problem+json` with at least the
 * quality of plain JSON. With wildcards, errors have the contract's format.
 * @param accept the Accept header, as sent
 */
export function prefersProblemDetails(accept: string | null): boolean {
  const header = negotiable(accept);
  return header !== null && problemByAccept(header);
}

/** Whether If-None-Match contains this entity tag; the comparison is weak (RFC 9110, 13.1.2). */
export function matchesEntityTag(ifNoneMatch: string | null, tag: string): boolean {
  const header = negotiable(ifNoneMatch);
  if (header === null) return false;
  if (header.trim() === '*') return true;
  const known: string[] = header.match(/"[^"]*"/g) ?? [];
  return known.includes(tag.replace(/^W\//, ''));
}

const markdownByAccept = remembered((accept) => {
  const wanted = preferences(accept);
  const markdown = quality(wanted, 'text/markdown');
  if (markdown === undefined || markdown === 0) return false;
  const html = quality(wanted, 'text/html') ?? quality(wanted, 'text/*') ?? quality(wanted, '*/*');
  return markdown >= (html ?? 0);
});

const pageByAccept = remembered((accept) => {
  const wanted = preferences(accept);
  const html = quality(wanted, 'text/html') ?? 0;
  return FOR_PROGRAMS.every((name) => (quality(wanted, name) ?? 0) < html);
});

const FOR_PROGRAMS = [
  'application/json',
  'application/problem+json',
  'text/markdown',
  'text/event-stream',
];
const encodingByAccept = remembered((accept): Encoding => {
  const wanted = preferences(accept);
  const any = quality(wanted, '*') ?? 0;
  const legacyGzip = quality(wanted, 'x-gzip');
  let best: Encoding = 'identity';
  let most = quality(wanted, 'identity') ?? 0;
  for (const coding of CODINGS.toReversed()) {
    const own = quality(wanted, coding) ?? (coding === 'gzip' ? legacyGzip : undefined) ?? any;
    if (own === 0 || own < most) continue;
    best = coding;
    most = own;
  }
  return best;
});

const gzipByAccept = remembered((accept) => {
  const wanted = preferences(accept);
  const gzip = quality(wanted, 'gzip') ?? quality(wanted, 'x-gzip') ?? quality(wanted, '*') ?? 0;
  return gzip > 0 && gzip >= (quality(wanted, 'identity') ?? 0);
});

const problemByAccept = remembered((accept) => {
  const wanted = preferences(accept);
  const problem = quality(wanted, 'application/problem+json') ?? 0;
  return problem > 0 && problem >= (quality(wanted, 'application/json') ?? 0);
});

/** The quality of a name; the highest if it is given twice. */
function quality(wanted: readonly Preference[], name: string): number | undefined {
  const found = wanted.filter((preference) => preference.name === name);
  return found.length === 0 ? undefined : Math.max(...found.map((entry) => entry.quality));
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

/** A header for negotiation, unless it is longer than any that clients send. */
const negotiable = (header: string | null): string | null =>
  header === null || header.length > MAX_NEGOTIATED_HEADER ? null : header;

/** The longest header whose result is cached; longer ones are rare. The cache holds at most 500 of them. */
const LONGEST_REMEMBERED = 256;
const MOST_REMEMBERED = 500;

/** Caches results by header, because clients send the same few, and parsing one costs more than serving a document. */
function remembered<T>(read: (header: string) => T): (header: string) => T {
  const known = new Map<string, T>();
  return (header) => {
    const before = known.get(header);
    if (before !== undefined) return before;
    const value = read(header);
    if (header.length <= LONGEST_REMEMBERED) {
      if (known.size >= MOST_REMEMBERED) known.clear();
      known.set(header, value);
    }
    return value;
  };
}
