/** Packs that a transcript itself gives evidence for. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { evidentPacks } from '../../server/terminology/packs/evident-packs.ts';
import { packs, wordsOf } from './support.ts';

// On a busy machine, 88 transcripts take seconds.
setDefaultTimeout(60_000);

const found = (text: string): string[] => evidentPacks(packs, wordsOf(text)).map(({ id }) => id);
const others = 'and then we went on '.repeat(80);

describe('the packs of a talk', () => {
  test.each([
    [
      'we add authkit to the app, use the model contacts protocol, and later rectory sync',
      ['vendors/workos', 'protocols/mcp'],
    ],
    ['an mcp server that speaks the model context protocol', ['protocols/mcp']],
    // Far apart, these are only mentioned.
    [`we use authkit. ${others} and we use directory sync`, []],
    // One term is not a subject, however often it is said.
    ['authkit, authkit and again authkit', []],
    ['we sell google workspace with single sign on to customers of cloudflare', []],
    ['the server of the restaurant had a tool call in the directory of the market', []],
  ])('%s', (text, ids) => {
    expect(found(text)).toEqual(ids);
  });

  test('each is named with the terms that were heard', () => {
    expect(evidentPacks(packs, wordsOf('authkit beside rectory sync'))).toEqual([
      { id: 'vendors/workos', title: 'WorkOS', heard: ['AuthKit', 'Directory Sync'] },
    ]);
  });
});

const CALLS = fileURLToPath(new URL('../../../shared/names/calls', import.meta.url));

test.skipIf(!existsSync(CALLS))(
  '22 calls about other subjects, as four recognisers heard them, have none',
  () => {
    const wrong = readdirSync(CALLS).flatMap((id) =>
      ['google', 'microsoft', 'amazon', 'speechmatics'].flatMap((name) => {
        const file = `${CALLS}/${id}/${name}.tsv`;
        if (!existsSync(file)) return [];
        const words = readFileSync(file, 'utf8')
          .split('\n')
          .slice(1)
          .map((line) => ({ text: line.split('\t')[0]! }));
        return evidentPacks(packs, words).map((pack) => `${id} ${name} ${pack.id}`);
      }),
    );
    expect(wrong).toEqual([]);
  },
);
