/** Joins the parts of a bundle that are loaded together, so that a page asks for a few large files, not for ninety small ones. */

/** The scripts of a bundle: their text by name. */
type Scripts = ReadonlyMap<string, string>;

/** A file made of several parts: those that the parts `of` load, and, where there are `also`, only what these need as well. */
interface JoinedFile {
  readonly of: readonly string[];
  readonly also?: readonly string[];
  /** A word for what it holds; otherwise the name of the first of its parts. */
  readonly name?: string;
}

const parts = (names: string): readonly string[] => names.split(' ');

/** Loaded when a review opens, with its captions. */
const REVIEW = parts('review-screen phone-bar');
/** Loaded once the captions are shown. */
const AROUND = parts('save-part overview dropped-files find-bar shift-form palette');
const PANELS = parts(
  'terms-panel doubts-panel warnings-panel report-panel speakers-panel comments-panel ' +
    'caption-download profile-rules fix decide-here key-sheet',
);
const DIALOGS = parts(
  'compare-dialog rebuild-dialog house-dialog frames-dialog retime-dialog file-dialog loss-dialog ' +
    'script-dialog work-dialog',
);
const DESK = [...REVIEW, ...AROUND, ...PANELS, ...DIALOGS];
/** What opens without a review, which loads no more than it needs of the desk. */
const BESIDE = parts(
  'past-runs terms-screen settings-screen organisation shared-screen upload queue-screen ' +
    'paste-terms sign-in verify-screen',
);
/** One part a format. */
const CAPTION_FILES = parts(
  'srt vtt ass ttml text-captions plain-text json stl scc ebu-tt-d itt fcpxml avid sbv micro-dvd ' +
    'sami podcast',
);

/** In this order: a part that several of these would hold is in the first of them. */
const JOINED: readonly JoinedFile[] = [
  { of: ['job-screen'] },
  {
    name: 'captions',
    of: ['format-settings', 'queue-screen', ...CAPTION_FILES],
    also: REVIEW,
  },
  { name: 'rating', of: ['format-settings'], also: DESK },
  { name: 'shared', of: BESIDE, also: DESK },
  { name: 'caption-files', of: CAPTION_FILES, also: DESK },
  { of: REVIEW },
  { of: AROUND },
  { of: PANELS },
  { of: DIALOGS },
];

const scanner = new Bun.Transpiler({ loader: 'js' });

/** The name of a part without the hash of its content: `part-NAME-`. */
const withoutHash = (file: string): string => file.slice(0, file.lastIndexOf('-') + 1);

/**
 * Joins scripts. All names change with any content, since a script may name each other one.
 * @param entry the script that the page loads; it stays by itself
 * @throws if a part is not there, or would lose a name that it exports
 */
export async function joinParts(scripts: Scripts, entry: string): Promise<Map<string, string>> {
  const needs = (name: string, found = new Set<string>()): Set<string> => {
    if (found.has(name) || !scripts.has(name)) return found;
    found.add(name);
    for (const { kind, path } of scanner.scanImports(scripts.get(name)!))
      if (kind === 'import-statement') needs(path.slice('./'.length), found);
    return found;
  };
  const neededBy = (names: readonly string[]): Set<string> =>
    new Set(
      names.flatMap((part) => {
        const file = [...scripts.keys()].find((name) => withoutHash(name) === `part-${part}-`);
        if (!file) throw new Error(`The app has no part “${part}”.`);
        return [...needs(file)];
      }),
    );
  /** The file of each part, named by the first of its parts or by the word for it. */
  const fileOf = new Map<string, string>();
  for (const { of, also, name = of[0]! } of JOINED) {
    const alsoNeeded = also && neededBy(also);
    for (const part of neededBy(of))
      if (part !== entry && !fileOf.has(part) && (alsoNeeded?.has(part) ?? true))
        fileOf.set(part, `part-${name}-`);
  }
  const files = new Map([...scripts].filter(([part]) => !fileOf.has(part)));
  for (const file of new Set(fileOf.values())) {
    const members = [...fileOf.keys()].filter((part) => fileOf.get(part) === file);
    files.set(file, await join(scripts, members));
  }
  const stamp = [...files.values()].join('');
  const named = (part: string): string => {
    const file = fileOf.get(part) ?? part;
    return `${withoutHash(file)}${Bun.hash(file + stamp)
      .toString(36)
      .slice(0, 8)}.js`;
  };
  const renamed = (text: string): string =>
    text.replaceAll(/"\.\/([^"]+)"/g, (all, part: string) =>
      scripts.has(part) ? `"./${named(part)}"` : all,
    );
  return new Map([...files].map(([file, text]) => [named(file), renamed(text)]));
}

/** One script of several, which exports what each of them exports. */
async function join(scripts: Scripts, members: readonly string[]): Promise<string> {
  const all = 'all.js';
  const { outputs } = await Bun.build({
    entrypoints: [all],
    target: 'browser',
    minify: true,
    plugins: [
      {
        name: 'members',
        setup(build) {
          build.onResolve({ filter: /./ }, ({ path, kind }) => {
            const name = path.replace(/^\.\//, '');
            const isInside = name === all || (members.includes(name) && kind !== 'dynamic-import');
            return isInside ? { path: name, namespace: 'members' } : { path, external: true };
          });
          build.onLoad({ filter: /./, namespace: 'members' }, ({ path }) => ({
            loader: 'js',
            contents:
              scripts.get(path) ?? members.map((name) => `export * from './${name}';`).join('\n'),
          }));
        },
      },
    ],
  });
  const text = await outputs[0]!.text();
  const exported = new Set(scanner.scan(text).exports);
  const lost = members.flatMap((name) =>
    scanner.scan(scripts.get(name)!).exports.filter((each) => !exported.has(each)),
  );
  if (lost.length > 0) throw new Error(`Joined parts export ${lost.join(', ')} twice.`);
  return text;
}
