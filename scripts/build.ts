/** `bun run build`: the captions code as the browser runs it, in dist/. It fails where that code is not pure. */
import { rm } from 'node:fs/promises';
import { say } from './terminal.ts';

const MODULES = ['build', 'quality', 'srt', 'vtt', 'text'];

await rm('dist', { recursive: true, force: true });
const { outputs } = await Bun.build({
  entrypoints: MODULES.map((name) => `server/captions/${name}.ts`),
  outdir: 'dist/captions',
  target: 'browser',
  splitting: true,
  minify: true,
});
for (const { path, size } of outputs) say(`${path} ${(size / 1024).toFixed(1)} KB`);
