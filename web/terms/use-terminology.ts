/** Requests of the terms screens, with their errors, and the lists of terms that people type. */
import { useSignal, type Signal } from '@preact/signals';
import { decideRule } from '../api/terminology.ts';
import { failureText } from '../tab/failure-text.ts';
import { withKey } from '../tab/session.ts';
import { termsText } from '../texts/terms.ts';
import type {
  LearnedRule,
  LearnedRules,
  RulePatch,
} from '../../server/contract/workspace-terms.ts';

export type Asking = ReturnType<typeof useAsking>;

/** Makes requests and keeps the last error message. */
export function useAsking() {
  const problem = useSignal('');
  /** The same for a request that the user did not start: it leaves the error of an earlier one. */
  const read = async <T>(use: (key: string) => Promise<T>): Promise<T | null> => {
    try {
      return await withKey(use);
    } catch (error) {
      problem.value = failureText(error, termsText.refused) ?? '';
      return null;
    }
  };
  return {
    /** The error message; empty if there is none. */
    problem,
    read,
    /** Makes a request with the key; null if it failed, with the error in `problem`. */
    ask<T>(use: (key: string) => Promise<T>): Promise<T | null> {
      problem.value = '';
      return read(use);
    },
  };
}

/** Decides on a rule and updates it in its list. */
export async function decideInList(
  rules: Signal<LearnedRules | null>,
  { ask }: Asking,
  { id }: LearnedRule,
  patch: RulePatch,
): Promise<void> {
  const settled = await ask((key) => decideRule(key, id, patch));
  const now = rules.peek();
  if (!settled || !now) return;
  rules.value = { ...now, rules: now.rules.map((rule) => (rule.id === id ? settled : rule)) };
}

/** The entries of a comma-separated list, without duplicates. */
export const listOf = (typed: string): string[] => [
  ...new Set(
    typed
      .split(/[,،、，]/)
      .map((entry) => entry.trim())
      .filter((entry) => entry !== ''),
  ),
];
