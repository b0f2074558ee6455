/** Rendering documents from Markdown: placeholders and escaping. */
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Glob } from 'bun';
import * as fc from 'fast-check';
import type { ProviderSummary } from '../../server/contract/providers.ts';
import { ERROR_MARKS, errorPage } from '../../server/http/documents/page.ts';
import { markdownToHtml, safeHref } from '../../server/http/documents/html.ts';
import { keyStorage } from '../../server/http/documents/key-storage.ts';
import { DocumentError, readSource } from '../../server/http/documents/source.ts';
import { placeholderValues } from '../../server/http/documents/values.ts';
import { Problem } from '../../server/http/problems.ts';
import { lifetimes, packs } from '../support/documents.ts';

const contentFolder = fileURLToPath(new URL('../../content', import.meta.url));

const document = (body: string, matter = 'title: A\ndescription: B\nupdated: 2026-11-20') =>
  `---\n${matter}\n---\n${body}`;

describe('placeholders', () => {
  test('are replaced everywhere, even by values that look like replacement patterns', () => {
    const text = document(
      'at {{ place }} and {{place}}',
      'title: "{{place}}"\ndescription: B\nupdated: 2026-11-20',
    );
    const source = readSource('a.md', text, { place: '$&$1' });
    expect(source.markdown).toBe('at $&$1 and $&$1');
    expect(source.title).toBe('$&$1');
    expect(source.updated).toBe('2026-11-20');
  });

  test.each([['{{nowhere}}'], ['{{toString}}'], ['{{}}'], ['{{ two words }}']])(
    '%s is an error that names the file and the placeholder',
    (placeholder) => {
      const read = () => readSource('a.md', document(placeholder), { place: 'x' });
      expect(read).toThrow(DocumentError);
      expect(read).toThrow(/^a\.md: unknown placeholder/);
    },
  );

  test.each([
    ['no front matter', '# A'],
    ['no title', document('x', 'description: B\nupdated: 2026-11-20')],
    ['no description', document('x', 'title: A\nupdated: 2026-11-20')],
    ['no day', document('x', 'title: A\ndescription: B')],
    ['no real day', document('x', 'title: A\ndescription: B\nupdated: soon')],
  ])('%s is an error', (_name, text) => {
    expect(() => readSource('a.md', text, {})).toThrow(DocumentError);
  });
});

test('every value is used, and every placeholder has a value', async () => {
  const used = new Set<string>();
  for await (const file of new Glob('*.md').scan(contentFolder)) {
    const text = await Bun.file(join(contentFolder, file)).text();
    for (const [, name = ''] of text.matchAll(/\{\{(\w+)\}\}/g)) used.add(name);
  }
  const values = placeholderValues('https://captions.example', packs, [], lifetimes);
  // The two parts of the reference are made from /openapi.json.
  const others = [...Object.keys(ERROR_MARKS), 'operations', 'types'];
  expect(new Set([...Object.keys(values), ...others])).toEqual(used);
});

test('a missing quota is any amount, and an odd one is named in bytes', () => {
  const open = placeholderValues('https://captions.example', packs, [], {
    ...lifetimes,
    audioQuota: null,
    resultQuota: 1536,
  });
  expect([open['audio_quota'], open['result_quota']]).toEqual([
    'any amount',
    '1536 bytes in total',
  ]);
});

describe('HTML', () => {
  test('raw HTML is shown as text', () => {
    const { body } = markdownToHtml(
      '<script>alert(1)</script>\n\nan <img src=x onerror=alert(1)> b',
    );
    expect(body).not.toMatch(/<(script|img)/);
    expect(body).toContain('&lt;script&gt;');
    // Within a line, a script element would make the rest raw.
    expect(markdownToHtml('a <script> <b').body).toBe('<p>a &lt;script&gt; &lt;b</p>\n');
  });

  test.each([
    ['https://a.example/', true],
    ['http://a.example/', true],
    ['mailto:a@b.example', true],
    ['/auth.md', true],
    ['#media', true],
    ['javascript:alert(1)', false],
    ['JaVaScript:alert(1)', false],
    ['java\nscript:alert(1)', false],
    [' javascript:alert(1)', false],
    ['data:text/html,x', false],
    ['vbscript:x', false],
    ['file:///etc/passwd', false],
  ])('%j may be linked: %p', (href, safe) => expect(safeHref(href) !== null).toBe(safe));

  test('a link with another protocol keeps only its text', () => {
    expect(markdownToHtml('[here](javascript:alert(1))').body).toBe('<p>here</p>\n');
    const { body } = markdownToHtml('[here](&#106;avascript:alert(1))');
    expect(body).not.toMatch(/href="(&#|j)/);
  });

  test('no text creates an element that documents do not have', () => {
    const allowed =
      /^(p|em|strong|del|code|pre|a|h[1-6]|ul|ol|li|blockquote|hr|br|input|div|table|thead|tbody|tr|th|td)$/;
    const piece = fc.constantFrom(
      '<',
      '>',
      '"',
      "'",
      '[',
      ']',
      '(',
      ')',
      '`',
      'a',
      'javascript:',
      '\n',
      '|',
      '-',
      '&lt;',
      'script',
      ' onload=',
      '#',
      '*',
      '!',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const { body } = markdownToHtml(pieces.join(''));
        for (const [, tag = '', attributes = ''] of body.matchAll(
          /<\/?([a-zA-Z][^\s/>]*)([^>]*)>/g,
        )) {
          expect(tag).toMatch(allowed);
          expect(attributes.replaceAll(/="[^"]*"/g, '')).not.toMatch(/\son/);
        }
      }),
    );
  });

  test('headings have ids, and scrolling regions can be reached with the keyboard', () => {
    const { body, headings } = markdownToHtml(
      '## One `two`\n\n## One `two`\n\n```sh\na <b>\n```\n\n|a|\n|-|\n|b|\n',
    );
    expect(headings).toEqual([
      { level: 2, id: 'one-two', html: 'One <code>two</code>' },
      { level: 2, id: 'one-two-1', html: 'One <code>two</code>' },
    ]);
    expect(body).toContain('<pre tabindex="0"><code class="language-sh">a &lt;b&gt;');
    expect(body).toContain('<th scope="col">a</th>');
    expect(body).toContain('role="region"');
  });
});

test('an error page has the headers of the error, and depends on Accept', () => {
  const source = readSource('error.md', document('# {{error_title}}'), ERROR_MARKS);
  const headers = { 'retry-after': '5' };
  const problem = new Problem(503, 'unavailable', 'Full.', { headers });
  const page = errorPage(source, 'https://captions.example')(problem);
  expect([page.headers.get('vary'), page.headers.get('retry-after')]).toEqual(['Accept', '5']);
});

test('contents have no links, images only their text, and code only the name of its language', () => {
  expect(markdownToHtml('## [One](/one) `two`').headings[0]!.html).toBe('One <code>two</code>');
  expect(markdownToHtml('![a < b](/c.png)').body).toBe('<p>a &lt; b</p>\n');
  expect(markdownToHtml('```js "x"\n1\n```').body).toContain('<code class="language-js">');
});

test('keys of two services on one machine are stored under different names', () => {
  const { service } = keyStorage('http://localhost:3000').macos_keychain;
  expect(service).toBe('captioner localhost:3000');
});

test('a document may have the line ends of Windows', () => {
  const source = readSource('a.md', document('One\ntwo').replaceAll('\n', '\r\n'), {});
  expect([source.title, source.markdown]).toEqual(['A', 'One\ntwo']);
});

test('an incomplete upload is kept no longer than a recording, which may be a single hour', () => {
  const given = { ...lifetimes, audioTtlMs: 3_600_000 };
  const values = placeholderValues('https://captions.example', packs, [], given);
  expect([values['audio_lifetime'], values['resumable_lifetime']]).toEqual(['1 hour', '1 hour']);
});

test('a title that looks like a number is a text', () => {
  const matter = 'title: 2026\ndescription: B\nupdated: 2026-11-20';
  expect(readSource('a.md', document('x', matter), {}).title).toBe('2026');
});

test('the table of providers names the default', () => {
  const edge = { stage: 'transcription', name: 'edge', configured: true, model: 'm', limits: '' };
  const rows = [true, false].map((isDefault) => ({ ...edge, isDefault }) as ProviderSummary);
  const values = placeholderValues('https://captions.example', packs, rows, lifetimes);
  expect(values['providers_table']!.match(/yes[^|]*(?= \|)/g)).toEqual(['yes, the default', 'yes']);
});
