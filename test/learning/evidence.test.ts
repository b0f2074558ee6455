/** Evidence about terms in a review: decisions, typed corrections, and edits that prove nothing. */
import { describe, expect, test } from 'bun:test';
import { buildCues } from '../../server/captions/build.ts';
import { type CaptionCue } from '../../server/contract/captions.ts';
import type { ReviewDocument } from '../../server/contract/review.ts';
import type { TermCorrection, TermObservation } from '../../server/contract/terminology.ts';
import {
  evidenceOf,
  looksLikeTerm,
  type Evidence,
  groupsOf,
  type ReviewedResult,
} from '../../server/learning/evidence.ts';
import { spoken } from '../support/servers/completed-run.ts';
import type { TranscriptWord } from '../../server/contract/results.ts';
import { contentWords, isStrange } from '../../server/learning/rules.ts';
import { DEFAULT_CAPTION_SETTINGS } from '../../server/contract/caption-defaults.ts';

/**
 * The evidence if somebody edits `before` to `after`; a word may contain its misheard form:
 * `SCIM{skim}`.
 */
function said(
  before: string,
  after: string,
  more: {
    corrections?: TermCorrection[];
    observations?: TermObservation[];
    decisions?: ReviewDocument['corrections'];
    known?: string[];
  } = {},
): string[] {
  const words = spoken(before).map((word) => {
    const [, text = word.text, heard] = /^([^{]+)\{([^}]+)\}(.*)$/.exec(word.text) ?? [];
    return heard === undefined ? word : { ...word, text, original: heard.split('_') };
  });
  const cues = buildCues(words, DEFAULT_CAPTION_SETTINGS, 'en');
  const found: Evidence[] = evidenceOf(
    {
      words,
      cues,
      corrections: more.corrections ?? [],
      observations: more.observations ?? [],
      known: more.known ?? [],
    },
    {
      cues: buildCues(spoken(after), DEFAULT_CAPTION_SETTINGS, 'en'),
      corrections: more.decisions ?? [],
      speakers: [],
      finished: true,
    },
  );
  return found.map((one) => `${one.said}: ${one.surface} → ${one.canonical}`);
}

const correction = (decision: TermCorrection['decision'], at = 2): TermCorrection => ({
  id: 'c1',
  firstWord: at,
  lastWord: at,
  start: at / 3,
  end: at / 3 + 0.3,
  before: 'skim',
  after: 'SCIM',
  category: 'acronym',
  confidence: 0.8,
  decision,
  reason: 'it sounds like it',
  packHints: [],
});
const observation = (action: TermObservation['action']): TermObservation => ({
  surface: 'skim',
  canonical: 'SCIM',
  category: 'acronym',
  source: 'audit_needs_review',
  action,
  correctionId: 'c1',
});

describe('words that were typed over', () => {
  test.each([
    [
      'We use key cloke here today.',
      'We use Keycloak here today.',
      ['typed: key cloke → Keycloak'],
    ],
    ['Then pre a ramen spoke.', 'Then Priya Raman spoke.', ['typed: pre a ramen → Priya Raman']],
    ["It is key cloak's idea.", "It is Keycloak's idea.", ['typed: key cloak → Keycloak']],
    ['We met at linear today.', 'We met at Linear today.', ['typed: linear → Linear']],
    // A word with only a changed capital belongs to the name that follows.
    [
      'We use google key cloke here.',
      'We use Google Keycloak here.',
      ['typed: google key cloke → Google Keycloak'],
    ],
    // Ordinary words, grammar, punctuation and sentence capitals are not terms.
    ['They put it over their now.', 'They put it over there now.', []],
    ['well we know that.', 'Well, we know that!', []],
    ['And it is fine.', 'But it is fine.', []],
    ['He said so to me.', 'Priya Raman said so to me.', []],
    ['One two three four.', 'One two three four. And five.', []],
  ])('%s → %s', (before, after, expected) => {
    expect(said(before, after)).toEqual(expected);
  });

  test('rewritten captions are no evidence', () => {
    const words = (seed: string) =>
      Array.from({ length: 3000 }, (_, at) => `${seed}${at}`).join(' ');
    expect(said(words('a'), words('Wort'))).toEqual([]);
  });

  test("retyping the recognised words rejects the audit's correction", () => {
    const made = { corrections: [correction('accepted')], observations: [observation('ignore')] };
    expect(said('We use SCIM{skim} here.', 'We use skim here.', made)).toEqual([
      'rejected: skim → SCIM',
    ]);
    expect(said('We use SCIM{skim} here.', 'We use Scheme here.', made)).toEqual([
      'rejected: skim → SCIM',
      'typed: skim → Scheme',
    ]);
    expect(said('We use SCIM{skim} here.', 'We use SCIM here.', made)).toEqual([]);
  });
});

describe('decisions', () => {
  const open = { corrections: [correction('needs_review')], observations: [observation('review')] };
  test.each([
    ['accepted, and the text with it', 'We use SCIM here.', 'accepted', ['accepted: skim → SCIM']],
    ['accepted alone', 'We use skim here.', 'accepted', ['accepted: skim → SCIM']],
    ['rejected', 'We use skim here.', 'rejected', ['rejected: skim → SCIM']],
    ['typed instead of accepted', 'We use SCIM here.', 'open', ['accepted: skim → SCIM']],
    ['left open', 'We use skim here.', 'open', []],
  ] as const)('%s', (_, after, decision, expected) => {
    const decisions = [{ id: 'c1', decision }];
    expect(said('We use skim here.', after, { ...open, decisions })).toEqual([...expected]);
  });

  test('an untouched correction counts only if no pack contains it', () => {
    const made = (action: TermObservation['action']) =>
      said('We use SCIM{skim} here.', 'We use SCIM here.', {
        corrections: [correction('accepted')],
        observations: [observation(action)],
      });
    expect([made('add_mishear'), made('ignore')]).toEqual([['kept: skim → SCIM'], []]);
  });
});

test.each([
  ['AuthKit', false, true],
  ['SCIM', true, true],
  ['Priya', false, true],
  ['Then', true, false],
  ['kubernetes', false, true],
  ['there', false, false],
  // Capitals inside, two in a row, or a digit beside a letter.
  ['theRe', true, true],
  ['THere', true, true],
  ['the2', true, true],
  ['2the', true, true],
  ['2 the', true, false],
  // A capital, unless the word opens the sentence or is grammar.
  ['House Garden', true, true],
  ['House garden', true, false],
  ['House', false, true],
  ['the The', false, false],
])('%s (opening: %p) looks like a term: %p', (text, opens, expected) => {
  expect(looksLikeTerm(text, opens)).toBe(expected);
});

describe('everything that a piece of evidence says: its words, context, time, and the limits of a review', () => {
  const said = (text: string): TranscriptWord[] =>
    text.split(' ').map((word, at) => ({ text: word, start: at, end: at + 0.5 }));

  const cues = (text: string): CaptionCue[] => [{ lines: [text] } as unknown as CaptionCue];

  interface Review {
    words: TranscriptWord[];
    captions?: string;
    edited: string;
    known?: string[];
    corrections?: Partial<TermCorrection>[];
    observations?: Partial<TermObservation>[];
    decisions?: Record<string, 'accepted' | 'rejected' | 'open'>;
  }

  function read({ words, captions, edited, known = [], ...more }: Review): Evidence[] {
    const shown = captions ?? words.map(({ text }) => text).join(' ');
    return evidenceOf(
      {
        words,
        cues: cues(shown),
        corrections: (more.corrections ?? []) as ReviewedResult['corrections'],
        observations: (more.observations ?? []) as ReviewedResult['observations'],
        known,
      },
      {
        cues: cues(edited),
        corrections: Object.entries(more.decisions ?? {}).map(([id, decision]) => ({
          id,
          decision,
        })),
        speakers: [],
        finished: true,
      },
    );
  }

  describe('typed evidence', () => {
    test('has its words, the rarer words around it, and its time', () => {
      const edited = 'Provisioning tenants with Keycloak takes provisioning and tokens, okay';
      const words = said('Provisioning tenants with keycloke takes provisioning and tokens, okay');
      const typed: Evidence = {
        said: 'typed',
        surface: 'keycloke',
        canonical: 'Keycloak',
        known: false,
        // Neither short nor common words, and each once.
        context: ['provisioning', 'tenants', 'okay'],
        start: 3,
      };
      expect(read({ words, edited })).toEqual([typed]);
      expect(read({ words, edited, known: ['keycloak'] })).toEqual([{ ...typed, known: true }]);
    });

    test('is found although captions leave out words, up to seven in a row', () => {
      const skipped = (count: number) => {
        const words = said(`we um keycloke use ${'um '.repeat(count)}keycloke here`);
        const captions = 'we use keycloke here';
        return read({ words, captions, edited: 'we use Keycloak here' })[0]?.start;
      };
      expect([skipped(0), skipped(1), skipped(7)]).toEqual([4, 5, 11]);
      // Farther away, nothing says when it was spoken.
      expect(skipped(8)).toBe(0);
    });
  });

  test('evidence is grouped by recognised text and intended term, with the most common spelling', () => {
    const of = (
      said: Evidence['said'],
      canonical: string,
      more: Partial<Evidence> = {},
    ): Evidence => ({
      said,
      surface: 'keycloke',
      canonical,
      known: false,
      context: ['okta'],
      start: 1,
      ...more,
    });
    const [first, second] = [
      { runId: 'a', createdAt: 1, evidence: [of('typed', 'KeyCloak'), of('rejected', 'KEYCLOAK')] },
      {
        runId: 'b',
        createdAt: 2,
        evidence: [
          of('kept', 'Keycloak', { known: true }),
          of('accepted', 'Keycloak', { start: 4 }),
          of('rejected', 'Keycloak', { shown: true }),
          of('rejected', 'Okta'),
        ],
      },
    ];
    expect(groupsOf([first, second])).toEqual([
      {
        surface: 'keycloke',
        canonical: 'Keycloak',
        spellings: new Map([
          ['KeyCloak', 1],
          ['Keycloak', 2],
        ]),
        known: true,
        confirmations: [
          { runId: 'a', createdAt: 1, context: ['okta'], start: 1 },
          { runId: 'b', createdAt: 2, context: ['okta'], start: 1 },
          { runId: 'b', createdAt: 2, context: ['okta'], start: 4 },
        ],
        rejections: [
          { runId: 'a', createdAt: 1, start: 1, shown: false },
          { runId: 'b', createdAt: 2, start: 1, shown: true },
        ],
      },
      {
        surface: 'keycloke',
        canonical: 'Okta',
        spellings: new Map(),
        known: false,
        confirmations: [],
        rejections: [{ runId: 'b', createdAt: 2, start: 1, shown: false }],
      },
    ]);
  });
});

describe('a phrase', () => {
  test.each([
    ['d b t', true, 0],
    ['a b c', true, 0],
    ['a i', false, 0],
    ['a i c', false, 0],
    ['b c', false, 0],
    ['keycloke', true, 1],
    ['the keycloke', true, 1],
    ['abq', false, 1],
    ['abqx', true, 1],
    ['xq abq', true, 2],
    ['ab qx', false, 2],
    ['house of cards', false, 2],
    ['of the', false, 0],
  ])('%j is strange: %p, with %d words of content', (surface, strange, count) => {
    expect([isStrange(surface), contentWords(surface)]).toEqual([strange, count]);
  });
});
