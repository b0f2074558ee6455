/** The hyphen of a term without capitals is added if its words can mean nothing else. */
import { expect, test } from 'bun:test';
import { audit, everyTerm, wordsOf } from './support.ts';

const terms = everyTerm({ glossary: ['check-in', 'long-running'] });
const changes = async (text: string) => {
  const { corrections } = await audit(wordsOf(text), { terms });
  return corrections.map(({ before, after, decision }) => `${before} → ${after}, ${decision}`);
};

test.each([
  ['We do fine tuning here.', 'fine tuning → fine-tuning'],
  ['Fine tuning is hard.', 'Fine tuning → Fine-tuning'],
  ['They sell multi tenant apps.', 'multi tenant → multi-tenant'],
  ['It is a single sign on flow.', 'single sign on → single sign-on'],
  ['A long running job ends.', 'long running → long-running'],
])('%s', async (text, change) => {
  expect(await changes(text)).toEqual([`${change}, accepted`]);
});

test.each([
  // A verb and its particle, or the name of a desk: both are said.
  'Please check in now at our check in desk.',
  'They fine-tune it, and Fine-Tuning it helps.',
  'We call it fine, tuning comes later.',
])('%s is unchanged', async (text) => {
  expect(await changes(text)).toEqual([]);
});
