/**
 * Proactive content negotiation (RFC 9110, section 12): selects the representation that a request prefers. There is
 * always one, so nothing here leads to 406. A header of more than 1,024 characters is ignored, and so are parameters
 * other than q, for which reason libraries do not serve: to them, `text/markdown; charset=utf-8` accepts no Markdown.
 */
import { MAX_CHARS } from '../contract/limits.ts';

/** The available content codings, the smallest first. */
export const CODINGS = ['br', 'zstd', 'gzip'] as const;
export type Encoding = 'identity' | (typeof CODINGS)[number];

/** The quality of the first of these names that a header has, or 0; the highest if it is there twice. */
type Quality = (...names: readonly string[]) => number;

/** The most headers whose results are kept, for each choice. */
const MAX_REMEMBERED = 500;

/** A choice by an Accept-like header. Results are kept: clients send the same few headers. */
function choice<T>(choose: (quality: Quality) => T): (header: string | null) => T {
  const known = new Map<string, T>();
  return (given) => {
    const header = negotiable(given);
    const before = known.get(header);
    if (before !== undefined) return before;
    const chosen = choose(qualities(header));
    if (known.size >= MAX_REMEMBERED) known.clear();
    known.set(header, chosen);
    return chosen;
  };
}

/**
 * Whether a client prefers Markdown to HTML: it names `text/markdown` with a quality above 0 that is at least that of
 * HTML. Wildcards mean HTML, never Markdown, so both a browser and a bare `curl` get the page.
 */
export const prefersMarkdown = choice((quality) => {
  const markdown = quality('text/markdown');
  return markdown > 0 && markdown >= quality('text/html', 'text/*', '*/*');
});

/**
 * Whether an error should be a page for people: the client names HTML explicitly, as browsers do when somebody follows
 * a link, and prefers it to the formats of programs.
 */
export const prefersPage = choice((quality) => {
  const programs = ['json', 'problem+json'].map((name) => `application/${name}`);
  const others = [...programs, 'text/markdown', 'text/event-stream'];
  return others.every((name) => quality(name) < quality('text/html'));
});

/**
 * Whether an error is sent as problem details (RFC 9457): the client names `application/problem+json` with at least the
 * quality of plain JSON. With wildcards, errors have the contract's format.
 */
export const prefersProblemDetails = choice((quality) => {
  const problem = quality('application/problem+json');
  return problem > 0 && problem >= quality('application/json');
});

/** A coding's names; x-gzip is an old one (RFC 9110, 8.4.1.3). */
const namesOf = (coding: string): string[] => (coding === 'gzip' ? ['gzip', 'x-gzip'] : [coding]);

/**
 * The coding to send: the one with the highest quality or, among equals, the smallest. Without the header, or if it
 * refuses all available codings, the body is sent unencoded.
 */
export const preferredEncoding = choice((quality): Encoding => {
  const of = (coding: Encoding) =>
    quality(...namesOf(coding), ...(coding === 'identity' ? [] : ['*']));
  const best = CODINGS.reduce<Encoding>((one, other) => (of(other) > of(one) ? other : one), 'br');
  return of(best) > 0 && of(best) >= of('identity') ? best : 'identity';
});

/** Whether a body may be compressed with gzip, the coding that every runtime can produce as a stream. */
export const acceptsGzip = choice((quality) => {
  const gzip = quality(...namesOf('gzip'), '*');
  return gzip > 0 && gzip >= quality('identity');
});

/** Whether If-None-Match contains this entity tag; the comparison is weak (RFC 9110, 13.1.2). */
export function matchesEntityTag(ifNoneMatch: string | null, tag: string): boolean {
  const header = negotiable(ifNoneMatch);
  if (header.trim() === '*') return true;
  const wanted = tag.replace(/^W\//, '');
  return header.matchAll(/"[^"]*"/g).some(([known]) => known === wanted);
}

function qualities(header: string): Quality {
  const given = new Map<string, number>();
  for (const [element] of header.matchAll(BETWEEN_COMMAS)) {
    const [name = '', ...parameters] = Array.from(element.matchAll(BETWEEN_SEMICOLONS), ([part]) =>
      part.trim().toLowerCase(),
    );
    const weight = parameters.find((parameter) => /^q\s*=/.test(parameter)) ?? 'q=1';
    // An element with a weight that RFC 9110, 12.4.2, does not define is ignored.
    const [, value] = /^q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.exec(weight) ?? [];
    if (value !== undefined) given.set(name, Math.max(Number(value), given.get(name) ?? 0));
  }
  return (...names) => given.get(names.find((name) => given.has(name)) ?? '') ?? 0;
}

/** The parts of a list; separators in quotes belong to their part. In linear time. */
const BETWEEN_COMMAS = /(?:[^",]|"(?:\\.|[^"\\])*"?)+/gs;
const BETWEEN_SEMICOLONS = /(?:[^";]|"(?:\\.|[^"\\])*"?)+/gs;

/** A header for negotiation; empty if it is missing, or longer than any that clients send. */
const negotiable = (header: string | null): string =>
  header === null || header.length > MAX_CHARS.negotiatedHeader ? '' : header;
