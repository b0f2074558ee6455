import { describe, expect, test } from 'bun:test';
import { audit, corrected, everyTerm, wordsOf } from './support.ts';

const decisions = async (text: string) =>
  (await audit(wordsOf(text))).corrections.map(({ before, after, decision }) => [
    before,
    after,
    decision,
  ]);

describe('one word of a term is misheard', () => {
  test.each([
    ['behind zero thrust we sleep', ['zero thrust', 'Zero Trust', 'needs_review']],
    [
      'a protected resort metadata file',
      ['protected resort metadata', 'Protected Resource Metadata', 'needs_review'],
    ],
    // The other word belongs elsewhere, so the correction is only shown.
    ['cloudflare queens are full', ['queens', 'Queues', 'needs_review']],
    ['an MCP serber here', ['serber', 'server', 'accepted']],
    ["the Cloudflare tonnel's end", ["tonnel's", "Tunnel's", 'needs_review']],
  ])('%s', async (text, expected) => {
    expect(await decisions(text)).toContainEqual(expected);
  });

  test('in a term of up to five words', async () => {
    const given = (canonical: string) => ({ terms: everyTerm({ glossary: [canonical] }) });
    const five = await audit(
      wordsOf('the Global Harbor Fright Tariff Index rose'),
      given('Global Harbor Freight Tariff Index'),
    );
    expect(five.corrections.map(({ after }) => after).join(' ')).toContain('Freight');
    const six = await audit(
      wordsOf('the Global Harbor Fright Tariff Index Board met'),
      given('Global Harbor Freight Tariff Index Board'),
    );
    expect(six.corrections).toEqual([]);
  });

  test('with an observation of the whole term', async () => {
    const { observations } = await audit(wordsOf('a Cloudflare queens thing'));
    expect(observations).toMatchObject([
      { surface: 'queens', suggested: 'Queues', canonical: 'Cloudflare Queues', action: 'review' },
    ]);
  });
});

test.each([
  // Another form of the word, a different word, a function word.
  'two context windows and a fine tuned model',
  'the tool box has a tool bar',
  'zero on trust',
  'a web server with a time window',
  'the MCP people. Night falls',
])('no match: %s', async (text) => {
  expect(await corrected(text)).toBe(text);
  expect(await decisions(text)).toEqual([]);
});
