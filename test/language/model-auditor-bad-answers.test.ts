/** Language models whose answers violate the schema or propose changes that are not allowed. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { verdict } from '../support/doubles/chat-double.ts';
import { decisions, modelAuditor, read, talk } from './support.ts';

setDefaultTimeout(300_000);

const { double, audit } = await modelAuditor();

describe('an answer that violates the schema', () => {
  test.each([
    ['text', 'Sure! Here are the edits.'],
    ['an unknown field', '{"edits":[],"more":1}'],
    ['a wrong type', '{"edits":"none"}'],
    ['nothing', ''],
    [
      'a confidence out of bounds',
      JSON.stringify({
        edits: [
          verdict(
            { id: 'c1', startIndex: 0, endIndex: 0, original: 'we', term: 'PKCE' },
            { confidence: 7 },
          ),
        ],
      }),
    ],
  ])('twice leaves its window for review: %s', async (_name, answer) => {
    double.behave(() => answer);
    const outcome = await audit(talk);
    expect(decisions(outcome)).toEqual([
      ['off kit', 'AuthKit', 'accepted'],
      ['pixie', 'PKCE', 'needs_review'],
      ['anthropik', 'Anthropic', 'needs_review'],
    ]);
    expect(outcome.note).toContain('1 of 1 answers were invalid');
    expect(double.requests).toHaveLength(2);
  });
});

describe('a hostile answer changes nothing it must not', () => {
  const word = { id: 'c1', startIndex: 0, endIndex: 0, original: 'we', term: 'PKCE' };
  test.each([
    ['another place than it says', { original: 'use' }],
    ['no place', { startIndex: 900, endIndex: 900 }],
    ['a place that runs backwards', { startIndex: 3, endIndex: 1 }],
    ['more than five words', { endIndex: 6, original: 'we use off kit and a pixie' }],
    ['an unlike term', { replacement: 'Anthropic' }],
    ['words of its own', { replacement: 'we, the hacked' }],
    ['no words', { replacement: '' }],
  ])('%s', async (_name, given) => {
    double.behave(() => JSON.stringify({ edits: [verdict(word, { confidence: 1, ...given })] }));
    const outcome = await audit(talk);
    expect(read(talk, outcome)).toBe(
      'we use AuthKit and a pixie flow with a verifier at anthropik',
    );
  });

  test("of overlapping edits the surer one is made, and none that touches the matcher's", async () => {
    const text = 'off kit at anthropik labs';
    double.behave(() =>
      JSON.stringify({
        edits: [
          verdict(
            { id: 'c1', startIndex: 2, endIndex: 3, original: 'at anthropik', term: 'Anthropic' },
            { confidence: 0.9 },
          ),
          verdict(
            { id: 'c1', startIndex: 3, endIndex: 3, original: 'anthropik', term: 'Anthropic' },
            { confidence: 0.99 },
          ),
          verdict({
            id: 'new',
            startIndex: 0,
            endIndex: 1,
            original: 'off kit',
            term: 'Anthropic',
          }),
        ],
      }),
    );
    expect(read(text, await audit(text))).toBe('AuthKit at Anthropic labs');
  });

  test.each([
    [
      "that contains the matcher's edit",
      'othkit or off kit',
      'or off kit',
      'AuthKit',
      'or AuthKit',
    ],
    [
      'of a part that stays open for a person',
      'claudflare queues or Cloudflare queens',
      'Cloudflare queens',
      'Cloudflare Queues',
      'Cloudflare queens',
    ],
  ])('an edit %s is not made', async (_, text, original, term, left) => {
    const endIndex = text.split(' ').length - 1;
    const startIndex = endIndex + 1 - original.split(' ').length;
    const edit = verdict({ id: 'new', startIndex, endIndex, original, term }, { confidence: 1 });
    double.behave(() => JSON.stringify({ edits: [edit] }));
    expect(read(text, await audit(text))).toEndWith(` ${left}`);
  });

  test('edits that would change over 3% of the words all go to review', async () => {
    const text = Array.from({ length: 6 }, () => 'many a word about anthropik').join(' ');
    const outcome = await audit(text);
    expect(new Set(outcome.corrections.map(({ decision }) => decision))).toEqual(
      new Set(['needs_review']),
    );
    expect(outcome.corrections[0]!.reason).toContain('a person should check');
  });
});
