/**
 * Reads the source of a document, Markdown with front matter and {{placeholders}}, and converts it to HTML. Raw HTML
 * is shown as text and links are limited to a few protocols, so a document cannot contain scripts.
 */
import { FAILSAFE_SCHEMA, load } from 'js-yaml';
import { Marked, type Tokens } from 'marked';
import { getHeadingList, gfmHeadingId } from 'marked-gfm-heading-id';
import { open, Type, validator, type Static } from '../../contract/schema.ts';
import { DocumentError, fill } from '../../texts/fill.ts';

interface Heading {
  level: number;
  id: string;
  /** The text as HTML: escaped, with code marked up. */
  html: string;
}

export interface Html {
  body: string;
  /** In document order. */
  headings: Heading[];
}

/** Renders a document. Headings get the same ids as on GitHub. */
export function markdownToHtml(markdown: string): Html {
  tables = 0;
  const body = renderer.parse(markdown, { async: false });
  const headings = getHeadingList().map(({ level, id, text }) => ({
    level,
    id,
    html: text.replace(/<\/?a\b[^<>]*>/g, ''),
  }));
  return { body, headings };
}

/** Escapes text for HTML, including quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const PROTOCOLS = new Set(['http:', 'https:', 'mailto:']);

/**
 * The target of a link if it is safe, otherwise null. The address is parsed as a browser does it, so that tabs,
 * entities and case cannot hide anything.
 */
function safeHref(href: string): string | null {
  const url = URL.parse(href, 'https://document.invalid/');
  return url && PROTOCOLS.has(url.protocol) ? href : null;
}

/** The number of tables in the current document, since each scrolling region needs a name of its own. */
let tables = 0;

/** Text in a cell of a table: on one line, without the end of the cell. */
export const markdownCell = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .replaceAll('|', String.raw`\|`)
    .trim();

/** A table; empty if it has no rows. Columns without any text are left out. */
export function markdownTable(
  heads: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  if (rows.length === 0) return '';
  const used = heads.map((_, at) => rows.some((row) => row[at] !== ''));
  const line = (cells: readonly string[]): string =>
    `| ${cells
      .filter((_, at) => used[at])
      .map(markdownCell)
      .join(' | ')} |`;
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n');
}

/** A value as inline code. A text that contains backticks is enclosed in more of them. */
export function markdownCode(value: string): string {
  const longest = Math.max(0, ...[...value.matchAll(/`+/g)].map(([run]) => run.length));
  if (longest === 0) return `\`${value}\``;
  const fence = '`'.repeat(longest + 1);
  return `${fence} ${value} ${fence}`;
}

/** A block of code. */
export const markdownBlock = (language: string, text: string): string =>
  `\`\`\`${language}\n${text}\n\`\`\``;

/** The id that a page gives to a heading, as GitHub does. */
export const markdownSlug = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{Letter}\p{Number}\s_-]/gu, '')
    .replaceAll(' ', '-');

const renderer = new Marked(gfmHeadingId(), {
  tokenizer: {
    // Otherwise the rest of a line after `<script>` or `<pre>` would count as raw and stay unescaped.
    inlineText() {
      this.lexer.state.inRawBlock = false;
      return false;
    },
  },
  renderer: {
    html: ({ text }: Tokens.HTML | Tokens.Tag) => escapeHtml(text),
    link({ href, title, tokens }: Tokens.Link) {
      const text = this.parser.parseInline(tokens);
      const target = safeHref(href);
      if (target === null) return text;
      const hint = title ? ` title="${escapeHtml(title)}"` : '';
      return `<a href="${escapeHtml(target)}"${hint}>${text}</a>`;
    },
    image: ({ text }: Tokens.Image) => escapeHtml(text),
    // Long lines scroll inside their block, which must therefore be reachable with the keyboard.
    code({ text, lang }: Tokens.Code) {
      const language = /^[\w-]+/.exec(lang ?? '')?.[0];
      const attribute = language ? ` class="language-${language}"` : '';
      return `<pre tabindex="0"><code${attribute}>${escapeHtml(text)}\n</code></pre>\n`;
    },
    table({ header, rows }: Tokens.Table) {
      const cells = (row: Tokens.TableCell[], tag: string) =>
        row.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag.slice(0, 2)}>`);
      const head = cells(header, 'th scope="col"').join('');
      const body = rows.map((row) => `<tr>${cells(row, 'td').join('')}</tr>\n`).join('');
      const table = `<table>\n<thead><tr>${head}</tr></thead>\n<tbody>\n${body}</tbody>\n</table>`;
      return `<div class="table" role="region" aria-label="Table ${(tables += 1)}" tabindex="0">${table}</div>\n`;
    },
  },
});

const FrontMatter = open({
  title: Type.Optional(Type.String({ minLength: 1 })),
  name: Type.Optional(Type.String({ pattern: '^[a-z0-9]+(-[a-z0-9]+)*$', maxLength: 64 })),
  description: Type.String({ minLength: 1, maxLength: 1024 }),
  updated: Type.Optional(Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$' })),
  metadata: Type.Optional(
    open({ updated: Type.Optional(Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$' })) }),
  ),
});

/** A document with its placeholders filled in. */
export interface Source {
  title: string;
  /** The name of a skill; empty for all other documents. */
  name: string;
  description: string;
  /** The day on which its text last changed, YYYY-MM-DD. */
  updated: string;
  /** The Markdown below the front matter. */
  markdown: string;
  /** The whole file including front matter, as a skill is served. */
  whole: string;
}

/**
 * Fills in and parses a document.
 * @param file the name of the file, for messages
 * @param values the values of the placeholders
 * @throws {DocumentError} a placeholder is unknown, or the front matter is missing or invalid
 */
export function readSource(file: string, text: string, values: Record<string, string>): Source {
  const whole = fill(file, text.replaceAll('\r\n', '\n'), values);
  const parts = /^---\n(.*?)\n---\n(.*)$/s.exec(whole);
  if (!parts) throw new DocumentError(`${file}: there is no front matter`);
  const [, head = '', body = ''] = parts;
  const markdown = body.replace(/^\n+/, '');
  const matter: unknown = load(head, { schema: FAILSAFE_SCHEMA });
  const schema = validator(FrontMatter);
  if (!schema.check(matter)) {
    const issues = schema.issues(matter).map(({ path, message }) => `${path} ${message}`);
    throw new DocumentError(`${file}: front matter: ${issues.join(', ')}`);
  }
  return { ...describe(file, matter), markdown, whole };
}

function describe(file: string, matter: Static<typeof FrontMatter>) {
  const { name = '', title = name, description } = matter;
  const updated = matter.updated ?? matter.metadata?.updated;
  if (!title || !updated) {
    throw new DocumentError(`${file}: front matter needs title (or name) and updated`);
  }
  return { title, name, description, updated };
}
