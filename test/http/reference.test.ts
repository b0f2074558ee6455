/** The API reference: everything in /openapi.json, as a page and as Markdown. */
import { describe, expect, test } from 'bun:test';
import { curlCommand } from '../../server/http/openapi/reference/operations.ts';
import { fieldsOf, limitsOf, notes, typeOf } from '../../server/http/openapi/reference/fields.ts';
import { code, slug, table } from '../../server/http/documents/markdown.ts';
import type { OpenApi, Operation } from '../../server/http/openapi/reference/openapi-json.ts';
import { documentsOf } from '../support/documents.ts';

const baseUrl = 'https://captions.example';
const ask = documentsOf({ baseUrl });
const html = await ask('/docs', { headers: { accept: 'text/html' } }).text();
const markdown = await ask('/docs.md').text();
const openApi: OpenApi = await ask('/openapi.json').json();
const calls = Object.entries(openApi.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
);

describe('the page', () => {
  test('is HTML, or the Markdown of /docs.md if that is preferred, and has no other script', async () => {
    const preferred = ask('/docs', { headers: { accept: 'text/markdown' } });
    expect(preferred.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    expect(await preferred.text()).toBe(markdown);
    const page = ask('/docs', { headers: { accept: 'text/html' } });
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('content-security-policy')).not.toContain('unsafe');
    expect(html.match(/<script/g)).toHaveLength(1);
  });

  test('has every operation, with its scope', () => {
    expect(calls.length).toBeGreaterThan(60);
    for (const { method, path, operation } of calls) {
      expect(markdown).toContain(`\`${method.toUpperCase()} ${path}\``);
      expect(markdown).toContain(operation.summary);
      const refuses = !Object.keys(operation.responses).some((status) => status < '300');
      if (operation.description && !refuses) expect(markdown).toContain(operation.description);
    }
    // An answer without an example has none, instead of an empty one.
    expect(markdown).not.toMatch(/```json\n\s*```/);
    const upload = markdown.slice(markdown.indexOf('\n### Upload an MP3\n'));
    expect(upload).toContain('Needs a key with the scope `captioner:audio:upload`.');
    expect(upload).toContain('The body is the file, `audio/mpeg`.');
  });

  test('has every parameter and every status of an operation', () => {
    const start = sectionOf('Start a run');
    expect(start).toContain('| `Idempotency-Key` | header | string |');
    for (const status of [200, 202, 400, 401, 403, 409, 413, 415, 422, 429, 502, 503]) {
      expect(start).toContain(`\n| ${status} | `);
    }
    expect(start).toContain(
      '| 202 | [WorkflowAccepted](#workflowaccepted) | The run was accepted. | `Location`, `Retry-After` |',
    );
    expect(sectionOf('Follow a run as a stream of events')).toContain(
      '`text/event-stream` of [WorkflowRunEvent](#workflowrunevent) or [RunTranscriptEvent](#runtranscriptevent)',
    );
  });

  test('has every type and every field of it', () => {
    for (const [name, schema] of Object.entries(openApi.components.schemas)) {
      const section = sectionOf(name);
      for (const field of Object.keys(schema.properties ?? {})) {
        expect([name, section]).toEqual([name, expect.stringContaining(`| \`${field}\` |`)]);
      }
    }
    const payload = sectionOf('CaptionerPayload');
    expect(payload).toContain('| `audio.key` | string | yes |');
    expect(payload).toContain('| `captions.maxLines` | integer |  | 1 to 3; default `2` |');
  });

  test('links to each of its headings', () => {
    const ids = new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
    const links = [...html.matchAll(/ href="#([^"]+)"/g)].map(([, id]) => id);
    expect(links.length).toBeGreaterThan(300);
    expect(links.filter((id) => !ids.has(id))).toEqual([]);
    // The table of contents has each operation and type once.
    const [contents = ''] = /<nav class="contents".*?<\/nav>/s.exec(html) ?? [];
    const listed = [...contents.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(listed).size).toBe(listed.length);
    expect(listed).toContain('start-a-run');
    expect(listed).toContain('captionerpayload');
  });

  test('has tables with as many cells in each row as in the head', () => {
    const rows = markdown.split('\n').filter((line) => line.startsWith('| '));
    let cells = 0;
    for (const [at, row] of rows.entries()) {
      const count = row.replaceAll('\\|', '').split('|').length;
      if (rows[at + 1]?.startsWith('| --- ')) cells = count;
      expect([row, count]).toEqual([row, cells]);
    }
  });
});

/** The part of the Markdown under a heading. */
function sectionOf(heading: string): string {
  const from = markdown.indexOf(`\n### ${heading}\n`);
  expect([heading, from]).toEqual([heading, expect.any(Number)]);
  expect(from).toBeGreaterThan(0);
  const to = markdown.indexOf('\n### ', from + 1);
  return markdown.slice(from, to === -1 ? undefined : to);
}

describe('its commands', () => {
  test('quote each argument as one shell word, and send the examples', async () => {
    const commands = [...markdown.matchAll(/```sh\n(.*?)\n```/gs)].map(([, command]) => command);
    expect(commands.length).toBeGreaterThan(35);
    // A curl that prints its arguments.
    const script = `curl() { printf '%s\\n' "$#" "$@"; echo; }\nCAPTIONER_API_KEY=the-key\n`;
    const shell = Bun.spawn(['sh', '-c', script + commands.join('\n')], { stdout: 'pipe' });
    const printed = (await new Response(shell.stdout).text()).trimEnd().split('\n\n');
    expect(printed).toHaveLength(commands.length);
    const addresses = printed.map((one) => one.split('\n').find((line) => line.startsWith('http')));
    for (const address of addresses) expect(address).toStartWith(`${baseUrl}/`);
    const started = printed.find((one) => one.includes('-X\nPOST\n') && /captioner\n/.test(one));
    expect(started).toContain('\nAuthorization: Bearer the-key\n');
    expect(started).toContain('\nContent-Type: application/json\n');
    expect(JSON.parse(started?.split('\n').at(-1) ?? '')).toHaveProperty('audio.key');
  });

  test('contain the required parts of path and query, quoted for the shell', () => {
    const operation = {
      security: [],
      parameters: [
        { name: 'runId', in: 'path', required: true, schema: { type: 'string' } },
        { name: 'format', in: 'path', required: true, schema: { enum: ['srt', 'vtt'] } },
        { name: 'canonical', in: 'query', required: true, example: "Ann's & Bob" },
        { name: 'limit', in: 'query', required: false, example: 3 },
        { name: 'If-Match', in: 'header', required: true, example: '"a"' },
      ],
      requestBody: { content: { 'application/json': { example: { say: "it's $1" } } } },
    } as unknown as Operation;
    expect(curlCommand({ method: 'put', path: '/r/{runId}.{format}', operation }, baseUrl)).toBe(
      [
        `curl -sS -X PUT '${baseUrl}/r/<runId>.srt?canonical=Ann'\\''s%20%26%20Bob' \\`,
        `  -H 'Content-Type: application/json' \\`,
        `  -H 'If-Match: "a"' \\`,
        `  -d '{"say":"it'\\''s $1"}'`,
      ].join('\n'),
    );
  });
});

describe('descriptions of schemas', () => {
  test.each([
    [{ type: 'integer', minimum: 1, maximum: 3, default: 2 }, 'integer', '1 to 3; default `2`'],
    [{ type: 'string', minLength: 1, maxLength: 9 }, 'string', '1 to 9 characters'],
    [{ type: 'string', minLength: 0, maxLength: 1 }, 'string', 'at most 1 character'],
    [{ type: 'number', minimum: 0, format: 'double' }, 'number', 'at least 0'],
    [{ type: 'number', exclusiveMinimum: 0 }, 'number', 'more than 0'],
    [{ type: 'string', format: 'date-time' }, 'string', 'date-time'],
    [{ type: 'string', pattern: '`|x' }, 'string', 'matches `` `|x ``'],
    [
      { type: 'array', items: { type: 'string', maxLength: 5 }, maxItems: 2 },
      'list of string',
      'at most 2 entries; each at most 5 characters',
    ],
    [{ enum: ['a', 'b'] }, '`"a"`, `"b"`', ''],
    [{ const: null }, '`null`', ''],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 'string or null', ''],
    [{ type: ['string', 'null'] }, 'string or null', ''],
    [{ additionalProperties: { type: 'number' } }, 'object of number', ''],
    [{ $ref: '#/components/schemas/CaptionCue' }, '[CaptionCue](#captioncue)', ''],
    [{}, 'any value', ''],
  ])('%j', (schema, type, limits) => {
    expect([typeOf(schema), limitsOf(schema)]).toEqual([type, limits]);
  });

  test('fields within fields have their path', () => {
    const inner = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
    const rows = fieldsOf({
      type: 'object',
      properties: {
        words: { type: 'array', items: inner },
        byName: { type: 'object', additionalProperties: inner },
      },
    }).split('\n');
    expect(rows.map((row) => row.split(' | ')[0])).toEqual([
      '| Field',
      '| ---',
      '| `words`',
      '| `words[].text`',
      '| `byName`',
      '| `byName.*.text`',
    ]);
    expect(rows[3]).toBe('| `words[].text` | string | yes |');
  });

  test('a description and limits are two phrases, or sentences', () => {
    expect(notes({ description: 'in seconds', minimum: 0 })).toBe('in seconds; at least 0');
    expect(notes({ description: 'In seconds.', minimum: 0 })).toBe('In seconds. At least 0.');
    expect(notes({ minimum: 0 })).toBe('at least 0');
  });
});

test('foreign text stays within its cell', () => {
  expect(table(['A', 'B', 'C'], [['a|b\n# No', '', '`x`']])).toBe(
    '| A | C |\n| --- | --- |\n| a\\|b # No | `x` |',
  );
  expect(table(['A'], [])).toBe('');
  expect(code('a``b')).toBe('``` a``b ```');
  expect(slug('Start a run: GET /x_y (3)')).toBe('start-a-run-get-x_y-3');
});
