/** A run's access to its workspace: reads terms and rules, and records which captions a rule changed. */
import type { Log } from '../log.ts';
import type { OwnTerms, RuleChange } from '../terminology/packs/own-terms.ts';
import { isOutage, StorageUnavailable } from '../storage/outage.ts';
import type { Database } from '../storage/database.ts';
import { ownTermsOf } from './document.ts';
import { createLearner } from './learn.ts';
import { createTerminologyStore } from './terminology-store.ts';

/** The terms of workspaces, for those that execute runs. */
export interface WorkspaceTerminology {
  /**
   * The current terms of a workspace, with what its reviews teach.
   * @throws {StorageUnavailable} the database does not respond
   */
  ownTerms(organizationId: string): Promise<OwnTerms>;
  /** Records which corrections of a run were made by learned rules. Safe to repeat. */
  noteRuleChanges(
    organizationId: string,
    runId: string,
    changes: readonly RuleChange[],
  ): Promise<void>;
}

/** Creates the access in the service's database. */
export function createWorkspaceTerminology(database: Database, log: Log): WorkspaceTerminology {
  const store = createTerminologyStore(database);
  const learner = createLearner(database, store);
  return {
    async ownTerms(organizationId) {
      try {
        const learned = await learner.learn(organizationId).catch((error: unknown) => {
          if (isOutage(error)) throw error;
          // A review that cannot be read must not leave a run without its terms.
          log.error('learning_failed', { error });
          return store.get(organizationId);
        });
        return ownTermsOf(learned.document);
      } catch (error) {
        if (!isOutage(error)) throw error;
        throw new StorageUnavailable('the terms cannot be read', { cause: error });
      }
    },
    async noteRuleChanges(organizationId, runId, changes) {
      await database
        .insertInto('rule_changes')
        .values(
          changes.map(({ ruleId, correctionId, start, before, after }) => ({
            run_id: runId,
            correction_id: correctionId,
            organization_id: organizationId,
            rule_id: ruleId,
            start,
            before,
            after,
          })),
        )
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    },
  };
}
