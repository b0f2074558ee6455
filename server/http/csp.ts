/** The content security policies, which say what a browser may load for each kind of response. */
import { createHash } from 'node:crypto';

/** A policy that allows only the named sources, and no framing. */
const policy = (sources: Record<string, string>): string =>
  Object.entries({ 'default-src': `'none'`, ...sources, ...CLOSED })
    .map(([directive, value]) => `${directive} ${value}`)
    .join('; ');

const CLOSED = { 'base-uri': `'none'`, 'form-action': `'none'`, 'frame-ancestors': `'none'` };

const sha256 = (text: string): string =>
  `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** The policy of responses other than pages. */
export const NO_PAGE_POLICY = policy({});

/**
 * The policy of documents: one inline style, identified by its hash, and scripts, images and answers from this host.
 * @param css the style, exactly as in the page
 */
export const documentPolicy = (css: string): string =>
  policy({
    'style-src': sha256(css),
    'script-src': `'self'`,
    'img-src': `'self'`,
    'connect-src': `'self'`,
  });

/**
 * The policy of the app. Scripts and styles are files of this host. The MP3 encoder is WebAssembly in a worker that it
 * creates itself. Images, audio and video may also be created by the page from the user's own files.
 */
export const APP_POLICY = policy({
  'script-src': `'self' 'wasm-unsafe-eval'`,
  'style-src': `'self'`,
  'img-src': `'self' blob:`,
  'media-src': `'self' blob:`,
  'worker-src': `'self' blob:`,
  'connect-src': `'self'`,
});

/**
 * The policy of the API explorer: scripts and styles from this host or, identified by their hashes, in the page. The
 * viewer draws its icons from data.
 * @param html the page
 */
export function explorerPolicy(html: string): string {
  const inline = (element: string): string =>
    [...html.matchAll(new RegExp(`<${element}>(.*?)</${element}>`, 'gs'))]
      .map(([, text = '']) => sha256(text))
      .join(' ');
  return policy({
    'script-src': `'self' ${inline('script')}`,
    'style-src': `'self' ${inline('style')}`,
    'img-src': `'self' data:`,
    'connect-src': `'self'`,
  });
}
