/** Learns from the reviews of a workspace: reads the new ones, and changes the workspace's terms where that is safe. */
import { type CompiledQuery, sql } from 'kysely';
import type { CaptionerCompletedResult, TranscriptWord } from '../contract/results.ts';
import type { ReviewDocument } from '../contract/review.ts';
import type { Database } from '../storage/database.ts';
import { evidenceOf, type RunEvidence, type ReviewedResult } from './evidence.ts';
import { candidatesOf, type Candidate } from './rules.ts';
import { phraseKey } from '../terminology/match/normalize.ts';
import {
  createTerminologyStore,
  type TerminologyStore,
  ownTermsOf,
  type WorkspaceDocument,
} from './terminology-store.ts';
import type { Log } from '../base/log.ts';
import type { OwnTerms, RuleChange } from '../terminology/packs/compile.ts';
import { isOutage, StorageUnavailable } from '../storage/outage.ts';
import { WHOLE_RESULT } from '../storage/run-texts.ts';
import { isDocumentFull, storedTerm, termFitsAmong } from './edit-terms.ts';
import { decideByEvidence } from './apply-rules.ts';

/** The most reviews that are considered, starting from the latest. */
const MAX_REVIEWS = 500;

/** The most evidence that is considered, in bytes of JSON; that of the latest reviews counts. */
const MAX_EVIDENCE_BYTES = 4 * 2 ** 20;

/** The evidence of one review as JSON, and its run. */
export interface EvidenceText extends Omit<RunEvidence, 'evidence'> {
  evidence: string;
}

/** The knowledge of a workspace after its reviews were read. */
interface Learned {
  document: WorkspaceDocument;
  candidates: Candidate[];
}

/** The evidence in a review of a result, all as JSON. */
export function evidenceIn({ result, review }: { result: string; review: string }): string {
  const completed: CaptionerCompletedResult = JSON.parse(result);
  const document: ReviewDocument = JSON.parse(review);
  return JSON.stringify(evidenceOf(reviewedResult(completed), document));
}

/** What a document becomes by its evidence, and the rules that the evidence suggests for it. */
export function learnFrom(
  before: WorkspaceDocument,
  texts: readonly EvidenceText[],
  now: number,
): Learned {
  if (!before.automatic) return { document: before, candidates: [] };
  const evidence = texts.map(readEvidence);
  const candidates = candidatesOf(evidence, before);
  const document = decideByEvidence(before, candidates, now);
  if (document === before) return { document, candidates };
  return { document, candidates: candidatesOf(evidence, document) };
}

const readEvidence = (text: EvidenceText): RunEvidence => ({
  ...text,
  evidence: JSON.parse(text.evidence),
});

async function readReview(database: Database, runId: string) {
  const row = await database
    .selectFrom('reviews')
    .innerJoin('runs', 'runs.id', 'reviews.run_id')
    .select(['reviews.tag', 'reviews.document', WHOLE_RESULT])
    .where('reviews.run_id', '=', runId)
    .executeTakeFirst();
  if (!row?.result) return null;
  return { tag: row.tag, evidence: evidenceIn({ result: row.result, review: row.document }) };
}

/** Reads what the learner learns from, of which there may be megabytes. */
interface ReviewReader {
  /** Finds the evidence in the review of a run, and its version; null if there is none. */
  read(runId: string): Promise<{ tag: string; evidence: string } | null>;
  /** The rows that a query selects. */
  rows<Row>(query: CompiledQuery<Row>): Promise<Row[]>;
}

/**
 * Creates the learner.
 * @param reader default: reads in this thread
 */
export function createLearner(
  database: Database,
  terminology: TerminologyStore,
  now: () => number = Date.now,
  reader: ReviewReader = {
    read: (runId) => readReview(database, runId),
    rows: async (query) => (await database.executeQuery(query)).rows,
  },
) {
  /** Reads the evidence of reviews that were saved since the last time; earlier evidence is stored with its review. */
  const readNew = async (organizationId: string): Promise<void> => {
    const unread = await database
      .selectFrom('reviews')
      .innerJoin('runs', 'runs.id', 'reviews.run_id')
      .leftJoin('review_evidence as known', 'known.run_id', 'reviews.run_id')
      .select('reviews.run_id')
      .where('reviews.organization_id', '=', organizationId)
      .where((eb) =>
        eb.or([eb('known.tag', 'is', null), eb('known.tag', '!=', eb.ref('reviews.tag'))]),
      )
      .orderBy('reviews.saved_at', 'desc')
      .limit(MAX_REVIEWS)
      .execute();
    // One after the other, because results are large.
    for (const { run_id } of unread) {
      const found = await reader.read(run_id);
      if (!found) continue;
      const { tag, evidence } = found;
      await database
        .insertInto('review_evidence')
        .columns(['run_id', 'tag', 'saved_at', 'evidence'])
        // Not if the review was replaced or deleted meanwhile.
        .expression((eb) =>
          eb
            .selectFrom('reviews')
            .select(['run_id', 'tag', 'saved_at', sql<string>`${evidence}`.as('evidence')])
            .where('run_id', '=', run_id)
            .where('tag', '=', tag),
        )
        .onConflict((conflict) =>
          conflict.column('run_id').doUpdateSet((eb) => ({
            tag: eb.ref('excluded.tag'),
            saved_at: eb.ref('excluded.saved_at'),
            evidence: eb.ref('excluded.evidence'),
          })),
        )
        .execute();
    }
  };

  const allEvidence = async (organizationId: string): Promise<EvidenceText[]> => {
    const query = database
      .selectFrom(
        database
          .selectFrom('reviews')
          .innerJoin('runs', 'runs.id', 'reviews.run_id')
          .innerJoin('review_evidence as known', 'known.run_id', 'reviews.run_id')
          .select(['known.run_id', 'runs.created_at', 'known.saved_at'])
          .select(
            sql<number>`sum(octet_length(known.evidence)) over (order by known.saved_at desc, known.run_id)`.as(
              'bytes',
            ),
          )
          .where('reviews.organization_id', '=', organizationId)
          .as('counted'),
      )
      .innerJoin('review_evidence', 'review_evidence.run_id', 'counted.run_id')
      .select(['counted.run_id', 'created_at', 'evidence'])
      .where('bytes', '<=', MAX_EVIDENCE_BYTES)
      .orderBy('counted.saved_at', 'desc')
      .limit(MAX_REVIEWS)
      .compile();
    return (await reader.rows(query))
      .map(({ run_id, created_at, evidence }) => ({
        runId: run_id,
        createdAt: created_at,
        evidence,
      }))
      .toSorted((a, b) => a.createdAt - b.createdAt);
  };
  const evidence = async (organizationId: string): Promise<EvidenceText[]> => {
    await readNew(organizationId);
    return allEvidence(organizationId);
  };

  return {
    /** The evidence of a workspace's reviews, in the order of the talks. */
    evidence,
    /** Learns from new reviews, unless the workspace has turned learning off. */
    async learn(organizationId: string): Promise<Learned> {
      const { document } = await terminology.get(organizationId);
      if (!document.automatic) return { document, candidates: [] };
      const reviewed = await database
        .selectFrom('reviews')
        .select('run_id')
        .where('organization_id', '=', organizationId)
        .limit(1)
        .executeTakeFirst();
      const found = reviewed ? await evidence(organizationId) : [];
      const learnt = learnFrom(document, found, now());
      if (learnt.document === document) return learnt;
      let candidates: Candidate[] = [];
      const settled = await terminology.change(organizationId, (current) => {
        const learned = learnFrom(current, found, now());
        ({ candidates } = learned);
        return learned.document;
      });
      return { document: settled.document, candidates };
    },
  };
}

/** A term that a person called something else in a sentence of a translation. */
interface RenamedTerm {
  term: string;
  translation: string;
}

/** What people have called terms in the translations of a workspace into one language. */
interface RenamedTerms {
  /** BCP 47. */
  language: string;
  /** Those of the changes that were saved last. */
  fresh: readonly RenamedTerm[];
  /** Those of all saved changes, once for each sentence. */
  all: readonly RenamedTerm[];
}

/** The number of sentences in which people have to agree before a term takes a translation. */
const AGREED = 2;

/**
 * A document in which terms have the translation that people have given them in at least two sentences, and others three
 * times less often. A translation that a term has already stays. A new term is added for one of a pack.
 */
export function withTranslations(
  before: WorkspaceDocument,
  { language, fresh, all }: RenamedTerms,
  now: number,
): WorkspaceDocument {
  if (!before.automatic) return before;
  const [base = language] = language.toLowerCase().split('-');
  const terms = [...before.terms];
  for (const { term, translation } of fresh) {
    const key = phraseKey(term);
    const given = all.filter((one) => phraseKey(one.term) === key);
    const agreed = given.filter((one) => one.translation === translation).length;
    const at = terms.findIndex((one) => phraseKey(one.canonical) === key);
    const known = terms[at];
    const tags = new Set(Object.keys(known?.translations ?? {}).map((tag) => tag.toLowerCase()));
    if (agreed < AGREED || (given.length - agreed) * 3 > agreed) continue;
    if (tags.has(base) || tags.has(language.toLowerCase())) continue;
    if (!known && isDocumentFull({ ...before, terms })) continue;
    const translations = { ...known?.translations, [base]: translation };
    const learned = storedTerm(
      { ...known, canonical: known?.canonical ?? term, translations },
      known?.source ?? { kind: 'learned', at: new Date(now).toISOString() },
    );
    const others = terms.filter((one) => one !== known);
    if (termFitsAmong(learned, others)) terms[known ? at : terms.length] = learned;
  }
  const isSame = terms.every((one, at) => one === before.terms[at]);
  return isSame && terms.length === before.terms.length ? before : { ...before, terms };
}

/** The terms of workspaces, for those that execute runs. */
export type WorkspaceTerminology = ReturnType<typeof createWorkspaceTerminology>;

/** Creates the access in the service's database. */
export function createWorkspaceTerminology(database: Database, log: Log) {
  const store = createTerminologyStore(database);
  const learner = createLearner(database, store);
  return {
    /**
     * The current terms of a workspace, with what its reviews teach.
     * @throws {StorageUnavailable} the database does not respond
     */
    async ownTerms(organizationId: string): Promise<OwnTerms> {
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
    /** Records which corrections of a run were made by learned rules. Safe to repeat. */
    async noteRuleChanges(
      organizationId: string,
      runId: string,
      changes: readonly RuleChange[],
    ): Promise<void> {
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

/** Extracts these parts from a completed result. */
const reviewedResult = (result: CaptionerCompletedResult): ReviewedResult => ({
  words: result.transcript.words as readonly unknown[] as readonly TranscriptWord[],
  cues: result.captions.cues,
  corrections: result.audit.corrections,
  observations: result.metadata.terminology.observations,
  known: result.metadata.terminology.packs.auditTerms,
  evidentPacks: result.audit.evidentPacks,
});
