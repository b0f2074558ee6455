/** The page around a document: head, landmarks, table of contents. No script, one inline style that the policy names by its hash. */
import { createHash } from 'node:crypto';
import pageCss from '../../../content/page.css' with { type: 'text' };
import tokensCss from '../../../web/tokens.css' with { type: 'text' };
import { escapeHtml, markdownToHtml, type Heading } from './html.ts';
import type { Source } from './source.ts';

const css = `${tokensCss}\n${pageCss}`;
const cssHash = createHash('sha256').update(css).digest('base64');

/** What a page may load: its own style and pictures of this host. */
export const PAGE_POLICY =
  `default-src 'none'; style-src 'sha256-${cssHash}'; img-src 'self'; ` +
  `base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

export interface PageOptions {
  baseUrl: string;
  /** Where the page is. */
  path: string;
  /** Where its Markdown is. */
  markdownPath: string;
}

/** Renders a whole HTML page. */
export function renderPage(source: Source, { baseUrl, path, markdownPath }: PageOptions): string {
  const { body, headings } = markdownToHtml(source.markdown);
  const title = escapeHtml(source.title);
  const base = escapeHtml(baseUrl);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="${escapeHtml(source.description)}">
<meta name="color-scheme" content="light dark">
<link rel="canonical" href="${base}${escapeHtml(path)}">
<link rel="alternate" type="text/markdown" href="${base}${escapeHtml(markdownPath)}">
<link rel="icon" type="image/svg+xml" href="${base}/favicon.svg">
<style>${css}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="site">
<a class="brand" href="${base}/">Captioner</a>
<nav aria-label="Site">
${SITE_LINKS.map(([href, text]) => siteLink(base, path, href, text)).join('\n')}
</nav>
</header>
<div class="columns">
${tableOfContents(headings)}<main id="content">
<article>
${body}</article>
</main>
</div>
<footer class="site">
<p>Last changed <time datetime="${source.updated}">${source.updated}</time>. <a href="${base}${escapeHtml(markdownPath)}" type="text/markdown">This page as Markdown</a>${path === markdownPath ? ': ask for <code>text/markdown</code>' : ''}.</p>
</footer>
</body>
</html>
`;
}

const SITE_LINKS = [
  ['/', 'Service'],
  ['/auth', 'Get a key'],
  ['/skills/captioner/SKILL.md', 'Agent skill'],
  ['/openapi.json', 'OpenAPI'],
] as const;

function siteLink(base: string, path: string, href: string, text: string): string {
  const current = path === href ? ' aria-current="page"' : '';
  return `<a href="${base}${href}"${current}>${text}</a>`;
}

function tableOfContents(headings: readonly Heading[]): string {
  const listed = headings.filter((heading) => heading.level === 2);
  if (listed.length < 3) return '';
  const items = listed.map(({ id, html }) => `<li><a href="#${id}">${html}</a></li>`);
  return `<nav class="contents" aria-labelledby="contents-title">
<h2 id="contents-title">On this page</h2>
<ol>
${items.join('\n')}
</ol>
</nav>
`;
}
