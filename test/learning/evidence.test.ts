/** Evidence about terms in a review: decisions, typed corrections, and edits that prove nothing. */
import { describe, expect, test } from 'bun:test';
import { buildCues } from '../../server/captions/build/build.ts';
import { type CaptionCue } from '../../server/contract/captions.ts';
import type { EvidentPack } from '../../server/contract/terminology.ts';
import { packDecision } from '../../server/contract/evident-packs.ts';
import type { ReviewDocument } from '../../server/contract/review.ts';
import type { TermCorrection, TermObservation } from '../../server/contract/terminology.ts';
import { evidenceOf } from '../../server/learning/evidence.ts';
import { spoken } from '../support/servers/completed-run.ts';
import type { TranscriptWord } from '../../server/contract/results.ts';
import type { Evidence } from './documents.ts';
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
    evidentPacks?: EvidentPack[];
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
      evidentPacks: more.evidentPacks,
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
    ['We use key cloke today.', 'We use Keycloak today.', ['typed: key cloke → Keycloak']],
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

  test('accepted in one place, and left as heard in the others', () => {
    const places = [0, 1, 2].map((at) => ({
      ...correction('needs_review', 2 + 4 * at),
      id: `c${at}`,
    }));
    const heard = 'We use skim here. We use skim here. We use skim here.';
    const decisions: ReviewDocument['corrections'] = [{ id: 'c0', decision: 'accepted' }];
    const found = said(heard, heard.replace('skim', 'SCIM'), { corrections: places, decisions });
    expect(found).toEqual(['accepted: skim → SCIM', ...Array(2).fill('left: skim → SCIM')]);
  });

  test('whoever does without a pack says nothing about its terms', () => {
    const pack = { id: 'security', title: 'Security', heard: ['SCIM'], corrections: ['c1'] };
    const decisions: ReviewDocument['corrections'] = [{ id: 'c1', decision: 'rejected' }];
    const made = { corrections: [correction('accepted')], observations: [observation('ignore')] };
    const without = (more: ReviewDocument['corrections']) =>
      said('We use SCIM{skim} here.', 'We use skim here.', {
        ...made,
        evidentPacks: [pack],
        decisions: [...decisions, ...more],
      });
    expect(without([])).toEqual(['rejected: skim → SCIM']);
    expect(without([{ id: packDecision(pack), decision: 'rejected' }])).toEqual([]);
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

/** What was heard and typed, within a sentence or at its beginning, and whether it looks like a term. */
test.each([
  ['authkit', 'AuthKit', '', true],
  ['scim', 'SCIM', 'opens', true],
  ['pria', 'Priya', '', true],
  ['den', 'Then', 'opens', false],
  ['cubernetes', 'kubernetes', '', true],
  ['their', 'there', '', false],
  // Capitals inside, two in a row, or a digit beside a letter.
  ['there', 'theRe', 'opens', true],
  ['there', 'THere', 'opens', true],
  ['goat two', 'go2', 'opens', true],
  ['two goat', '2go', 'opens', true],
  ['toot seed', '2 seeds', 'opens', false],
  // A capital, unless the word opens the sentence or is grammar.
  ['house garden', 'House Garden', 'opens', true],
  ['houses guarden', 'House garden', 'opens', false],
  ['house', 'House', '', true],
  ['these they', 'the The', '', false],
])('of “%s”, “%s” %s is a term: %p', (heard, typed, opens, expected) => {
  const sentence = (words: string) => (opens ? `${words} it was so.` : `We saw ${words} here.`);
  expect(said(sentence(heard), sentence(typed))).toHaveLength(expected ? 1 : 0);
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
        corrections: (more.corrections ?? []) as TermCorrection[],
        observations: (more.observations ?? []) as TermObservation[],
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
});
