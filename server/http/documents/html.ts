/** Markdown → HTML. Raw HTML is shown as text and links keep to a few protocols: a document can hold no script. */
import { Marked, type Tokens } from 'marked';
import { getHeadingList, gfmHeadingId } from 'marked-gfm-heading-id';

export interface Heading {
  level: number;
  id: string;
  /** As HTML: escaped, with code marked up. */
  html: string;
}

export interface Html {
  body: string;
  /** In the order they stand. */
  headings: Heading[];
}

/** Renders a document. The ids of its headings are those that GitHub would give. */
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

/** Text as HTML text or as a quoted attribute. */
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
 * A link's target where it is safe, otherwise null. The address is read as a browser reads it, so
 * that tabs, entities and case hide nothing.
 */
export function safeHref(href: string): string | null {
  const url = URL.parse(href, 'https://document.invalid/');
  return url && PROTOCOLS.has(url.protocol) ? href : null;
}

/** Tables of the document that is being rendered: a region that scrolls needs a name of its own. */
let tables = 0;

const renderer = new Marked(gfmHeadingId(), {
  tokenizer: {
    // Behind a `<script>` or `<pre>` within a line the rest would count as raw, and stay as it is.
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
    // Long lines scroll inside their block, and what scrolls must be reachable from the keyboard.
    code({ text, lang }: Tokens.Code) {
      const language = /^[\w-]+/.exec(lang ?? '')?.[0] ?? '';
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
