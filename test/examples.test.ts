/** Runs the `@example` blocks of captions/, terminology/ and contract/: `expression; // => value`. */
import { afterAll, expect, test } from 'bun:test';
import { Glob } from 'bun';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './support/checkout.ts';

/** Exports of other files that examples use. */
const SHARED = {
  'server/contract/caption-defaults.ts': ['DEFAULT_CAPTION_SETTINGS'],
  'server/contract/schema.ts': ['Type'],
  'server/captions/language.ts': ['languageOf'],
  'server/captions/rules/profiles/profiles.ts': ['profileOf'],
  'server/captions/divide/tokens.ts': ['tokensOf'],
  'server/terminology/packs/compile.ts': ['compileTerminology'],
  'server/terminology/decide/decide.ts': ['decide'],
  'server/terminology/match/findings.ts': ['freePlaces'],
  'server/terminology/match/match.ts': ['createMatcher'],
};

interface Example {
  path: string;
  /** The documented function. */
  name: string;
  code: string;
}

function* examplesOf(path: string, text: string): Generator<Example> {
  for (const [, comment = '', code = ''] of text.matchAll(/\/\*\*\n((?: \*.*\n)+?) \*\/\n(.*)/g)) {
    const [, example] = /^ \* @example\n((?: \*.*\n)+)/m.exec(comment) ?? [];
    if (example === undefined) continue;
    const name = /^(?:export )?(?:async )?(?:function\*?|const) (\w+)/.exec(code)?.[1];
    expect([path, name]).not.toContain(undefined);
    yield { path, name: name ?? '', code: example.replaceAll(/^ \* ?/gm, '') };
  }
}

/** Turns each `expression; // => value`, on one line or two, into an assertion. */
const assertions = (code: string): string =>
  code
    .replaceAll(/;\n\/\/ => /g, '; // => ')
    .replaceAll(/^(.+?);? \/\/ => (.+)$/gm, 'expect<unknown>($1).toEqual($2);');

const examples: Example[] = [];
for await (const path of new Glob('server/{captions,terminology,contract}/**/*.ts').scan(root)) {
  examples.push(...examplesOf(path, await readFile(join(root, path), 'utf8')));
}
examples.sort((a, b) => (`${a.path} ${a.name}` < `${b.path} ${b.name}` ? -1 : 1));

const folder = await mkdtemp(join(tmpdir(), 'examples-'));
afterAll(() => rm(folder, { recursive: true }));

test('the public functions have examples', () => {
  expect(examples.length).toBeGreaterThan(50);
});

test.each(examples.map((example, at) => [`${example.path} ${example.name}`, example, at] as const))(
  '%s',
  async (_, { path, code }, at) => {
    expect(code).toContain('// =>');
    const shared = Object.entries(SHARED)
      .filter(([other]) => other !== path)
      .map(([other, names]) => `import { ${names.join(', ')} } from '${join(root, other)}';`);
    const own = Object.keys(await import(join(root, path)));
    const taken = new Set(Object.values(SHARED).flat());
    const names = own.filter((each) => path in SHARED || !taken.has(each));
    const file = join(folder, `example-${at}.ts`);
    const imports = `import { ${names.join(', ')} } from '${join(root, path)}';\n${shared.join('\n')}`;
    await writeFile(file, `import { expect } from 'bun:test';\n${imports}\n${assertions(code)}`);
    await import(file);
  },
);
