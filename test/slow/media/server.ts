/** Serves the bundle of page.ts under the app's policy, and receives what the page posts. */
import { fileURLToPath } from 'node:url';
import { browserFiles } from '../../../web/bundle.ts';

const POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self' blob:",
  "connect-src 'self'",
  "media-src 'self' blob:",
  "img-src 'self'",
  "style-src 'self'",
].join('; ');

const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Media</title>
<input type="file"><script type="module" src="/page.js"></script></html>`;

export interface MediaServer {
  url: string;
  /** The scripts by path, with their content. */
  scripts: Map<string, string>;
  /** The last body posted. */
  posted(): Uint8Array;
  stop(): Promise<void>;
}

/** Builds and serves the page; throws if the build fails. */
export async function mediaServer(): Promise<MediaServer> {
  const built = await Bun.build({
    entrypoints: [fileURLToPath(new URL('page.ts', import.meta.url))],
    target: 'browser',
    splitting: true,
    minify: true,
    plugins: [browserFiles],
  });
  const scripts = new Map<string, string>();
  for (const output of built.outputs) {
    scripts.set(output.path.replace(/^\.?\/?/, '/'), await output.text());
  }
  let posted = new Uint8Array();
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      if (request.method === 'POST') {
        posted = new Uint8Array(await request.arrayBuffer());
        return new Response(null, { status: 204 });
      }
      const script = scripts.get(pathname);
      if (script !== undefined) {
        return new Response(script, { headers: { 'content-type': 'text/javascript' } });
      }
      if (pathname !== '/') return new Response(null, { status: 204 });
      return new Response(PAGE, {
        headers: { 'content-type': 'text/html', 'content-security-policy': POLICY },
      });
    },
  });
  return {
    url: server.url.href,
    scripts,
    posted: () => posted,
    stop: () => server.stop(true),
  };
}
