/**
 * Makes the files that a browser loads. It is Bun's bundler that makes them: `npm run build` leaves
 * them in dist/, and a server on Bun makes them itself where they are not there.
 */
import { fileURLToPath } from 'node:url';

export interface AppFile {
  /** With a hash of its content in it, so that it may be kept for good. */
  name: string;
  bytes: Uint8Array<ArrayBuffer>;
}

/** Bundles the app: script that is split where a part is loaded on demand, and one style sheet. */
export async function bundleApp(): Promise<AppFile[]> {
  const { outputs } = await Bun.build({
    entrypoints: [fileURLToPath(new URL('main.tsx', import.meta.url))],
    target: 'browser',
    splitting: true,
    minify: true,
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
