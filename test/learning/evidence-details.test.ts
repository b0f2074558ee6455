/** Everything that a piece of evidence says: its words, context, time, and the limits of a review. */
import { describe, expect, test } from 'bun:test';
import type { CaptionCue } from '../../server/contract/captions.ts';
import type { TermCorrection, TermObservation } from '../../server/contract/terminology.ts';
import type { TranscriptWord } from '../../server/contract/results.ts';
import {
  type Evidence,
  evidenceOf,
  groupsOf,
  type ReviewedResult,
} from '../../server/learning/evidence.ts';

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
      corrections: Object.entries(more.decisions ?? {}).map(([id, decision]) => ({ id, decision })),
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
