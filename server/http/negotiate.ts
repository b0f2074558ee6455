/**
 * Content negotiation (RFC 9110, section 12): what a request prefers. There is always something to send, so nothing
 * here leads to 406. Parameters other than q are ignored; to the libraries, `text/markdown; charset=utf-8` accepts no
 * Markdown.
 */
import { MAX_CHARS } from '../contract/limits.ts';

/** The available content codings, the smallest first. */
export const CODINGS = ['br', 'zstd', 'gzip'] as const;

/** A header as it counts: one that is missing, or longer than any that clients send, is empty. */
const negotiable = (header: string | null): string =>
  header === null || header.length > MAX_CHARS.negotiatedHeader ? '' : header;

/**
 * Reads a header: the result gives the quality of the first of some names that the header has, or 0. An element with a
 * weight that RFC 9110, 12.4.2, does not define is ignored.
 */
function qualities(header: string | null): (...names: string[]) => number {
  const given = new Map<string, number>();
  const bare = negotiable(header)
    .toLowerCase()
    .replaceAll(/"(?:\\.|[^"\\])*"?/gs, '""');
  for (const element of bare.split(',')) {
    const [name = '', ...parameters] = element.split(';').map((part) => part.trim());
    const weight = parameters.find((parameter) => /^q\s*=/.test(parameter)) ?? 'q=1';
    const [, value] = /^q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.exec(weight) ?? [];
    if (value !== undefined) given.set(name, Math.max(Number(value), given.get(name) ?? 0));
  }
  return (...names) => names.map((name) => given.get(name)).find((one) => one !== undefined) ?? 0;
}

/** What a request prefers, by the header `Accept` or, for codings, `Accept-Encoding`. */
export const prefers = {
  /** Markdown to HTML, if it names Markdown. Wildcards mean HTML: a browser and a bare `curl` get the page. */
  markdown(accept: string | null): boolean {
    const of = qualities(accept);
    const markdown = of('text/markdown');
    return markdown > 0 && markdown >= of('text/html', 'text/*', '*/*');
  },
  /** A page for an error: it names HTML, as browsers do for links, with more than the formats of programs. */
  page(accept: string | null): boolean {
    const of = qualities(accept);
    const programs = ['application/json', 'application/problem+json', 'text/markdown'];
    return [...programs, 'text/event-stream'].every((name) => of(name) < of('text/html'));
  },
  /** Problem details (RFC 9457), if it names them, to the contract's format of errors. */
  problemDetails(accept: string | null): boolean {
    const of = qualities(accept);
    const problem = of('application/problem+json');
    return problem > 0 && problem >= of('application/json');
  },
  /** The coding with the highest quality or, among equals, the smallest; none without the header. */
  coding(acceptEncoding: string | null): 'identity' | (typeof CODINGS)[number] {
    const of = qualities(acceptEncoding);
    // x-gzip is an old name of gzip (RFC 9110, 8.4.1.3).
    const all = { br: of('br', '*'), zstd: of('zstd', '*'), gzip: of('gzip', 'x-gzip', '*') };
    const best = CODINGS.reduce((one, other) => (all[other] > all[one] ? other : one));
    return all[best] > 0 && all[best] >= of('identity') ? best : 'identity';
  },
  /** Gzip, the coding that every runtime can produce as a stream, to an unencoded body. */
  gzip(acceptEncoding: string | null): boolean {
    const of = qualities(acceptEncoding);
    const gzip = of('gzip', 'x-gzip', '*');
    return gzip > 0 && gzip >= of('identity');
  },
};

/** The most languages of a request that count. */
const MAX_LANGUAGES = 20;

/** The languages that `Accept-Language` names, the best first; `*` and those that it refuses are left out. */
export function wantedLanguages(header: string | null): string[] {
  const tags = negotiable(header)
    .split(',', MAX_LANGUAGES)
    .map((element) => element.split(';', 1)[0]?.trim() ?? '')
    .filter((tag) => tag !== '' && tag !== '*');
  const of = qualities(header);
  return [...new Set(tags)]
    .map((tag) => [tag, of(tag.toLowerCase())] as const)
    .filter(([, quality]) => quality > 0)
    .toSorted((a, b) => b[1] - a[1])
    .map(([tag]) => tag);
}

/** Whether If-None-Match contains this entity tag; the comparison is weak (RFC 9110, 13.1.2). */
export function matchesEntityTag(ifNoneMatch: string | null, tag: string): boolean {
  const header = negotiable(ifNoneMatch);
  if (header.trim() === '*') return true;
  const wanted = tag.replace(/^W\//, '');
  return header.matchAll(/"[^"]*"/g).some(([known]) => known === wanted);
}
