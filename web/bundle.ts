/**
 * Bundles the files that a browser loads, with Bun's bundler. `npm run build` leaves them in dist/;
 * a server on Bun bundles them itself if they are not there.
 */
import { fileURLToPath } from 'node:url';

/**
 * In a process that has loaded the MP3 decoder itself, as the server does, Bun's bundler picks the Node version of a
 * package that the decoder needs, even for browsers.
 */
export const browserFiles: Bun.BunPlugin = {
  name: 'browser-files',
  setup(build) {
    build.onResolve({ filter: /^@eshaz\/web-worker$/ }, ({ path }) => ({
      path: fileURLToPath(new URL('browser.js', import.meta.resolve(path))),
    }));
  },
};

export interface AppFile {
  /** Contains a hash of the content, so that the file can be cached forever. */
  name: string;
  bytes: Uint8Array<ArrayBuffer>;
}

/** Bundles the app: scripts, split where a part is loaded on demand, and one style sheet. */
export async function bundleApp(): Promise<AppFile[]> {
  const { outputs } = await Bun.build({
    entrypoints: [fileURLToPath(new URL('main.tsx', import.meta.url))],
    target: 'browser',
    splitting: true,
    minify: true,
    plugins: [browserFiles],
    define: { 'process.env.NODE_ENV': '"production"' },
    naming: { entry: 'main-[hash].[ext]', chunk: 'part-[name]-[hash].[ext]' },
  });
  return Promise.all(
    outputs.map(async (output) => ({
      name: output.path.replace(/^.*\//, ''),
      bytes: new Uint8Array(await output.arrayBuffer()),
    })),
  );
}
