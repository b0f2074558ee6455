/** Decisions by confidence: corrected, shown, rejected, held back, or suggested for packs. */
import { describe, expect, test } from 'bun:test';
import { type ActiveTerm, compileTerminology } from '../../server/terminology/packs/compile.ts';
import {
  decide,
  decisionOf,
  type Draft,
  draftOf,
  observe,
  restrain,
} from '../../server/terminology/decide/decide.ts';
import type { Evidence } from '../../server/terminology/match/judge.ts';
import type { Match } from '../../server/terminology/match/findings.ts';
import { fitKeyterms, KEYTERM_LIMITS } from '../../server/terminology/packs/keyterms.ts';
import type { OwnTerms } from '../../server/terminology/packs/own-terms.ts';
import { guardProposal } from '../../server/terminology/decide/proposals.ts';
import { request, wordsOf } from './support.ts';

const term = (given: Partial<ActiveTerm> = {}): ActiveTerm => ({
  canonical: 'AuthKit',
  category: 'product_name',
  mishears: ['off kit'],
  risky: [],
  near: [],
  aliases: [],
  weight: 10,
  keyterm: true,
  explicit: false,
  packIds: ['pack'],
  ...given,
});
const words = wordsOf(Array.from({ length: 100 }, () => 'off').join(' '));
const match = (given: Partial<Match> = {}): Match => ({
  firstWord: 0,
  lastWord: 0,
  term: term(),
  surface: 'off kit',
  replacement: 'AuthKit',
  evidence: 'mishear',
  confidence: 0.97,
  reason: 'It is known.',
  ...given,
});

describe('a decision', () => {
  const of = (confidence: number, evidence: Evidence = 'mishear') =>
    decisionOf({ confidence, evidence }, 0.85);

  test('is made from the minimum on, shown from 0.25 below it, and rejected below that', () => {
    expect([of(0.85), of(0.849), of(0.6), of(0.599)]).toEqual([
      'accepted',
      'needs_review',
      'needs_review',
      'rejected',
    ]);
  });

  test('compares in thousandths, so that a difference that nobody sees does not count', () => {
    expect([of(0.8496), of(0.5996)]).toEqual(['accepted', 'needs_review']);
  });

  test('based only on similarity is never made', () => {
    expect([of(1, 'phonetic'), of(0.5, 'phonetic')]).toEqual(['needs_review', 'rejected']);
  });
});

describe('edits that were inferred', () => {
  const edits = (count: number, evidence: Evidence, length = 1): Match[] =>
    Array.from({ length: count }, (_, at) =>
      match({ firstWord: at * 10, lastWord: at * 10 + length - 1, evidence }),
    );
  const decisions = (matches: Match[], among = words.length) =>
    restrain(
      matches.map((one) => draftOf(words, one, 'accepted')),
      among,
    ).map(({ correction }) => correction.decision);

  test.each<Evidence>(['risky', 'sound', 'model'])(
    'by %s are all shown for review if more than five change more than 3%% of the words',
    (evidence) => {
      expect(new Set(decisions(edits(6, evidence)))).toEqual(new Set(['needs_review']));
      expect(new Set(decisions(edits(5, evidence)))).toEqual(new Set(['accepted']));
      expect(new Set(decisions(edits(6, evidence), 200))).toEqual(new Set(['accepted']));
      expect(new Set(decisions(edits(6, evidence), 199))).toEqual(new Set(['needs_review']));
    },
  );

  test('count by words, not by number', () => {
    expect(new Set(decisions(edits(6, 'sound', 2), 300))).toEqual(new Set(['needs_review']));
  });

  test.each<Evidence>(['mishear', 'capitalization', 'spacing'])(
    '%s is not inferred, however frequent',
    (evidence) => expect(new Set(decisions(edits(10, evidence)))).toEqual(new Set(['accepted'])),
  );

  test('are distinguished: known ones are made, and the reason says why', () => {
    const drafts = decide(
      words,
      [...edits(6, 'sound'), match({ firstWord: 70, lastWord: 70 })],
      0.85,
    );
    expect(drafts.at(-1)?.correction.decision).toBe('accepted');
    expect(drafts[0]?.correction.reason).toContain('a person should check');
  });
});

describe('suggestions for maintainers of packs', () => {
  const action = (decision: Draft['correction']['decision'], given: Partial<Match> = {}) => {
    const draft = draftOf(words, match(given), decision);
    const { action, source, canonical, correctionId } = observe(draft, 'c1');
    expect([canonical, correctionId]).toEqual(['AuthKit', 'c1']);
    return [action, source];
  };

  test('are new mishears to add, known ones to ignore, doubtful ones to review', () => {
    expect(action('accepted')).toEqual(['ignore', 'audit_accepted']);
    expect(action('accepted', { surface: 'awf kit' })).toEqual(['add_mishear', 'audit_accepted']);
    expect(action('accepted', { surface: 'authkit', evidence: 'capitalization' })[0]).toBe(
      'ignore',
    );
    expect(action('needs_review', { surface: 'awf kit' })).toEqual([
      'review',
      'audit_needs_review',
    ]);
    expect(action('rejected', { surface: 'awf kit' })).toEqual(['ignore', 'audit_rejected']);
  });

  test('have the kind of the term, or of the error if only the request contains the term', () => {
    const kind = (given: Partial<Match>) =>
      draftOf(words, match(given), 'accepted').correction.category;
    const free = term({ category: 'other' });
    expect(kind({})).toBe('product_name');
    expect(kind({ term: free, evidence: 'capitalization' })).toBe('capitalization');
    expect(kind({ term: free, evidence: 'spacing' })).toBe('spacing_punctuation');
  });
});

describe('a proposal of a model', () => {
  const heard = wordsOf('we use off kit here. off kit');
  const guard = (given: object) =>
    guardProposal(
      heard,
      {
        firstWord: 2,
        lastWord: 3,
        original: 'off kit',
        replacement: 'AuthKit',
        confidence: 0.95,
        category: 'product_name',
        decision: 'apply',
        reason: 'It signs people in.',
        ...given,
      },
      [term({ aliases: ['kit off'] })],
      0.85,
    );

  test('that is rejected has the reason, in our words', () => {
    const draft = guard({ firstWord: 4, lastWord: 5, original: 'here. off' });
    expect(draft?.correction.decision).toBe('rejected');
    expect(draft?.correction.reason).toContain('is not one phrase');
  });

  test('that goes beyond the last word is dropped', () => {
    expect(guard({ firstWord: 6, lastWord: 7, original: 'kit' })).toBeNull();
    expect(guard({ firstWord: 6, lastWord: 7, original: 'off kit' })).toBeNull();
  });

  test('has a reason of at most 300 characters, on one line', () => {
    const reason = guard({ reason: `a\n\u0007b ${'x'.repeat(900)}` })?.correction.reason ?? '';
    expect(reason).toStartWith('a b xxx');
    expect(reason).toHaveLength(300);
  });
});

describe('key terms', () => {
  test('of AssemblyAI are 200 of at most six words', () => {
    const many = Array.from({ length: 300 }, (_, at) => `term ${at}`);
    expect(fitKeyterms(many, KEYTERM_LIMITS.assemblyai).injected).toHaveLength(200);
    const long = ['one two three four five six', 'one two three four five six seven'];
    expect(fitKeyterms(long, KEYTERM_LIMITS.assemblyai)).toEqual({
      injected: [long[0]!],
      omitted: [long[1]!],
    });
  });
});

describe('terms that several sources have', () => {
  const pack = (id: string, given: object) => ({
    id,
    version: 1,
    title: id,
    triggers: [],
    relatedPackIds: [],
    terms: [{ canonical: 'Vault', kind: 'product_name' as const, weight: 5, ...given }],
  });
  const compiled = (packs: object[], given: object = {}) =>
    compileTerminology(packs as never, request({ requestedPacks: ['a', 'b'], ...given }));
  const own = (given: Partial<OwnTerms>): OwnTerms => ({
    terms: [],
    never: [],
    rules: [],
    ...given,
  });

  test('are key terms if one of them says so, or if the request names them', () => {
    const [no, yes] = [pack('a', { keyterm: false }), pack('b', {})];
    expect(compiled([no, yes]).summary.injectedKeyterms).toEqual(['Vault']);
    expect(compiled([no]).summary.injectedKeyterms).toEqual([]);
    expect(compiled([no], { glossary: ['vault'] }).summary.injectedKeyterms).toEqual(['Vault']);
  });

  test('are named and described as the first source does, and weigh most', () => {
    const first = pack('a', { note: 'A safe.', say: 'volt' });
    const other = { canonical: 'VAULT', kind: 'project_name', note: 'A jump.', say: 'wault' };
    const second = pack('b', { ...other, weight: 7 });
    expect(compiled([first, second]).terms).toMatchObject([
      {
        canonical: 'Vault',
        category: 'product_name',
        note: 'A safe.',
        say: 'volt',
        weight: 7,
        packIds: ['a', 'b'],
      },
    ]);
  });

  test('trust a mishear listed by the workspace, even if a pack calls it risky', () => {
    const risky = pack('a', { mishears: ['volt', 'fault'], risky: ['volt', 'fault'] });
    const terms = [
      { canonical: 'Vault', kind: 'product_name' as const, weight: 5, mishears: ['volt'] },
    ];
    const [term] = compiled([risky], { own: own({ terms }) }).terms;
    expect(term?.risky).toEqual(['fault']);
    expect(term?.mishears.toSorted()).toEqual(['fault', 'volt']);
  });

  test('never have a mishear that people have excluded', () => {
    const listed = pack('a', { mishears: ['volt', 'fault'], risky: ['volt', 'fault'] });
    const never = [{ surface: 'Volt', canonical: 'vault' }];
    const [term] = compiled([listed], { own: own({ never }) }).terms;
    expect(term).toMatchObject({ mishears: ['fault'], risky: ['fault'], never: ['volt'] });
  });
});
