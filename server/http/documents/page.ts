/**
 * The page around a document: head, landmarks and table of contents, with one inline style, identified by its hash in
 * the policy, and one small script from this host.
 */
import { type Source, escapeHtml, markdownToHtml, type Html } from './html.ts';
import frontCss from '../../../content/front.css' with { type: 'text' };
import frontHtml from '../../../content/front.html' with { type: 'text' };
import pageCss from '../../../content/page.css' with { type: 'text' };
import baseCss from '../../../web/base.css' with { type: 'text' };
import tokensCss from '../../../web/tokens.css' with { type: 'text' };
import { documentPolicy } from '../response-headers.ts';
import { directionOf, ownName } from '../../contract/best-language.ts';
import { fill } from '../../texts/fill.ts';
import { type LanguageTexts, textsIn } from '../../texts/languages.ts';
import { valuesIn } from './values.ts';

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

/** For people; what programs and agents need is below each page. */
const SITE_LINKS = ['/', '/guide', '/docs', '/sign-in', '/app'];

/** What programs and agents need, and the small print. */
const MORE_LINKS = [
  '/auth',
  '/openai',
  '/limits',
  '/privacy',
  '/skills/captioner/SKILL.md',
  '/openapi.json',
  '/llms.txt',
];

/** The names of those that have one in every language. */
const NAMES: Readonly<Record<string, string>> = {
  '/openapi.json': 'OpenAPI',
  '/llms.txt': 'llms.txt',
};

/** The pages that there are in every language. */
const IN_EVERY_LANGUAGE = new Set(['/', '/guide', '/app']);

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
  /** Default: English. */
  language?: string;
  /** All languages in which there is this page. */
  languages?: readonly string[];
}

/** Renders a whole HTML page. */
export function renderPage(source: Source, options: PageOptions): string {
  const { baseUrl, place, depth = 2, front, language = 'en', languages = [] } = options;
  const texts = textsIn(language);
  const words = texts.page;
  const { body, headings } = markdownToHtml(source.markdown);
  const base = escapeHtml(baseUrl);
  // The page's own files are loaded from the address of the page, because the policy allows nothing else.
  const here = escapeHtml(new URL(baseUrl).pathname.replace(/\/$/, ''));
  const contents = tableOfContents(headings, depth, front ? textsIn('en').page : words);
  return `<!doctype html>
<html lang="${language}" dir="${directionOf(language)}">
<head>
<meta charset="utf-8">
<title>${escapeHtml(source.title)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="${escapeHtml(source.description)}">
<meta name="color-scheme" content="light dark">
${place ? addresses(base, place, language, languages) : '<meta name="robots" content="noindex">'}
<link rel="icon" type="image/svg+xml" href="${here}/favicon.svg">
${front ? `<link rel="preload" as="font" type="font/woff2" href="${here}/fonts/figtree-bold.woff2" crossorigin>\n` : ''}<style>${front ? cssOfFront : css}</style>
<script type="module" blocking="render" data-copy="${words['copy']}" data-copied="${words['copied']}" data-not-copied="${words['notCopied']}" src="${here}/page.js"></script>
</head>
<body>
<a class="skip" href="#content">${words['skip']}</a>
<header class="site">
<a class="brand" href="${addressIn(base, '/', language)}"><img src="${here}/favicon.svg" alt="" width="24" height="24">Captioner</a>
<nav aria-label="${words['site']}">
${links(SITE_LINKS, base, language, place?.path)}
</nav>
</header>
${front ? folded(frontHtmlIn(language, { ...front, here }), contents, body, words, language) : plain(contents, body)}<footer class="site">
<nav aria-label="${words['more']}">
${links(MORE_LINKS, base, language, place?.path)}
</nav>
${place ? choice(base, place.path, language, languages) : ''}${place ? provenance(base, place, source, language) : ''}</footer>
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

/** The part for people of the front page. */
function frontHtmlIn(language: string, english: Record<string, string>): string {
  const values = valuesIn(language, english);
  const texts = Object.entries(textsIn(language).front).map(([name, text]) => [
    `front.${name}`,
    fill(`front.${name}`, text, values),
  ]);
  const carried = language === 'en' ? '' : `?lang=${language}`;
  return fill('front.html', FRONT, { ...values, carried, ...Object.fromEntries(texts) });
}

/** A page for people, with the document folded below; a link to a heading of the document opens it. */
const folded = (
  front: string,
  contents: string,
  body: string,
  words: LanguageTexts['page'],
  language: string,
): string => `<div class="columns front">
<main id="content">
${front}<details id="developers">
<summary><h2>${words['developers']}</h2></summary>
${contents}<article${language === 'en' ? '' : ' lang="en" dir="ltr"'}>
${body.replace(/^<h1 .*?<\/h1>\n/, '')}</article>
</details>
</main>
</div>
`;

function links(list: readonly string[], base: string, language: string, shown = ''): string {
  const names = { ...textsIn(language).links, ...NAMES };
  return list
    .map((href) => {
      const current = shown === href ? ' aria-current="page"' : '';
      // The app asks for it in front of the library.
      const [path, place = ''] = href === '/sign-in' ? ['/app', '#/sign-in'] : [href];
      const isIn = IN_EVERY_LANGUAGE.has(path);
      const address = (isIn ? addressIn(base, path, language) : base + path) + place;
      return `<a href="${address}"${current}>${names[href]}</a>`;
    })
    .join('\n');
}

/** The address of a page in a language; English has the bare one, which is also that of those who ask for no language. */
const addressIn = (base: string, path: string, language: string): string =>
  `${base}${path}${language === 'en' ? '' : `?lang=${language}`}`;

const addresses = (
  base: string,
  { path, markdownPath }: PagePaths,
  language: string,
  languages: readonly string[],
): string =>
  [
    `<link rel="canonical" href="${addressIn(base, path, language)}">`,
    ...languages.map(
      (tag) => `<link rel="alternate" hreflang="${tag}" href="${addressIn(base, path, tag)}">`,
    ),
    ...(languages.length > 0
      ? [`<link rel="alternate" hreflang="x-default" href="${base}${path}">`]
      : []),
    `<link rel="alternate" type="text/markdown" href="${base}${markdownPath}">`,
  ].join('\n');

/** The languages to choose from; a script keeps what is chosen. */
const choice = (
  base: string,
  path: string,
  language: string,
  languages: readonly string[],
): string =>
  languages.length === 0
    ? ''
    : `<nav class="languages" aria-label="${textsIn(language).page['languages']}">
${languages
  .map((tag) => {
    const current = tag === language ? ' aria-current="true"' : '';
    return `<a href="${base}${path}?lang=${tag}" hreflang="${tag}" lang="${tag}"${current}>${ownName(tag)}</a>`;
  })
  .join('\n')}
</nav>
`;

function provenance(
  base: string,
  { path, markdownPath }: PagePaths,
  { updated }: Source,
  language: string,
): string {
  const words = textsIn(language).page;
  const how = path === markdownPath ? `: ${words['askFor']} <code>text/markdown</code>` : '';
  const day = `<time datetime="${updated}">${updated}</time>`;
  return `<p>${fill('page', words['changed'] ?? '', { day })} <a href="${base}${markdownPath}" type="text/markdown">${words['markdown']}</a>${how}.</p>
`;
}

function tableOfContents(
  headings: Html['headings'],
  depth: number,
  words: LanguageTexts['page'],
): string {
  if (headings.filter(({ level }) => level === 2).length < 3) return '';
  const items = headings
    .filter(({ level }) => level >= 2 && level <= depth)
    .map(({ id, html, level }) => {
      const within = level > 2 ? ' class="within"' : '';
      return `<li${within}><a href="#${id}">${html}</a></li>`;
    });
  return `<nav class="contents" aria-labelledby="contents-title">
<h2 id="contents-title">${words['onThisPage']}</h2>
<ol>
${items.join('\n')}
</ol>
</nav>
`;
}
