/** The checks of a language model's edits: dropped, rejected, shown or made. */
import { expect, test } from 'bun:test';
import { guardProposal, type Proposal } from '../../server/terminology/decide/proposals.ts';
import { term } from './made-terms.ts';
import { everyTerm, wordsOf } from './support.ts';

const words = wordsOf('off kit signs people in. Then skim');
const terms = everyTerm();

const guard = (given: Partial<Proposal>, minConfidence = 0.85, heard = words) =>
  guardProposal(
    heard,
    {
      firstWord: 0,
      lastWord: 1,
      original: 'off kit',
      replacement: 'AuthKit',
      confidence: 0.95,
      category: 'product_name',
      decision: 'apply',
      reason: 'It signs people in.',
      ...given,
    },
    terms,
    minConfidence,
  );
const decision = (given: Partial<Proposal>, minConfidence?: number) =>
  guard(given, minConfidence)?.correction.decision ?? 'dropped';

const last = words.length - 1;

test('an edit of the first words, or of the last, is made', () => {
  expect(decision({})).toBe('accepted');
  expect(decision({ firstWord: last, lastWord: last, original: 'skim', replacement: 'SCIM' })).toBe(
    'accepted',
  );
});

test.each<[string, Partial<Proposal>]>([
  ['before the first word', { firstWord: -1 }],
  ['after the last word', { lastWord: words.length }],
  ['backwards', { firstWord: 1, lastWord: 0 }],
  ['of other words than were heard', { original: 'of kit' }],
  [
    'of more words than an edit may span',
    { lastWord: 5, original: 'off kit signs people in. Then' },
  ],
  ['that changes nothing', { replacement: 'off kit' }],
  ['with a replacement that is no term', { replacement: 'A'.repeat(500) }],
])('an edit %s is dropped', (_, given) => {
  expect(decision(given)).toBe('dropped');
});

test('an edit of five words is checked, although its term is dissimilar', () => {
  expect(decision({ lastWord: 4, original: 'off kit signs people in' })).toBe('rejected');
});

test('an edit of words that are longer than two of the longest terms is dropped', () => {
  const of = (length: number) => {
    const original = 'a'.repeat(length);
    const place = { firstWord: 0, lastWord: 0, original };
    return guard(place, 0.85, wordsOf(original))?.correction.decision ?? 'dropped';
  };
  expect([of(400), of(401)]).toEqual(['rejected', 'dropped']);
});

/** The edit of the second of three words into a term. */
const edited = (original: string, replacement: string, known: ReturnType<typeof term>) =>
  guardProposal(
    wordsOf(`in ${original} here`),
    {
      firstWord: 1,
      lastWord: 1,
      original,
      replacement,
      confidence: 0.95,
      category: 'company_name',
      decision: 'apply',
      reason: '',
    },
    [known],
    0.85,
  )?.correction;

test('a name that ends like a possessive is a term as it stands, with its mishearings', () => {
  const levis = term("Levi's", { mishears: ["leevi's"] });
  const made = { after: "Levi's", decision: 'accepted' };
  expect(edited('leevis', 'Levi’s', levis)).toMatchObject(made);
  expect(edited("leevi's", "Levi's", levis)).toMatchObject(made);
});

test('words that resemble how a term is said are it, however it is written', () => {
  expect(edited('pixy', 'Jorn', term('Jorn'))?.decision).toBe('rejected');
  expect(edited('pixy', 'Jorn', term('Jorn', { say: 'pixie' }))?.decision).toBe('accepted');
});

test('an edit that people have ruled out is rejected, however its words are written', () => {
  expect(edited('Off-Kit', 'AuthKit', term('AuthKit', { never: ['off kit'] }))).toMatchObject({
    decision: 'rejected',
    reason: 'People said that "Off-Kit" is not AuthKit.',
  });
});

test('the required confidence counts, to the hundredth', () => {
  expect(decision({ confidence: 0.9 }, 0.9)).toBe('accepted');
  expect(decision({ confidence: 0.89 }, 0.9)).toBe('needs_review');
  expect(decision({ decision: 'review' })).toBe('needs_review');
});

test('a confidence out of bounds counts as the nearest possible one', () => {
  const told = (confidence: number) => guard({ confidence })?.correction.confidence;
  expect([told(1.7), told(-3)]).toEqual([1, 0]);
});

test('a replacement that is not a term of the run is shown, however sure the model is', () => {
  expect(decision({ replacement: 'Ofkit', confidence: 1 })).toBe('needs_review');
});

test('an edit across the end of a sentence is rejected', () => {
  const across = { firstWord: 4, lastWord: 5, original: 'in. Then', replacement: 'Zenden' };
  expect(decision(across)).toBe('rejected');
});

test('an edit of a sound is rejected, although it has the letters of the term', () => {
  const sound = { firstWord: 2, lastWord: 2, original: '[authkit]' };
  expect(guard(sound, 0.85, wordsOf('we use [authkit] here'))?.correction).toMatchObject({
    decision: 'rejected',
    reason: '"authkit" is a sound, not speech.',
  });
});

test('an edit of an accepted form is rejected, in whatever case', () => {
  const proposal: Proposal = {
    firstWord: 1,
    lastWord: 2,
    original: 'Kit-Off Kit',
    replacement: 'AuthKit',
    confidence: 0.95,
    category: 'product_name',
    decision: 'apply',
    reason: '',
  };
  const known = [term('AuthKit', { aliases: ['kit off kit'] })];
  expect(
    guardProposal(wordsOf('use Kit-Off Kit'), proposal, known, 0.85)?.correction,
  ).toMatchObject({
    decision: 'rejected',
    reason: '"Kit-Off Kit" is an accepted form of AuthKit.',
  });
});

test('a plural is kept if the recording has one, not if only the model writes one', () => {
  const after = (heard: string) =>
    guardProposal(
      wordsOf(`${heard} here`),
      {
        firstWord: 0,
        lastWord: 1,
        original: heard,
        replacement: 'AuthKits',
        confidence: 0.95,
        category: 'product_name',
        decision: 'apply',
        reason: 'It signs people in.',
      },
      terms,
      0.85,
    )?.correction.after;
  expect(after('off kit')).toBe('AuthKit');
  expect(after('off kits')).toBe('AuthKits');
});

test.each([
  // Words to be replaced by a whole term must not follow its first words.
  ['MCP emcee night here', 1, 2, 'emcee night', 'MCP Night', 'rejected'],
  ['so emcee night here', 1, 2, 'emcee night', 'MCP Night', 'accepted'],
  ['so mcp: emcee night', 2, 3, 'emcee night', 'MCP Night', 'rejected'],
  ['mcp mcp nite here', 1, 2, 'mcp nite', 'MCP Night', 'accepted'],
  ['MCP-night emcee nite talk', 1, 2, 'emcee nite', 'MCP Night', 'accepted'],
  [
    'Model-context modal context protocal is',
    1,
    3,
    'modal context protocal',
    'Model Context Protocol',
    'rejected',
  ],
  // A name may be said twice.
  ['MCP Night emcee night here', 2, 3, 'emcee night', 'MCP Night', 'accepted'],
] as const)(
  'in %j, words %d to %d (%j) become %s: %s',
  (text, first, to, original, name, expected) => {
    const proposal: Proposal = {
      firstWord: first,
      lastWord: to,
      original,
      replacement: name,
      confidence: 0.95,
      category: 'product_name',
      decision: 'apply',
      reason: 'It is an event.',
    };
    const draft = guardProposal(wordsOf(text), proposal, terms, 0.85);
    expect(draft?.correction.decision ?? 'dropped').toBe(expected);
  },
);

test('a name that is no term of the run keeps one possessive', () => {
  const heard = wordsOf('by zorbics’s team');
  const place = { firstWord: 1, lastWord: 1, original: 'zorbics’s' };
  const free = guard({ ...place, replacement: "Zorbix's" }, 0.85, heard);
  expect(free?.correction).toMatchObject({ after: 'Zorbix’s', decision: 'needs_review' });
  expect(free?.match.term.canonical).toBe('Zorbix');
});
