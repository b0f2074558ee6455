/** Reads the workspace's terms as a step of the run, and records which learned rules changed its captions. */
import type { AuditOutcome } from '../language/auditor.ts';
import { phraseKey } from '../terminology/match/normalize.ts';
import { NO_OWN_TERMS, type OwnTerms, type RuleChange } from '../terminology/packs/own-terms.ts';
import { LOCAL_RETRIES, perform } from './perform.ts';
import type { CaptionerRun, RunContext } from './run.ts';

/** The most changes that are recorded for one run. */
const MAX_CHANGES = 1000;

/** The terms of the workspace, recorded so that a run repeated after a crash uses the same ones. */
export async function takeOwnTerms(run: CaptionerRun, context: RunContext): Promise<OwnTerms> {
  const { ownTerms } = run;
  if (!ownTerms) return NO_OWN_TERMS;
  return (await perform(context, 'workspace terms', LOCAL_RETRIES, ownTerms)).value;
}

/** Records the corrections made by learned rules. */
export async function noteRuleChanges(
  run: CaptionerRun,
  context: RunContext,
  { rules }: OwnTerms,
  audit: AuditOutcome,
): Promise<void> {
  const { noteRuleChanges: note } = run;
  if (!note) return;
  const changes = ruleChanges(rules, audit).slice(0, MAX_CHANGES);
  if (changes.length === 0) return;
  await perform(context, 'rule changes', LOCAL_RETRIES, async () => {
    await note(changes);
    return changes.length;
  });
}

function ruleChanges(rules: OwnTerms['rules'], audit: AuditOutcome): RuleChange[] {
  const byPair = new Map(rules.map((rule) => [pairKey(rule.surface, rule.canonical), rule.id]));
  const corrections = new Map(audit.corrections.map((correction) => [correction.id, correction]));
  return audit.observations.flatMap(({ surface, canonical = '', correctionId = '' }) => {
    const ruleId = byPair.get(pairKey(surface, canonical));
    const correction = corrections.get(correctionId);
    if (ruleId === undefined || correction?.decision !== 'accepted') return [];
    const { start, before, after } = correction;
    return [{ ruleId, correctionId, start, before, after }];
  });
}

const pairKey = (surface: string, canonical: string): string =>
  `${phraseKey(surface)}\n${phraseKey(canonical)}`;
