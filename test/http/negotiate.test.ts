/** Content negotiation: the representation that a request gets. */
import { describe, expect, test } from 'bun:test';
import * as fc from 'fast-check';
import {
  acceptsGzip,
  matchesEntityTag,
  preferredEncoding,
  prefersMarkdown,
  prefersPage,
  prefersProblemDetails,
} from '../../server/http/negotiate.ts';

const BROWSER =
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';

describe('Markdown or HTML', () => {
  test.each([
    ['text/markdown'],
    ['TEXT/Markdown'],
    ['text/markdown; charset=utf-8'],
    ['text/markdown;charset=utf-8;q=0.3'],
    ['text/markdown;q=0.001'],
    ['text/markdown, */*'],
    ['text/markdown, text/html'],
    ['text/html, text/markdown'],
    ['text/html;q=0.8,text/markdown;q=0.9'],
    ['text/markdown; q=0.5 , text/html ; Q=0.5'],
    ['text/markdown, text/html;q=0'],
    ['text/markdown;q=0.2, application/json'],
    ['text/markdown;title="a, b;q=0";q=1, text/html;q=0.9'],
    ['text/markdown, text/plain, */*;q=0.1'],
    ['text/markdown;seq=0'],
    ['"text/html,x", text/markdown;q=0.5'],
    ['text/markdown;title="x\\", text/html;q=1, y";q=0.5'],
    ['text/html;title="a", text/markdown'],
    ['text/markdown;q=0.5, text/html;q=0.4, text/*, */*'],
    ['text/markdown;q=0.5, text/*;q=0.4, */*'],
    ['text/html;q=0.9, text/markdown;q=0.1, text/markdown'],
  ])('%s: Markdown', (accept) => expect(prefersMarkdown(accept)).toBe(true));

  test.each([
    [null],
    [''],
    ['text/html;q=0.5;v="\\",text/markdown;w=\\""'],
    ['*/*'],
    ['text/*'],
    ['text/html'],
    [BROWSER],
    ['application/json'],
    ['text/markdown;q=0'],
    ['text/markdown;q =0'],
    ['text/markdown;q=0.000, */*'],
    ['text/markdown;q=0.4, text/html;q=0.5'],
    ['text/markdown;q=0.9, */*'],
    ['text/markdown;q=0.9, text/*'],
    ['text/markdown-x'],
    ['text/markdown;q=high'],
    ['text/markdown;q=1.5'],
    ['text/markdown;q=0.1234'],
    ['text/markdown;q=1.0000'],
    [',,;q=1'],
  ])('%s: HTML', (accept) => expect(prefersMarkdown(accept)).toBe(false));

  test('headers without Markdown or a coding select neither', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 400 }), (accept) => {
        if (!/markdown/i.test(accept)) expect(prefersMarkdown(accept)).toBe(false);
        if (!/gzip|br|zstd|\*/i.test(accept)) expect(preferredEncoding(accept)).toBe('identity');
        expect(typeof prefersMarkdown(accept)).toBe('boolean');
        expect(['identity', 'gzip', 'br', 'zstd']).toContain(preferredEncoding(accept));
      }),
    );
  });

  test('Markdown is selected exactly if its quality is above 0 and at least that of HTML', () => {
    const quality = fc.integer({ min: 0, max: 1000 }).map((thousandths) => thousandths / 1000);
    fc.assert(
      fc.property(quality, quality, fc.boolean(), (markdown, html, swap) => {
        const parts = [`text/markdown;q=${markdown}`, `text/html;q=${html}`];
        if (swap) parts.reverse();
        expect(prefersMarkdown(parts.join(', '))).toBe(markdown > 0 && markdown >= html);
      }),
    );
  });
});

describe('content codings', () => {
  test.each([
    [null, 'identity'],
    ['', 'identity'],
    ['identity', 'identity'],
    ['deflate', 'identity'],
    ['gzip', 'gzip'],
    ['x-gzip', 'gzip'],
    ['gzip, deflate, br, zstd', 'br'],
    ['BR', 'br'],
    ['*', 'br'],
    ['br;q=0, *', 'zstd'],
    ['gzip, zstd', 'zstd'],
    ['zstd;q=0.5, gzip', 'gzip'],
    ['br;q=0, zstd;q=0, *', 'gzip'],
    ['gzip;q=1, br;q=0.5', 'gzip'],
    ['gzip;q=0, br;q=0', 'identity'],
    ['*;q=0', 'identity'],
    ['identity, gzip;q=0.5', 'identity'],
    ['x-gzip;q=0, *;q=0.5', 'br'],
    ['gzip;q=0, x-gzip', 'identity'],
    ['x-gzip;q=0.4, zstd;q=0.3, identity;q=0.4', 'gzip'],
    ['*;q=0.5, identity;q=0.6', 'identity'],
    ['br;q=0.2, br;q=0.9, gzip;q=0.5', 'br'],
  ] as const)('%s: %s', (accept, encoding) => expect(preferredEncoding(accept)).toBe(encoding));
});

describe('a page or JSON for an error', () => {
  test.each([
    [BROWSER, true],
    [`${BROWSER},application/signed-exchange;v=b3;q=0.7`, true],
    ['text/html', true],
    ['TEXT/HTML;q=0.2', true],
    [null, false],
    ['', false],
    ['*/*', false],
    ['application/json', false],
    ['application/json, text/html', false],
    ['application/json;q=0.5, text/html', true],
    ['text/markdown, text/html', false],
    ['text/html;q=0, */*', false],
  ])('%j: %p', (accept, page) => expect(prefersPage(accept)).toBe(page));
});

describe('entity tags', () => {
  test.each([
    ['"a"', true],
    ['W/"a"', true],
    ['"b", W/"a"', true],
    ['*', true],
    ['"b"', false],
    ['a', false],
    ['a, "a', false],
    [' * ', true],
    ['"*"', false],
    ['"A"', false],
    [null, false],
  ])('%s', (header, matches) => {
    expect(matchesEntityTag(header, '"a"')).toBe(matches);
    expect(matchesEntityTag(header, 'W/"a"')).toBe(matches);
  });

  test('are ignored in a header of more than 1,024 characters, as all negotiation is', () => {
    const long = (text: string, length: number) => `${' '.repeat(length - text.length)}${text}`;
    for (const [length, isRead] of [
      [1024, true],
      [1025, false],
    ] as const) {
      expect(matchesEntityTag(long('"a"', length), '"a"')).toBe(isRead);
      expect(matchesEntityTag(long('*', length), '"a"')).toBe(isRead);
      expect(prefersMarkdown(long('text/markdown', length))).toBe(isRead);
      expect(prefersPage(long('text/html', length))).toBe(isRead);
      expect(acceptsGzip(long('gzip', length))).toBe(isRead);
      expect(preferredEncoding(long('gzip', length))).toBe(isRead ? 'gzip' : 'identity');
      expect(prefersProblemDetails(long('application/problem+json', length))).toBe(isRead);
    }
  });
});

describe('compression of a stream', () => {
  test.each([
    ['gzip'],
    ['x-gzip'],
    ['*'],
    ['gzip, identity'],
    ['gzip;q=0.5'],
    ['br, gzip;q=0.1'],
    ['x-gzip, *;q=0'],
  ])('%s: gzip', (accept) => expect(acceptsGzip(accept)).toBe(true));
  test.each([
    [null],
    [''],
    ['br'],
    ['gzip;q=0'],
    ['identity, gzip;q=0.5'],
    ['gzip;q=0, *'],
    ['gzip;q=0, x-gzip'],
    ['x-gzip;q=0, *'],
  ])('%s: none', (accept) => expect(acceptsGzip(accept)).toBe(false));
});

describe('errors as problem details', () => {
  test.each([
    ['application/problem+json'],
    ['application/problem+json, application/json'],
    ['application/json;q=0.5, application/problem+json;q=0.5'],
  ])('%s: yes', (accept) => expect(prefersProblemDetails(accept)).toBe(true));
  test.each([
    [null],
    ['application/json'],
    ['*/*'],
    ['application/problem+json;q=0'],
    ['application/json, application/problem+json;q=0.5'],
  ])('%s: the errors of the contract', (accept) =>
    expect(prefersProblemDetails(accept)).toBe(false),
  );
});
