/** Requests of the terms screens, with their errors, and the lists of terms that people type. */
import { useSignal, type Signal } from '@preact/signals';
import { termService } from '../api/terminology.ts';
import { failureText } from '../failure-text.ts';
import { withKey } from '../session.ts';
import { termsText } from '../texts/terms.ts';
import type {
  WorkspaceTerm,
  LearnedRule,
  LearnedRules,
  RulePatch,
} from '../../server/contract/workspace-terms.ts';

export interface Asking {
  /** The error message; empty if there is none. */
  problem: Signal<string>;
  /** Makes a request with the key; null if it failed, with the error in `problem`. */
  ask<T>(use: (key: string) => Promise<T>): Promise<T | null>;
  /** The same for a request that the user did not start: it leaves the error of an earlier one. */
  read<T>(use: (key: string) => Promise<T>): Promise<T | null>;
}

/** Makes requests and keeps the last error message. */
export function useAsking(): Asking {
  const problem = useSignal('');
  const read: Asking['read'] = async (use) => {
    try {
      return await withKey(use);
    } catch (error) {
      problem.value = failureText(error, termsText.refused) ?? '';
      return null;
    }
  };
  return {
    problem,
    read,
    ask(use) {
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
  const settled = await ask((key) => termService.decide(key, id, patch));
  const now = rules.peek();
  if (!settled || !now) return;
  rules.value = { ...now, rules: now.rules.map((rule) => (rule.id === id ? settled : rule)) };
}

/** The entries of a comma-separated list, without duplicates. */
export const listOf = (typed: string): string[] => [
  ...new Set(
    typed
      .split(',')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== ''),
  ),
];

/** What a person has typed into the form of a term; lists are separated by commas. */
interface TypedTerm {
  canonical: string;
  /** One of the contract's kinds; empty for none. */
  kind: string;
  mishears: string;
  risky: string;
  near: string;
  aliases: string;
  say: string;
  /** 1 to 10. */
  weight: number;
  note: string;
}

/** The weight of a term that names none. */
const DEFAULT_WEIGHT = 10;

/** What the form of a term shows at first. */
export const typedOf = (term: WorkspaceTerm | null): TypedTerm => ({
  canonical: term?.canonical ?? '',
  kind: term?.kind ?? '',
  mishears: term?.mishears?.join(', ') ?? '',
  risky: term?.risky?.join(', ') ?? '',
  near: term?.near?.join(', ') ?? '',
  aliases: term?.aliases?.join(', ') ?? '',
  say: term?.say ?? '',
  weight: term?.weight ?? DEFAULT_WEIGHT,
  note: term?.note ?? '',
});

/**
 * The term from a form. Fields that the form does not show keep their values; its source is that of a person. A risky
 * word is a mishear, so it is added to the mishears.
 */
export function termOf(before: WorkspaceTerm | null, typed: TypedTerm): WorkspaceTerm {
  const risky = listOf(typed.risky);
  const mishears = [...new Set([...listOf(typed.mishears), ...risky])];
  const [near, aliases] = [listOf(typed.near), listOf(typed.aliases)];
  const [say, note] = [typed.say.trim(), typed.note.trim()];
  // A word that is no longer a risky mishear is not a confirmed one either.
  const confirmed = (before?.confirmed ?? []).filter((entry) => risky.includes(entry));
  return {
    ...(before?.keyterm === undefined ? {} : { keyterm: before.keyterm }),
    ...(before?.translations && { translations: before.translations }),
    canonical: typed.canonical.trim(),
    ...(typed.kind === '' ? {} : { kind: typed.kind as NonNullable<WorkspaceTerm['kind']> }),
    ...(mishears.length > 0 ? { mishears } : {}),
    ...(risky.length > 0 ? { risky } : {}),
    ...(near.length > 0 ? { near } : {}),
    ...(confirmed.length > 0 ? { confirmed } : {}),
    ...(aliases.length > 0 ? { aliases } : {}),
    ...(say === '' ? {} : { say }),
    ...(typed.weight === DEFAULT_WEIGHT ? {} : { weight: typed.weight }),
    ...(note === '' ? {} : { note }),
  };
}
