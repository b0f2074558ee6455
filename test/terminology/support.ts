/** Helpers for tests of terminology: packs, words, and an audit in one call. */
import { fileURLToPath } from 'node:url';
import type { TranscriptWord } from '../../server/contract/results.ts';
import type { AuditOutcome } from '../../server/language/auditor.ts';
import { createAuditorRegistry } from '../../server/language/registry.ts';
import type { ActiveTerm } from '../../server/terminology/active-term.ts';
import { compileTerminology } from '../../server/terminology/packs/compile.ts';
import { correct } from '../../server/terminology/decide/correct.ts';
import { loadPacks } from '../../server/terminology/packs/packs.ts';

type TerminologyRequest = Parameters<typeof compileTerminology>[1];

/** The packs of the repository. */
export const packs = await loadPacks(fileURLToPath(new URL('../../terms', import.meta.url)));

export const request = (given: Partial<TerminologyRequest> = {}): TerminologyRequest => ({
  requestedPacks: [],
  glossary: [],
  keyterms: [],
  include: [],
  exclude: [],
  maxKeyterms: 100,
  ...given,
});

/** The terms of all packs and of the request. */
export const everyTerm = (given: Partial<TerminologyRequest> = {}): ActiveTerm[] =>
  compileTerminology(packs, request({ requestedPacks: packs.map(({ id }) => id), ...given })).terms;

/** A term of one pack. */
export const term = (canonical: string, more: Partial<ActiveTerm> = {}): ActiveTerm => ({
  canonical,
  category: 'product_name',
  mishears: [],
  risky: [],
  near: [],
  aliases: [],
  weight: 5,
  keyterm: true,
  explicit: false,
  packIds: ['test'],
  ...more,
});

/** Words of 0.3 s, 0.1 s apart; "|" in the text is a change of speaker. */
export function wordsOf(text: string): TranscriptWord[] {
  return text
    .split('|')
    .flatMap((turn, speaker) =>
      turn
        .split(/\s+/)
        .flatMap((word) => (word === '' ? [] : { text: word, speaker: `${speaker}` })),
    )
    .map((word, at) => ({ ...word, start: at * 0.4, end: at * 0.4 + 0.3 }));
}

export const textOf = (words: readonly TranscriptWord[]): string =>
  words.map((word) => word.text).join(' ');

/** The words after corrections. */
export const applyCorrections = (...given: Parameters<typeof correct>): TranscriptWord[] =>
  correct(...given).words;

export interface AuditOptions {
  terms?: readonly ActiveTerm[];
  minConfidence?: number;
  language?: string;
}

const auditor = createAuditorRegistry().auditor('edge')!;
const all = everyTerm();

export const audit = (
  words: readonly TranscriptWord[],
  { terms = all, minConfidence = 0.85, language = 'en' }: AuditOptions = {},
): Promise<AuditOutcome> =>
  auditor.audit(
    { words, language, terms, minConfidence },
    { signal: new AbortController().signal, progress: () => {} },
  );

/** A text after the audit on this host. */
export async function corrected(text: string, options: AuditOptions = {}): Promise<string> {
  const words = wordsOf(text);
  const { corrections } = await audit(words, options);
  return textOf(applyCorrections(words, corrections));
}
