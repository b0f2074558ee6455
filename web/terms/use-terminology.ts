/** What a screen about terms has of the service, and what goes wrong with it. */
import { useSignal, type Signal } from '@preact/signals';
import type { LearnedRule, LearnedRules, RulePatch } from '../../server/contract/learning.ts';
import { settleRule } from '../api/terminology.ts';
import { failureWords } from '../failure-words.ts';
import { withKey } from '../session.ts';
import { termsText } from './terms-strings.ts';

export interface Asking {
  /** In words; empty where nothing is wrong. */
  problem: Signal<string>;
  /** Does something with the key; what goes wrong is told. */
  ask<T>(use: (key: string) => Promise<T>): Promise<T | null>;
}

/** Asks the service, and tells what it refused. */
export function useAsking(): Asking {
  const problem = useSignal('');
  return {
    problem,
    async ask(use) {
      problem.value = '';
      try {
        return await withKey(use);
      } catch (error) {
        problem.value = failureWords(error, termsText.refused) ?? '';
        return null;
      }
    },
  };
}

/** Decides on a rule of a list, which has it as it is then. */
export async function settleIn(
  rules: Signal<LearnedRules | null>,
  { ask }: Asking,
  { id }: LearnedRule,
  patch: RulePatch,
): Promise<void> {
  const settled = await ask((key) => settleRule(key, id, patch));
  const now = rules.peek();
  if (!settled || !now) return;
  rules.value = { ...now, rules: now.rules.map((rule) => (rule.id === id ? settled : rule)) };
}
