/** Learns from the reviews of a workspace: reads the new ones, and changes the workspace's terms where that is safe. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CaptionerCompletedResult } from '../contract/results.ts';
import type { ReviewDocument } from '../contract/review.ts';
import type { Database } from '../storage/database.ts';
import type { WorkspaceDocument } from './document.ts';
import { evidenceOf, reviewedResult } from './evidence.ts';
import type { RunEvidence } from './evidence-groups.ts';
import { candidateSteps, type Candidate } from './rules.ts';
import { decideByEvidence } from './apply-rules.ts';
import type { TerminologyStore } from './terminology-store.ts';

/** The most reviews that are considered, starting from the latest. */
const MAX_REVIEWS = 500;

/** The knowledge of a workspace after its reviews were read. */
export interface Learned {
  document: WorkspaceDocument;
  candidates: Candidate[];
}

/** Creates the learner. */
export function createLearner(
  database: Database,
  terminology: TerminologyStore,
  now: () => number = Date.now,
) {
  /** Reads the evidence of reviews that were saved since the last time; earlier evidence is stored with its review. */
  const readNew = async (organizationId: string): Promise<void> => {
    const unread = await database
      .selectFrom('reviews')
      .innerJoin('runs', 'runs.id', 'reviews.run_id')
      .select('reviews.run_id')
      .where('reviews.organization_id', '=', organizationId)
      .where((eb) =>
        eb.or([eb('evidence_tag', 'is', null), eb('evidence_tag', '!=', eb.ref('reviews.tag'))]),
      )
      .orderBy('saved_at', 'desc')
      .limit(MAX_REVIEWS)
      .execute();
    // One after the other, because results are large.
    for (const { run_id } of unread) {
      const row = await database
        .selectFrom('reviews')
        .innerJoin('runs', 'runs.id', 'reviews.run_id')
        .select(['reviews.tag', 'reviews.document', 'runs.result'])
        .where('reviews.run_id', '=', run_id)
        .executeTakeFirst();
      if (!row?.result) continue;
      const result: CaptionerCompletedResult = JSON.parse(row.result);
      const review: ReviewDocument = JSON.parse(row.document);
      await database
        .updateTable('reviews')
        .set({
          evidence: JSON.stringify(evidenceOf(reviewedResult(result), review)),
          evidence_tag: row.tag,
        })
        .where('run_id', '=', run_id)
        .where('tag', '=', row.tag)
        .execute();
    }
  };

  const allEvidence = async (organizationId: string): Promise<RunEvidence[]> => {
    const rows = await database
      .selectFrom('reviews')
      .innerJoin('runs', 'runs.id', 'reviews.run_id')
      .select(['reviews.run_id', 'runs.created_at', 'reviews.evidence'])
      .where('reviews.organization_id', '=', organizationId)
      .where('reviews.evidence', 'is not', null)
      .orderBy('reviews.saved_at', 'desc')
      .limit(MAX_REVIEWS)
      .execute();
    const found: RunEvidence[] = [];
    for (const { run_id, created_at, evidence } of rows) {
      found.push({ runId: run_id, createdAt: created_at, evidence: JSON.parse(evidence!) });
      await nextTurn();
    }
    return found.toSorted((a, b) => a.createdAt - b.createdAt);
  };

  return {
    /** Learns from new reviews, unless the workspace has turned learning off. */
    async learn(organizationId: string): Promise<Learned> {
      const { document } = await terminology.get(organizationId);
      if (!document.automatic) return { document, candidates: [] };
      await readNew(organizationId);
      const evidence = await allEvidence(organizationId);
      const before = await terminology.get(organizationId);
      const candidates = await inSteps(candidateSteps(evidence, before.document));
      const settled = await terminology.change(organizationId, (current) =>
        decideByEvidence(current, candidates, now()),
      );
      if (settled.version === before.version) return { document: settled.document, candidates };
      return {
        document: settled.document,
        candidates: await inSteps(candidateSteps(evidence, settled.document)),
      };
    },
  };
}

/** Does work in steps, so that other work waiting for this thread runs in between. */
async function inSteps<T>(steps: Generator<undefined, T>): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await nextTurn();
  }
}
