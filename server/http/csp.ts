/** The content security policies: what a browser may load for each kind of answer. */
import { createHash } from 'node:crypto';

/** Nothing is loaded but what is named, and no answer stands in a frame. */
const policy = (sources: Record<string, string>): string =>
  Object.entries({ 'default-src': `'none'`, ...sources, ...CLOSED })
    .map(([directive, value]) => `${directive} ${value}`)
    .join('; ');

const CLOSED = { 'base-uri': `'none'`, 'form-action': `'none'`, 'frame-ancestors': `'none'` };

const sha256 = (text: string): string =>
  `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Answers that are no pages. */
export const NO_PAGE_POLICY = policy({});

/**
 * Documents: one inline style, named by its hash, and script and pictures of this host.
 * @param css the style, exactly as the page has it
 */
export const documentPolicy = (css: string): string =>
  policy({ 'style-src': sha256(css), 'script-src': `'self'`, 'img-src': `'self'` });

/**
 * The app. Script and style are files of this host. The MP3 encoder is WebAssembly in a worker that it
 * makes of itself; pictures, sound and video are also those that the page makes of somebody's own file.
 */
export const APP_POLICY = policy({
  'script-src': `'self' 'wasm-unsafe-eval'`,
  'style-src': `'self'`,
  'img-src': `'self' blob:`,
  'media-src': `'self' blob:`,
  'worker-src': `'self' blob:`,
  'connect-src': `'self'`,
});

/** The API reference. Its viewer sets styles as it goes; scripts are its own file and the page's data blocks. */
export function viewerPolicy(html: string): string {
  const blocks = html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g);
  const inline = [...blocks].map(([, text = '']) => sha256(text));
  return policy({
    'script-src': [`'self'`, ...inline].join(' '),
    'style-src': `'self' 'unsafe-inline'`,
    'img-src': `'self' data: blob:`,
    'font-src': `'self' data:`,
    'connect-src': `'self'`,
  });
}
