/**
 * Every term of the packs in many written forms and contexts: what is decided about each, by term, in every-form.txt. A
 * change of any weight or limit shows there; the tests beside this one define what is correct. `OUTLINES=write npm test
 * -- test/terminology/every-form.test.ts` updates it.
 */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { createHash } from 'node:crypto';
import type { TranscriptWord } from '../../server/contract/transcript.ts';
import type { ActiveTerm } from '../../server/terminology/compile.ts';
import { createMatcher } from '../../server/terminology/match.ts';
import { decideByMatcher } from '../../server/terminology/matcher-decisions.ts';
import { expectKeptIn } from '../support/kept.ts';
import { everyTerm, wordsOf } from './support.ts';

setDefaultTimeout(60_000);

const terms = everyTerm();
const [english, german] = [createMatcher(terms), createMatcher(terms, { language: 'de' })];

/** The forms in which a recogniser might write a term: as listed, and with the slips that it makes. */
function formsOf({ canonical, aliases, mishears, risky, say }: ActiveTerm): string[] {
  const listed = [canonical, ...aliases, ...mishears, ...risky, ...(say ? [say] : [])];
  const slips = [canonical, mishears[0] ?? canonical].flatMap((form) => {
    const middle = Math.ceil(form.length / 2);
    return [
      form.toLowerCase(),
      form.toUpperCase(),
      `${form}'s`,
      `${form}s`,
      form.replaceAll(/[ -]/g, ''),
      form.replaceAll(' ', '-'),
      `non-${form}`,
      `${form}-based`,
      `${form.slice(0, middle)} ${form.slice(middle)}`,
      form.replace(/[aeiou](?=[^aeiou]*$)/i, ''),
      form.replace(/([bdfglmnprst])/i, '$1$1'),
      form.replace(/[td](?=[^td]*$)/i, 'k'),
      `“${form},”`,
      [...form.replaceAll(' ', '')].join(' '),
    ];
  });
  return [...new Set([...listed, ...slips])].filter((form) => form.trim() !== '');
}

/** Ordinary words between two sentences, more than a near word reaches. */
const FAR = 'and the rest of it took us a year or so to get done at all that way';

/** The contexts of a form: its words have the confidence after the slash. */
const PLACES: readonly [name: string, text: (form: string, near: string) => string, number][] = [
  ['sure', (form) => `We saw ${form} on the table.`, 0.95],
  ['near', (form, near) => `The ${near} has ${form} in it.`, 0.7],
  ['doubted', (form, near) => `The ${near} is new ${FAR}. Then ${form} was there.`, 0.3],
  ['known', (form, near) => `MCP and AuthKit and OAuth ${FAR}. ${form} has the ${near}.`, 0.15],
];

const heard = (text: string, confidence: number, form: string): TranscriptWord[] => {
  const said = new Set(form.split(' '));
  return wordsOf(text).map((word) => ({
    ...word,
    confidence: said.has(word.text) ? confidence : 0.95,
  }));
};

/** The decisions about a term's forms in one context: the number of each kind, and a checksum of all. */
function decided(term: ActiveTerm, place: (typeof PLACES)[number], matcher = english): string {
  const [name, text, confidence] = place;
  const near = term.near.at(-1) ?? 'table';
  const counts = new Map<string, number>();
  const hash = createHash('sha256');
  for (const form of formsOf(term)) {
    const words = heard(text(form, near), confidence, form);
    for (const { correction } of decideByMatcher(matcher, words, 0.85)) {
      const { decision } = correction;
      counts.set(decision, (counts.get(decision) ?? 0) + 1);
      hash.update(JSON.stringify([form, correction]));
    }
  }
  const names = [...counts.keys()].toSorted((a, b) => (a < b ? -1 : 1));
  const parts = names.map((decision) => `${counts.get(decision)} ${decision}`);
  const where = matcher === english ? name : `${name}, in German`;
  const sum = hash.digest('hex').slice(0, 8);
  return `${term.canonical}, ${where}: ${parts.join(', ') || 'nothing'} (${sum})`;
}

test('the decision on every form of every term', () => {
  // Each term in one place, by turns, since all of them would take five seconds.
  const lines = terms.map((term, at) => {
    const isGerman = at % 5 === 4;
    const place = PLACES[isGerman ? 1 : at % 5]!;
    return decided(term, place, isGerman ? german : english);
  });
  expectKeptIn(new URL('outlines/', import.meta.url), 'every-form', lines);
  expect(terms.length).toBeGreaterThan(200);
});
