import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { validator } from '../../server/contract/schema.ts';
import { TERM_PACK_IDS, TermPackId, TermPackList } from '../../server/contract/terminology.ts';
import { loadTermPacks, useTermPacks } from '../../server/terminology/packs/installed.ts';
import { loadPacks, summarizePack, termPackList } from '../../server/terminology/packs/packs.ts';

setDefaultTimeout(300_000);

const terms = fileURLToPath(new URL('../../terms', import.meta.url));

describe('the packs of the repository', () => {
  test('include those of the contract', async () => {
    const ids = (await loadPacks(terms)).map((pack) => pack.id);
    expect(ids).toEqual(expect.arrayContaining([...TERM_PACK_IDS]));
    expect(ids).toEqual([...ids].sort());
  });

  test("are listed in the contract's format", async () => {
    const packs = await loadPacks(terms);
    const list = termPackList(packs);
    expect(validator(TermPackList).issues(list)).toEqual([]);
    expect(list.packs).toEqual(packs.map(summarizePack));
    expect(list.example.terminology.packs).toEqual([list.packs[0]!.id]);
  });
});

test('packs that another thread has loaded are those of this one, and their ids are accepted', async () => {
  const ids: string[] = TermPackId.enum;
  const before = await loadTermPacks();
  const known = ids.length;
  const taken = { ...before[0]!, id: 'taken/pack' };
  try {
    useTermPacks([taken]);
    expect(await loadTermPacks()).toEqual([taken]);
    expect(ids.slice(known)).toEqual(['taken/pack']);
  } finally {
    useTermPacks(before);
    ids.length = known;
  }
});

describe('a folder of packs', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'packs-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  };
  const pack = (id: string, ...lines: string[]): string =>
    [
      `id: ${id}`,
      'version: 1',
      'title: Test',
      'triggers: [test]',
      'relatedPackIds: []',
      'terms:',
      ...lines.map((line) => `  - {${line}}`),
    ].join('\n');
  const term = (canonical: string, more = ''): string =>
    `canonical: "${canonical}", kind: acronym, weight: 5${more}`;

  /** The lines with faults of the folder in its current state. */
  const faults = async (): Promise<string[]> => {
    const error: unknown = await loadPacks(folder).catch((reason: unknown) => reason);
    if (!(error instanceof Error)) throw new Error('the packs were taken');
    expect(error.name).toBe('TermPackError');
    return error.message.split('\n').slice(1);
  };

  test('is read including subfolders, by path', async () => {
    await write('b.yaml', pack('b', term('Beta', ', mishears: [better]')));
    await write('deep/er/a.yaml', pack('deep/er/a', term('Alpha')));
    await write('c.yml', pack('c', term('Gamma')));
    await write('folder.yaml/d.yaml', pack('folder.yaml/d', term('Delta')));
    await write('notes.txt', 'no pack');
    await write('b.yaml.bak', 'no pack');
    expect((await loadPacks(folder)).map(({ id }) => id)).toEqual([
      'b',
      'c',
      'deep/er/a',
      'folder.yaml/d',
    ]);
  });

  test('is read in the order of the ids, which is not that of the file names', async () => {
    const ids = ['a', 'a-b', 'a/c'];
    for (const id of ids) await write(`${id}.yaml`, pack(id, term('Alpha')));
    expect((await loadPacks(folder)).map(({ id }) => id)).toEqual(ids);
  });

  test('may have a date as a title, which is text', async () => {
    await write('a.yaml', pack('a', term('Alpha')).replace('title: Test', 'title: 2026-11-20'));
    expect(await loadPacks(folder)).toMatchObject([{ title: '2026-11-20' }]);
  });

  test('without files has no packs, a missing one is an error', async () => {
    expect(await loadPacks(folder)).toEqual([]);
    expect(loadPacks(join(folder, 'nowhere'))).rejects.toThrow('nowhere');
  });

  test.each([
    ['an id that is not the path', pack('other', term('A1')), 'a.yaml:1: id must be a,'],
    ['an unknown field', pack('a', term('A1', ', wight: 3')), 'terms.0.wight is not a known field'],
    ['a missing field', pack('a', 'canonical: A1, kind: acronym'), 'a.yaml:7: terms.0.weight'],
    [
      'a wrong kind',
      pack('a', term('A1'), term('B1').replace('acronym', 'name')),
      'a.yaml:8: terms.1.kind must be one of company_name',
    ],
    [
      'a weight out of bounds',
      pack('a', term('A1').replace('5', '11')),
      'a.yaml:7: terms.0.weight',
    ],
    ['the same term twice', pack('a', term('A1'), term('a1')), 'a.yaml:8: terms.1.canonical'],
    [
      'the same term three times',
      pack('a', term('A1'), term('a1'), term('A-1'), term('a1.')),
      'a.yaml:10: terms.3.canonical is the same as that of terms.0',
    ],
    [
      'a capital in a mishear',
      pack('a', term('A1', ', mishears: [Hey]')),
      'terms.0.mishears.0 must be lower case',
    ],
    ['a long mishear', pack('a', term('A1', ', mishears: [a b c d e f g]')), 'more than 6 words'],
    [
      'a long key term',
      pack('a', term('A b c d e f g')),
      'terms.0.canonical is a key term of more than 6',
    ],
    [
      'a risky entry that is no mishear',
      pack('a', term('A1', ', mishears: [ay], risky: [oh]')),
      'terms.0.risky.0 "oh" is not',
    ],
    [
      'a mishear that is an alias of the term',
      pack('a', term('A1', ', mishears: [ay], aliases: [ay]')),
      'terms.0.mishears.0 "ay" is an accepted form of the term itself',
    ],
    [
      'a mishear that is a term',
      pack('a', term('A1', ', mishears: [beta]'), term('Beta')),
      'terms.0.mishears.0 "beta" is an accepted form of "beta"',
    ],
    [
      'a mishear that is an alias',
      pack('a', term('A1', ', mishears: [bs]'), term('Beta', ', aliases: [Bs]')),
      'terms.0.mishears.0 "bs" is an accepted form',
    ],
    [
      'a mishear that is an alias of two terms',
      pack(
        'a',
        term('A1', ', mishears: [bs]'),
        ...['C1', 'B1'].map((of) => term(of, ', aliases: [bs]')),
      ),
      'terms.0.mishears.0 "bs" is an accepted form of "c1"',
    ],
    [
      'a mishear of two terms',
      pack('a', term('A1', ', mishears: [hey]'), term('B1', ', mishears: [hey]')),
      'terms.1.mishears.0 is also a mishear of terms.0',
    ],
    [
      'an unknown relation',
      pack('a', term('A1')).replace('[]', '[b]'),
      'a.yaml:5: relatedPackIds.0 refers to an unknown pack: b',
    ],
    [
      'a relation to itself',
      pack('a', term('A1')).replace('[]', '[a]'),
      'a.yaml:5: relatedPackIds.0 refers to the pack itself',
    ],
    [
      'a capital in a trigger',
      pack('a', term('A1')).replace('[test]', '[Test]'),
      'a.yaml:4: triggers.0 must be lower case',
    ],
    ['no terms', pack('a').replace('terms:', 'terms: []'), 'a.yaml:6: terms'],
    ['broken YAML', 'id: a\ntitle: "open', 'a.yaml:2: '],
    ['a key twice', `${pack('a', term('A1'))}\nid: a`, 'a.yaml:8: '],
    ['something else than a pack', '- 1', 'a.yaml:1: the file'],
  ])('is refused for %s, with file, line and field', async (_, text, expected) => {
    await write('a.yaml', text);
    expect((await faults()).join('\n')).toContain(expected);
  });

  test('is refused for an unknown tag, in one line', async () => {
    await write('a.yaml', pack('a', term('A1')).replace('title: Test', 'title: !other Test'));
    expect(await faults()).toEqual([
      expect.stringMatching(/^a\.yaml:\d+: the file is not YAML: .*unknown scalar tag [^\n]*$/),
    ]);
  });

  test('is refused for an id without the folders of the path', async () => {
    await write('vendors/a.yaml', pack('a', term('A1')));
    expect(await faults()).toEqual(["vendors/a.yaml:1: id must be vendors/a, the file's path"]);
  });

  test('has every error of every file reported', async () => {
    await write('a.yaml', pack('b', term('A1', ', mishears: [zed]')));
    await write('z.yaml', pack('z', term('Zed')));
    expect(await faults()).toEqual([
      "a.yaml:1: id must be a, the file's path",
      'a.yaml:7: terms.0.mishears.0 "zed" is an accepted form of "zed"',
    ]);
  });

  test('may list the term itself in other case or spacing as a mishear', async () => {
    await write('a.yaml', pack('a', term('RAG', ', mishears: [rag], risky: [rag]')));
    expect(await loadPacks(folder)).toHaveLength(1);
  });
});
