/** The search in all captions: words, passages, workspaces, reviews and erasure. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { completedResult } from '../../server/http/openapi/examples.ts';
import { cueOf, passagesOf } from '../../server/search/passages.ts';
import { noteUnsearched } from '../../server/search/due.ts';
import { indexOfPhrase, phrasesOf, wordsOf } from '../../server/search/words.ts';
import { completedRun, spoken } from '../support/servers/completed-run.ts';

import { createLog } from '../../server/base/log.ts';
import { here } from '../../server/runs/service.ts';
import { createCaptionSearch } from '../../server/search/caption-search.ts';
import { onEachDatabase } from '../support/servers/databases.ts';
import { callTool, mountedApp } from '../support/servers/mounted.ts';
import type { Any } from '../support/servers/client.ts';

setDefaultTimeout(60_000);

test.each([
  ['Das Café, naïve – ÉTUDE!', 'das cafe naive etude'],
  ["Don't panic: 42 %", 'don t panic 42'],
  ['東京タワーへ行く', '東 京 タ ワ ー へ 行 く'],
  ['ภาษาไทย', 'ภ า ษ า ไ ท ย'],
  ['हिन्दी भाषा', 'हिन्दी भाषा'],
  ['Ｆｕｌｌ ｗｉｄｔｈ', 'full width'],
  ["' OR 1=1; --", 'or 1 1'],
  ['…', ''],
])('the words of %s', (text, words) => {
  expect(wordsOf(text).join(' ')).toBe(words);
});

test('a question has words, phrases and beginnings', () => {
  expect(phrasesOf('red “Good Morning” caf* "')).toEqual([
    { words: ['red'], isBeginning: false },
    { words: ['good', 'morning'], isBeginning: false },
    { words: ['caf'], isBeginning: true },
  ]);
  // One letter is a word of its own.
  expect(phrasesOf('a*')).toEqual([{ words: ['a'], isBeginning: false }]);
  expect(indexOfPhrase(['a', 'b', 'a', 'bc'], { words: ['a', 'bc'], isBeginning: false })).toBe(2);
});

test('every pair of neighbouring words is whole in a passage, and found at its caption', () => {
  const cues = Array.from({ length: 200 }, (_, at) => ({
    start: at * 4,
    end: at * 4 + 3.5,
    lines: [`word${at} then`, `<i>end${at}</i>`],
  }));
  const result = JSON.stringify({
    ...completedResult,
    captions: { ...completedResult.captions, cues },
  });
  const passages = passagesOf({ result, review: null });
  expect(passages.length).toBeGreaterThan(10);
  for (let at = 0; at < 199; at += 1) {
    for (const question of [`"end${at} word${at + 1}"`, `word${at} end${at}`]) {
      const phrases = phrasesOf(question);
      const found = passages.flatMap((passage) => cueOf(passage.cues, phrases, null) ?? []);
      expect(new Set(found.map(({ start }) => start))).toEqual(new Set([at * 4]));
    }
  }
  expect(passagesOf({ result: '{"status":"failed"}', review: null })).toEqual([]);
});

await onEachDatabase((name, database) => {
  test(`${name} finds the same, and keeps nothing of a run that is gone`, async () => {
    const { find } = createCaptionSearch({ database, log: createLog('silent'), work: here });
    const runs = await Promise.all(
      ['The café, and a white rabbit: so it goes.', 'A rabbit, white as snow.', '東京タワー'].map(
        async (text) => (await completedRun(database, 'mine', spoken(text))).runId,
      ),
    );
    await completedRun(database, 'theirs', spoken('A white rabbit.'));
    const found = async (text: string, more = {}, organizationId = 'mine') => {
      const question = { text, limit: 20, from: null, ...more };
      const page = await find(organizationId, question);
      return page.found.map(({ runId }) => runs.indexOf(runId)).toSorted((a, b) => a - b);
    };
    for (const [question, expected] of [
      ['rabbit', [0, 1]],
      ['"white rabbit"', [0]],
      ['cafe snow', []],
      ['caf*', [0]],
      ['"white rab*"', [0]],
      ['京タ', [2]],
      ["' & !x | 'y", []],
    ] as const) {
      expect([question, await found(question)]).toEqual([question, [...expected]]);
    }
    expect(await found('rabbit', {}, 'theirs')).toEqual([-1]);
    expect(await found('rabbit', { before: 1 })).toEqual([]);
    expect(await found('rabbit', { after: 1, limit: 1 })).toHaveLength(1);
    await database.deleteFrom('runs').where('id', '=', runs[0]!).execute();
    expect(await found('rabbit')).toEqual([1]);
    const left = database.selectFrom('caption_search').select('id').where('run_id', '=', runs[0]!);
    expect(await left.execute()).toEqual([]);
  });

  test(`${name} finds what is older than thousands of captions`, async () => {
    const { find, prepare } = createCaptionSearch({
      database,
      log: createLog('silent'),
      work: here,
    });
    const [old, later] = [
      await completedRun(database, 'long', spoken('A needle in the hay.')),
      await completedRun(database, 'long', spoken('Hay.')),
    ];
    await prepare(2, 'long');
    const ten = sql.raw(`(values ${Array.from({ length: 10 }, (_, at) => `(${at})`).join(', ')})`);
    await sql`insert into caption_search (run_id, organization_id, words, cues)
      select run_id, organization_id, words, cues
      from caption_search, ${ten} as one, ${ten} as two, ${ten} as three, (values (1), (2), (3), (4)) as four
      where run_id = ${later.runId}`.execute(database);
    const question = { limit: 20, from: null };
    const needle = await find('long', { ...question, text: 'needle' });
    expect(needle.found.map(({ runId }) => runId)).toEqual([old.runId]);
    const runs = new Set<string>();
    let from: number | null = null;
    do {
      const page = await find('long', { text: 'hay', limit: 1000, from });
      for (const { runId } of page.found) runs.add(runId);
      from = page.next;
    } while (from !== null);
    expect([...runs]).toEqual([later.runId, old.runId]);
  });
});

describe('a workspace', async () => {
  const app = await mountedApp();
  const { database } = app.services;
  const ann = await app.signUp('ann@example.com');
  const bob = await app.signUp('bob@example.com');
  const run = async (who: typeof ann, text: string) => {
    const { runId } = await completedRun(database, who.organizationId, spoken(text));
    return runId;
  };
  const search = async (query: string, key = ann.key): Promise<Any> => {
    const response = await app.ask(`/workspace/search?${query}`, { key });
    return { status: response.status, ...(await response.json()) };
  };
  const found = async (q: string, key?: string) => {
    const { captions } = await search(`q=${encodeURIComponent(q)}`, key);
    return captions.map(({ runId, text }: Any) => [runId, text]);
  };
  const talk = await run(ann, 'Welcome to the café. We follow the white rabbit today, friends.');
  const tokyo = await run(ann, '東京タワーへ行きましょう。');
  const thai = await run(ann, 'ยินดีต้อนรับสู่ภาษาไทย');
  // As after a restored backup, and with a version that notes no changes.
  await database.deleteFrom('caption_search_due').execute();
  await noteUnsearched(database);
  const foreign = await run(bob, 'The white rabbit of somebody else.');

  test('finds words, phrases, beginnings and parts of undivided scripts, and only its own', async () => {
    const expectRun = async (q: string, runId: string) =>
      expect((await found(q)).map(([id]: string[]) => id)).toEqual([runId]);
    for (const q of ['cafe', 'CAFÉ rabbit', '"white rabbit"', 'rab*', 'welcome friends']) {
      await expectRun(q, talk);
    }
    for (const q of ['東京', 'タワー', '京タ']) await expectRun(q, tokyo);
    for (const q of ['ภาษา', 'ไทย']) await expectRun(q, thai);
    for (const q of ['"rabbit white"', 'rab', 'cafe somebody', '京東', '"', 'the* OR x', '*']) {
      expect(await found(q)).toEqual([]);
    }
    expect((await found('white rabbit', bob.key)).map(([id]: string[]) => id)).toEqual([foreign]);
    const [caption] = (await search('q=rabbit')).captions;
    expect(caption.url).toBe(`http://localhost:3000/app#/runs/${talk}/${caption.start}`);
    expect([caption.name, caption.text]).toEqual(['talk.mp3', expect.stringContaining('rabbit')]);
  });

  test('finds what its reviews say, with names, by time and page by page', async () => {
    const put = (text: string) =>
      app.ask(`/workflows/captioner/${talk}/review`, {
        method: 'PUT',
        key: ann.key,
        body: JSON.stringify({
          cues: [{ start: 1, end: 2, text, speaker: 's1' }],
          speakers: [{ id: 's1', name: 'Ada Quilter' }],
        }),
        headers: { 'content-type': 'application/json', 'if-none-match': '*' },
      });
    expect((await put('A grey hare.')).status).toBe(201);
    expect(await found('white rabbit')).toEqual([]);
    expect(await found('grey hare')).toEqual([[talk, 'A grey hare.']]);
    const said = await search('speaker=ada%20QUILTER&q=hare');
    expect(said.captions[0]).toMatchObject({ speaker: 'Ada Quilter', start: 1, end: 2 });
    expect((await search('speaker=ada&q=hare')).captions).toEqual([]);
    expect((await search('speaker=Ada%20Quilter')).captions).toHaveLength(1);
    for (const [bound, count] of [
      ['after=2020-01-01T00:00:00Z', 1],
      ['before=2020-01-01T00:00:00Z', 0],
    ] as const) {
      expect((await search(`q=hare&${bound}`)).captions).toHaveLength(count);
    }
    await app.ask(`/workflows/captioner/${talk}/review`, {
      method: 'DELETE',
      key: ann.key,
      headers: { 'if-match': '*' },
    });
    expect(await found('hare')).toEqual([]);
    expect((await found('rabbit'))[0][0]).toBe(talk);

    const many = await Promise.all(Array.from({ length: 5 }, () => run(ann, 'A common phrase.')));
    const seen: string[] = [];
    for (let cursor: string | null = '', pages = 0; cursor !== null && pages < 9; pages += 1) {
      const page = await search(`q=common&limit=2${cursor && `&cursor=${cursor}`}`);
      seen.push(...page.captions.map(({ runId }: Any) => runId));
      cursor = page.nextCursor;
    }
    expect(seen.toSorted()).toEqual(many.toSorted());
  });

  test('gets an answer of the contract to whatever it asks', async () => {
    for (const query of [
      '',
      'q=',
      'q=%20',
      `q=${'x'.repeat(300)}`,
      'q=a&cursor=b',
      'q=a&limit=0',
    ]) {
      expect((await search(query)).status).toBe(422);
    }
    expect((await search('q=a&after=yesterday')).status).toBe(422);
    for (const q of ['NEAR(a b)', 'a AND', '"a" NOT b', 'words:a', "a'b", '%', '\u0000', '🦊']) {
      expect((await search(`q=${encodeURIComponent(q)}`)).status).toBe(200);
    }
  });

  test('finds the same by the tool for agents', async () => {
    const answer = await callTool(app, ann, 'search_captions', { q: '東京' });
    expect(answer.structuredContent.captions[0].runId).toBe(tokyo);
    expect(answer.content[0].text).toContain('東京');
  });

  test('keeps nothing of an erased run, in no table and on no page of the file', async () => {
    const secret = await run(ann, 'The zyxwvutsr of Quornblat must vanish.');
    expect(await found('zyxwvutsr')).toHaveLength(1);
    const files = async (word: string) => {
      const found: string[] = [];
      for (const name of await readdir(app.dataDir)) {
        if (!/sqlite/.test(name)) continue;
        const bytes = (await readFile(join(app.dataDir, name))).toString('latin1').toLowerCase();
        if (bytes.includes(word)) found.push(name);
      }
      return found;
    };
    expect(await files('zyxwvutsr')).not.toEqual([]);
    const erased = await app.ask(`/workflows/captioner/${secret}/data`, {
      method: 'DELETE',
      key: ann.key,
    });
    expect(erased.status).toBe(200);
    expect(await found('zyxwvutsr')).toEqual([]);
    const { rows } = await sql<Any>`select * from caption_search_words
      where caption_search_words match 'zyxwvutsr'`.execute(database);
    expect(rows).toEqual([]);
    for (const word of ['zyxwvutsr', 'quornblat']) expect(await files(word)).toEqual([]);
  });
});
