/** All texts of the app are in web/texts/, so that they can be read and translated there. */
import { Glob } from 'bun';
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const web = fileURLToPath(new URL('../../web/', import.meta.url));

/** Files with text for people that is not the app's own. */
const OTHER = new Set([
  // The sample talk.
  'start/sample.ts',
]);

const STRING = /"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g;
/** Texts that a person sees, as content, labels or titles. */
const SHOWN =
  /(?:children|title|label|hint|alt|placeholder|"aria-label"): ("(?:[^"\\\n]|\\.)*[a-z]{2}(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`)/gi;
/** Errors are for those who read the console. */
const THROWN = /new [A-Za-z]*(?:Error|Exception)\((?:[^()]|\([^()]*\))*\)/g;

/** Content that continues with a value: `"Caption "`. */
const CONTINUES = /^"(?:\p{L}{2,}[^"]* | [^"]*\p{L}{2,})"$/u;

/** Names that look like phrases: keys, the scheme of a header, a message of the browser. */
const NAMES = /^.(?:[\w]+(?:\+\w+)+(?: [\w+]+)?|Bearer .*|ResizeObserver loop|word ).$/;

/** Whether a string is a phrase: a capital letter or a full stop, and at least two words. */
const isPhrase = (literal: string): boolean =>
  !NAMES.test(literal) &&
  (CONTINUES.test(literal) || hasWords(literal.replaceAll(/\$\{[^}]*\}/g, 'it')));

const hasWords = (literal: string): boolean =>
  /\p{L}{2,} \p{L}/u.test(literal) &&
  (/^.\p{Lu}\p{Ll}/u.test(literal) || /\w[.?!…].$/.test(literal));

/** The texts for people in a source; JSX content becomes strings when it is transpiled. */
function textsIn(source: string, loader: 'ts' | 'tsx' = 'tsx'): string[] {
  const code = new Bun.Transpiler({ loader, target: 'browser' })
    .transformSync(source)
    .replaceAll(THROWN, '');
  const phrases = [...code.matchAll(STRING)].map(([literal]) => literal).filter(isPhrase);
  const shown = [...code.matchAll(SHOWN)].flatMap(([, literal = '']) =>
    // A template with nothing but values contains no text.
    !NAMES.test(literal) && /[a-z]{2}/i.test(literal.replaceAll(/\$\{[^}]*\}/g, ''))
      ? [literal]
      : [],
  );
  return [...new Set([...phrases, ...shown])];
}

const files = [...new Glob('**/*.{ts,tsx}').scanSync(web)].filter(
  (path) => !path.startsWith('texts/') && !OTHER.has(path),
);

test('no text is anywhere else', async () => {
  expect(files.length).toBeGreaterThan(150);
  const found = await Promise.all(
    files.map(async (path) =>
      textsIn(await Bun.file(join(web, path)).text(), path.endsWith('x') ? 'tsx' : 'ts').map(
        (text) => `${path}: ${text}`,
      ),
    ),
  );
  expect(found.flat()).toEqual([]);
});

describe('other texts are detected', () => {
  test.each([
    ['content', 'export const A = () => <p>Close</p>;'],
    ['content with a value', 'export const A = ({ n }) => <p>Caption {n}</p>;'],
    ['a label', 'export const A = () => <button aria-label="close" />;'],
    ['a message', "said.value = 'Nothing is left.';"],
    ['a template', 'said.value = `Deleted ${n} captions`;'],
  ])('%s', (_, source) => {
    expect(textsIn(source)).toHaveLength(1);
  });

  test.each([
    ['a class', 'export const A = () => <p class="quiet primary" data-part="sound" />;'],
    ['a comment', '/** Says that. */ export const a = 1;'],
    ['an error', "throw new TypeError('No such caption.');"],
    ['a key', "export const keys = ['Escape', 'Alt+KeyI'];"],
  ])('but not %s', (_, source) => {
    expect(textsIn(source)).toEqual([]);
  });
});

test('every file of texts is used', async () => {
  const words = [...new Glob('*.ts').scanSync(join(web, 'texts'))];
  const sources = await Promise.all(
    [...files, ...words.map((name) => `texts/${name}`)].map((path) =>
      Bun.file(join(web, path)).text(),
    ),
  );
  const isUsed = (name: string) => sources.some((source) => source.includes(`/${name}'`));
  expect(words.filter((name) => !isUsed(name))).toEqual([]);
});
