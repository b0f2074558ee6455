/** The step of a run that reads its workspace's terms, and the record of rules that changed its captions. */
import type { AuditOutcome } from '../language/auditor.ts';
import { phraseKey } from '../terminology/normalize.ts';
import { NO_OWN_TERMS, type OwnTerms, type RuleChange } from '../terminology/own-terms.ts';
import { LOCAL_RETRIES, perform } from './perform.ts';
import type { CaptionerRun, RunContext } from './run.ts';

/** Most changes of one run that are noted. */
const MOST_CHANGES = 1000;

/** The terms of the workspace, recorded: a run that is done again after a crash takes the same. */
export async function takeOwnTerms(run: CaptionerRun, context: RunContext): Promise<OwnTerms> {
  const { ownTerms } = run;
  if (!ownTerms) return NO_OWN_TERMS;
  return (await perform(context, 'workspace terms', LOCAL_RETRIES, ownTerms)).value;
}

/** Notes the corrections that rest on a learned rule. */
export async function noteRuleChanges(
  run: CaptionerRun,
  context: RunContext,
  { rules }: OwnTerms,
  audit: AuditOutcome,
): Promise<void> {
  const { noteRuleChanges: note } = run;
  if (!note || rules.length === 0) return;
  const changes = ruleChanges(rules, audit).slice(0, MOST_CHANGES);
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
