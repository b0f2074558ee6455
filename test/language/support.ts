/** An auditor connected to a double of a language model over HTTP. */
import { afterAll, beforeEach } from 'bun:test';
import type { AuditOutcome } from '../../server/language/auditor.ts';
import { createAuditorRegistry } from '../../server/language/registry.ts';
import { everyCandidate, startChatDouble } from '../support/doubles/chat-double.ts';
import { applyCorrections, everyTerm, textOf, wordsOf } from '../terminology/support.ts';
import { noWaiting } from '../support/doubles/waiting.ts';
import { OPENAI_KEY } from '../support/doubles/provider-keys.ts';

/** All terms of the packs. */
export const terms = everyTerm();

/** "off kit" is certain; "pixie" (near "verifier") and "anthropik" are not. */
export const talk = 'we use off kit and a pixie flow with a verifier at anthropik';

/** The words of a text after corrections. */
export const read = (text: string, { corrections }: AuditOutcome): string =>
  textOf(applyCorrections(wordsOf(text), corrections));

/** The decisions of an audit, for each correction: before, after, decision. */
export const decisions = ({ corrections }: AuditOutcome): string[][] =>
  corrections.map(({ before, after, decision }) => [before, after, decision]);

/** A test's deviations from the defaults. */
interface Given {
  minConfidence?: number;
  signal?: AbortSignal;
  terms?: typeof terms;
}

/**
 * Starts a double of a model, which ends with the test file, and creates an auditor that uses it. Before each test, the
 * double confirms every candidate, no answers are cached, and the timer, which takes no time, is reset.
 */
export async function modelAuditor() {
  const double = await startChatDouble();
  const kept = new Map<string, string>();
  const waiting = noWaiting();
  afterAll(() => double.close());
  beforeEach(() => {
    double.requests.length = 0;
    double.behave(everyCandidate());
    kept.clear();
    waiting.pauses.length = 0;
  });
  const cache = {
    get: async (key: string) => kept.get(key) ?? null,
    set: async (key: string, answer: string) => void kept.set(key, answer),
  };
  const openai = createAuditorRegistry({
    services: { openai: { baseUrl: double.url, apiKey: OPENAI_KEY } },
    cache,
    waiting,
  }).auditor('openai')!;
  const audit = (text: string, given: Given = {}): Promise<AuditOutcome> =>
    openai.audit(
      {
        words: wordsOf(text),
        language: 'en',
        terms: given.terms ?? terms,
        minConfidence: given.minConfidence ?? 0.85,
      },
      { signal: given.signal ?? new AbortController().signal, progress: () => {} },
    );
  return { double, kept, cache, openai, waiting, audit };
}
