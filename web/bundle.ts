/**
 * Bundles the files that a browser loads, with Bun's bundler. `npm run build` leaves them in dist/;
 * a server on Bun bundles them itself if they are not there.
 */
import { fileURLToPath } from 'node:url';
import { joinParts } from './join-parts.ts';

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

/** Gives each piece of a language a file of its own, though both stand in one: the first screen waits for one only. */
const languagePieces: Bun.BunPlugin = {
  name: 'language-pieces',
  setup(build) {
    build.onLoad({ filter: /\/texts\/languages\/languages\.ts$/ }, async ({ path }) => ({
      contents: (await Bun.file(path).text()).replaceAll(
        /(first|others): \(\) => import\('\.\/([^']+)'\)/g,
        "$1: () => import('$2?$1')",
      ),
      loader: 'ts',
    }));
    build.onResolve({ filter: /^[\w-]+\.ts\?\w+$/ }, ({ path }) => ({ path, namespace: 'piece' }));
    build.onLoad({ filter: /./, namespace: 'piece' }, async ({ path }) => {
      const [file = '', piece] = path.split('?');
      const at = new URL(`texts/languages/${file}`, import.meta.url);
      const text = await Bun.file(at).text();
      const from = text.indexOf(`export const ${piece === 'first' ? 'others' : 'first'}`);
      const end = text.indexOf('\n};', from) + '\n};'.length;
      const contents = (text.slice(0, from) + text.slice(end)).replaceAll(
        /from '(\.[^']+)'/g,
        (_, target: string) => `from '${fileURLToPath(new URL(target, at))}'`,
      );
      return { contents, loader: 'ts' };
    });
  },
};

const ENGLISH = fileURLToPath(new URL('../server/captions/english-words.ts', import.meta.url));

/** Has the small words of English alone at first: the app loads those of other languages for captions in them. */
const smallWords: Bun.BunPlugin = {
  name: 'small-words',
  setup(build) {
    build.onResolve({ filter: /\/language-words\.ts$/ }, ({ path, importer }) =>
      importer.endsWith('/captions/language.ts') ? { path, namespace: 'english' } : undefined,
    );
    build.onLoad({ filter: /./, namespace: 'english' }, () => ({
      contents: `import { en } from '${ENGLISH}';\nexport const LANGUAGE_WORDS = { en };`,
      loader: 'ts',
    }));
  },
};

export interface AppFile {
  /** Contains a hash of the content, so that the file can be cached forever. */
  name: string;
  bytes: Uint8Array<ArrayBuffer>;
}

/** Puts the address of a worker's program in place of the program. */
const programAt = (name: string): Bun.BunPlugin => ({
  name: 'worker-program',
  setup(build) {
    build.onLoad({ filter: /\/start\/handout-thread\.ts$/ }, () => ({
      contents: `export const PROGRAM = new URL('./${name}', import.meta.url).href;`,
      loader: 'ts',
    }));
  },
});

/** Bundles the app: scripts, split where a part is loaded on demand, and one style sheet. */
export async function bundleApp(): Promise<AppFile[]> {
  // A worker has no page, but what it shared with the app could stand in the app's first script.
  const thread = new URL('start/handout-thread.ts', import.meta.url);
  const program = await bundle(thread, 'part-[name]', [browserFiles]);
  const plugins = [browserFiles, languagePieces, smallWords, programAt(program[0]!.name)];
  const app = await bundle(new URL('main.tsx', import.meta.url), 'main', plugins);
  const isScript = ({ name }: AppFile): boolean => name.endsWith('.js');
  const scripts = app.filter(isScript);
  const joined = await joinParts(
    new Map(scripts.map(({ name, bytes }) => [name, new TextDecoder().decode(bytes)])),
    scripts[0]!.name,
  );
  const files = [...joined].map(([name, text]) => ({
    name,
    bytes: new TextEncoder().encode(text),
  }));
  const others = app.filter((file) => !isScript(file));
  return [...new Map([...program, ...files, ...others].map((file) => [file.name, file])).values()];
}

/** The files of a bundle; the one to begin with comes first. */
async function bundle(
  from: URL,
  entry: 'main' | 'part-[name]',
  plugins: Bun.BunPlugin[],
): Promise<AppFile[]> {
  const { outputs } = await Bun.build({
    entrypoints: [fileURLToPath(from)],
    target: 'browser',
    splitting: true,
    minify: true,
    plugins,
    define: { 'process.env.NODE_ENV': '"production"' },
    naming: { entry: `${entry}-[hash].[ext]`, chunk: 'part-[name]-[hash].[ext]' },
  });
  return Promise.all(
    outputs
      .toSorted((a, b) => Number(b.kind === 'entry-point') - Number(a.kind === 'entry-point'))
      .map(async (output) => ({
        name: output.path.replace(/^.*\//, ''),
        bytes: new Uint8Array(await output.arrayBuffer()),
      })),
  );
}
