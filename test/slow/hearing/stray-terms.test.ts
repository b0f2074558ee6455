/** The wrong terms that the benchmark counts in recognised text. */
import { expect, test } from 'bun:test';
import { strayTerms } from '../../../bench/hearing/term-figures.ts';

const TERMS = ['Claude', 'Claude Code', 'evals', 'SOC 2'];
const said = 'People often ask me about Claude Code after a talk.';
const strayIn = (heard: string, ...texts: string[]) =>
  strayTerms(
    heard.split(' ').map((text) => ({ text })),
    texts,
    TERMS,
  );

test.each([
  ['People often ask me about evals after a talk.', ['evals']],
  ['People often ask me about “SOC 2”, after a talk.', ['SOC 2']],
  ['evals evals, Claude Code', ['evals', 'evals']],
  ['People often ask me about Claude Code after a talk.', []],
  ['People often ask me about Claude after a talk.', []],
  ['People often ask me about claude codes after a talk.', []],
  ['A retrieval of SOC 20', []],
])('terms that were not said in “%s”', (heard, stray) => {
  expect(strayIn(heard, said)).toEqual(stray);
});

test('a longer term is not counted as the shorter one that it begins with', () => {
  expect(strayIn('Claude Code works, Claude waits', 'the clothes work')).toEqual([
    'Claude Code',
    'Claude',
  ]);
});

test('a term that is pronounced differently from its spelling counts as spoken', () => {
  expect(strayIn('we need SOC 2', 'we need sock two', 'SOC 2')).toEqual([]);
});
