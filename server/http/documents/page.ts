/**
 * The page around a document: head, landmarks and table of contents, with one inline style, identified by its hash in
 * the policy, and one small script from this host.
 */
import { type Source, escapeHtml, markdownToHtml, fill, type Html } from './html.ts';
import frontCss from '../../../content/front.css' with { type: 'text' };
import frontHtml from '../../../content/front.html' with { type: 'text' };
import pageCss from '../../../content/page.css' with { type: 'text' };
import baseCss from '../../../web/base.css' with { type: 'text' };
import tokensCss from '../../../web/tokens.css' with { type: 'text' };
import { documentPolicy } from '../response-headers.ts';

/** The types of Bun take every HTML file for a bundle. */
const FRONT = frontHtml as unknown as string;

const css = [tokensCss, baseCss, pageCss].join('\n');
const cssOfFront = [css, frontCss].join('\n');
/** The policy of a page. */
export const PAGE_POLICY = documentPolicy(css);
const FRONT_POLICY = documentPolicy(cssOfFront);

/** The content security policy of a page. */
export const policyOf = ({ front }: Pick<PageOptions, 'front'>): string =>
  front ? FRONT_POLICY : PAGE_POLICY;

/** The address of a page and of its Markdown. */
interface PagePaths {
  path: string;
  markdownPath: string;
}

export interface PageOptions {
  baseUrl: string;
  /** Null for a page that appears at any address. */
  place: PagePaths | null;
  /** The level of the smallest headings in the table of contents. */
  depth?: 2 | 3;
  /** The values of placeholders, for the page at `/`, whose document is folded below what it says to people. */
  front?: Record<string, string>;
}

/** Renders a whole HTML page. */
export function renderPage(source: Source, options: PageOptions): string {
  const { baseUrl, place, depth = 2, front } = options;
  const { body, headings } = markdownToHtml(source.markdown);
  const base = escapeHtml(baseUrl);
  // The page's own files are loaded from the address of the page, because the policy allows nothing else.
  const here = escapeHtml(new URL(baseUrl).pathname.replace(/\/$/, ''));
  const contents = tableOfContents(headings, depth);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${escapeHtml(source.title)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="${escapeHtml(source.description)}">
<meta name="color-scheme" content="light dark">
${place ? addresses(base, place) : '<meta name="robots" content="noindex">'}
<link rel="icon" type="image/svg+xml" href="${here}/favicon.svg">
<style>${front ? cssOfFront : css}</style>
<script type="module" blocking="render" src="${here}/page.js"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="site">
<a class="brand" href="${base}/"><img src="${here}/favicon.svg" alt="" width="24" height="24">Captioner</a>
<nav aria-label="Site">
${links(SITE_LINKS, base, place?.path)}
</nav>
</header>
${front ? folded(fill('front.html', FRONT, { ...front, here }), contents, body) : plain(contents, body)}<footer class="site">
<nav aria-label="More">
${links(MORE_LINKS, base, place?.path)}
</nav>
${place ? provenance(base, place, source) : ''}</footer>
</body>
</html>
`;
}

const plain = (
  contents: string,
  body: string,
): string => `<div class="columns${contents ? '' : ' single'}">
${contents}<main id="content">
<article>
${body}</article>
</main>
</div>
`;

/** A page for people, with the document folded below; a link to a heading of the document opens it. */
const folded = (
  front: string,
  contents: string,
  body: string,
): string => `<div class="columns front">
<main id="content">
${front}<details id="developers">
<summary><h2>For developers and agents</h2></summary>
${contents}<article>
${body.replace(/^<h1 .*?<\/h1>\n/, '')}</article>
</details>
</main>
</div>
`;

const SITE_LINKS = [
  ['/', 'Service'],
  ['/app', 'App'],
  ['/guide', 'Guide'],
  ['/auth', 'Get a key'],
  ['/docs', 'API reference'],
] as const;

const MORE_LINKS = [
  ['/openai', 'From whisper-1'],
  ['/limits', 'Limits'],
  ['/privacy', 'Privacy'],
  ['/skills/captioner/SKILL.md', 'Agent skill'],
  ['/openapi.json', 'OpenAPI'],
  ['/llms.txt', 'llms.txt'],
] as const;

function links(list: readonly (readonly [string, string])[], base: string, path = ''): string {
  return list
    .map(([href, text]) => {
      const current = path === href ? ' aria-current="page"' : '';
      return `<a href="${base}${href}"${current}>${text}</a>`;
    })
    .join('\n');
}

const addresses = (base: string, { path, markdownPath }: PagePaths): string =>
  `<link rel="canonical" href="${base}${path}">
<link rel="alternate" type="text/markdown" href="${base}${markdownPath}">`;

function provenance(base: string, { path, markdownPath }: PagePaths, { updated }: Source): string {
  const how = path === markdownPath ? ': ask for <code>text/markdown</code>' : '';
  return `<p>Last changed <time datetime="${updated}">${updated}</time>. <a href="${base}${markdownPath}" type="text/markdown">This page as Markdown</a>${how}.</p>
`;
}

function tableOfContents(headings: Html['headings'], depth: number): string {
  if (headings.filter(({ level }) => level === 2).length < 3) return '';
  const items = headings
    .filter(({ level }) => level >= 2 && level <= depth)
    .map(({ id, html, level }) => {
      const within = level > 2 ? ' class="within"' : '';
      return `<li${within}><a href="#${id}">${html}</a></li>`;
    });
  return `<nav class="contents" aria-labelledby="contents-title">
<h2 id="contents-title">On this page</h2>
<ol>
${items.join('\n')}
</ol>
</nav>
`;
}
