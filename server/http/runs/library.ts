/** GET /workspace/library: what is known of finished runs, the same on every device of a workspace. */
import type { Static } from '../../contract/schema.ts';
import { Elysia } from 'elysia';
import { doubtfulPhrases } from '../../captions/doubtful-phrases.ts';
import type { CaptionerCompletedResult, CaptionerResult } from '../../contract/results.ts';
import type { ReviewDocument } from '../../contract/review.ts';
import { RunFacts, RunLibrary } from '../../contract/runs.ts';
import { unheardIn } from '../../contract/unheard.ts';
import type { Log } from '../../base/log.ts';
import type { Runs } from '../../runs/service.ts';
import type { RunSummary } from '../../runs/store/run-store.ts';
import type { Database } from '../../storage/database.ts';
import type { Guard } from '../identity/guard.ts';
import { answer, detail } from '../openapi/detail.ts';
import { response } from '../openapi/responses.ts';
import { type StoredText, type StoredTexts, stringOf } from '../work/stored-texts.ts';
import type { WorkPool } from '../work/pool.ts';
import { PageQuery, pageOf } from './run-representation.ts';
import { wireAnswer, wireQuery } from '../wire.ts';
import { isAuto } from '../../models/registry.ts';
import { withoutCues } from '../../captions/unheard.ts';

/** The most results that are read for one request; what is known of the others comes with the next. */
const READ_AT_ONCE = 20;

export interface LibraryServices {
  guard: Guard;
  database: Database;
  runs: Runs;
  stored: StoredTexts;
  pool: WorkPool;
  log: Log;
}

/** The route. */
export function libraryRoutes({ guard, runs, ...sources }: LibraryServices) {
  return new Elysia().use(guard).get(
    '/workspace/library',
    async ({ query, sender }) => {
      const { page, nextCursor } = await pageOf(runs, sender.organizationId, query);
      const known = await factsOf(sources, page);
      return Response.json({
        runs: page.flatMap(({ id }) => {
          const facts = known.get(id);
          return facts ? [{ runId: id, ...facts }] : [];
        }),
        nextCursor,
      } satisfies Static<typeof RunLibrary>);
    },
    {
      scope: 'captioner:caption:run',
      query: wireQuery(PageQuery),
      response: { 200: wireAnswer(RunLibrary) },
      detail: detail({
        operationId: 'listLibrary',
        summary: 'List what is known of the completed runs of your workspace',
        description:
          'Length, language, number of captions, open doubts, and whether the review has been marked as done. Pages and cursors are those of the list of runs; runs without captions, and those whose results have not been read yet, are left out.',
        tags: ['Captioning'],
        responses: {
          200: answer('What is known of the completed runs on this page.', {
            runs: [
              {
                runId: 'run_6f1c9d1e-2a57-4b57-9b1e-0c7a3f6f2f11',
                seconds: 1804.2,
                language: 'en',
                captions: 412,
                doubts: 7,
                reviewed: false,
              },
            ],
            nextCursor: null,
          }),
          422: response('InvalidPayload'),
        },
      }),
    },
  );
}

/** What facts include: the version of a review, and of the way in which doubts are counted. */
const noteOf = (tag: string | null): string => `phrases ${tag ?? ''}`;

/** The facts of completed runs, which are noted beside each run until its review changes. */
export async function factsOf(
  sources: Omit<LibraryServices, 'guard' | 'runs'>,
  page: readonly RunSummary[],
): Promise<Map<string, RunFacts>> {
  const { database, log } = sources;
  const completed = page.filter(({ state }) => state === 'completed');
  const known = new Map<string, RunFacts>();
  if (completed.length === 0) return known;
  const rows = await database
    .selectFrom('runs')
    .leftJoin('reviews', 'reviews.run_id', 'runs.id')
    .leftJoin('run_facts', 'run_facts.run_id', 'runs.id')
    .select(['runs.id', 'reviews.tag', 'run_facts.review_tag', 'run_facts.facts'])
    .where(
      'runs.id',
      'in',
      completed.map(({ id }) => id),
    )
    .execute();
  const notes = new Map(rows.map((row) => [row.id, row]));
  let left = READ_AT_ONCE;
  for (const run of completed) {
    const note = notes.get(run.id);
    if (note?.facts && note.review_tag === noteOf(note.tag)) {
      known.set(run.id, JSON.parse(note.facts));
    } else if (left > 0) {
      left -= 1;
      // A run that cannot be read now, or is being erased, is only left out.
      const facts = await noteFacts(sources, run).catch((error: unknown) =>
        log.warn('run_not_in_library', { runId: run.id, error }),
      );
      if (facts) known.set(run.id, facts);
    }
  }
  return known;
}

async function noteFacts(
  { database, stored, pool }: Omit<LibraryServices, 'guard' | 'runs'>,
  { id, organizationId }: RunSummary,
): Promise<RunFacts | null> {
  const [result, review] = [await stored.result(id), await stored.review(id)];
  if (result === null) return null;
  const size = result.length + (review?.text.length ?? 0);
  const texts = { result, review: review?.text ?? null };
  const facts = await pool.do(runFacts, texts, { workspace: organizationId, size });
  if (!facts) return null;
  const noted = { review_tag: noteOf(review?.tag ?? null), facts: JSON.stringify(facts) };
  await database
    .insertInto('run_facts')
    .values({ run_id: id, ...noted })
    .onConflict((conflict) => conflict.column('run_id').doUpdateSet(noted))
    .execute();
  return facts;
}

/** The facts of a result and its review; null for a result without captions. A task. */
export function runFacts({
  result: text,
  review,
}: {
  result: StoredText;
  review: StoredText | null;
}): RunFacts | null {
  const result = JSON.parse(stringOf(text)) as CaptionerResult;
  if (result.status !== 'completed') return null;
  const reviewed: ReviewDocument | null = review && JSON.parse(stringOf(review));
  const { language, duration } = result.transcript.metadata;
  const cues = reviewed?.cues ?? result.captions.cues;
  const finished = reviewed?.finished === true;
  return {
    seconds: typeof duration === 'number' ? duration : (cues.at(-1)?.end ?? 0),
    language: typeof language === 'string' && !isAuto(language) ? language : null,
    captions: cues.length,
    doubts: finished ? 0 : openDoubts(result, cues, reviewed?.corrections ?? []),
    reviewed: finished,
  };
}

type Cues = ReviewDocument['cues'];

/** Captions begin and end up to this many seconds beside what is said. */
const MARGIN = 0.4;

/**
 * Counts what nobody has decided or changed: corrections, stretches of sound without captions, and doubtful phrases.
 * Phrases that a person has only confirmed still count until the review is finished, since reviews do not contain that.
 */
function openDoubts(
  { audit, transcript }: CaptionerCompletedResult,
  cues: Cues,
  decided: ReviewDocument['corrections'],
): number {
  const decisions = new Map(decided.map(({ id, decision }) => [id, decision]));
  const terms = audit.corrections.filter(
    ({ id, decision }) =>
      (decisions.get(id) ?? (decision === 'needs_review' ? 'open' : decision)) === 'open',
  );
  const unheard = withoutCues(unheardIn(transcript.metadata), cues);
  const { words } = transcript;
  const letters = cues.map(({ lines }) => lettersOf(lines.join(' ')));
  const phrases = doubtfulPhrases(words);
  let from = 0;
  // What somebody has changed divides a phrase, and so does the end of a caption.
  let unsure = 0;
  let last = { place: -1, cue: -1 };
  for (const [place, { start, end, text }] of words.entries()) {
    while (cues[from] && cues[from]!.end + MARGIN < start) from += 1;
    if (phrases[place] === 0) continue;
    const word = lettersOf(text);
    for (let at = from; cues[at] && cues[at]!.start - MARGIN <= end; at += 1) {
      if (!letters[at]!.includes(word)) continue;
      const goesOn =
        last.place === place - 1 && last.cue === at && phrases[last.place] === phrases[place];
      if (!goesOn) unsure += 1;
      last = { place, cue: at };
      break;
    }
  }
  return terms.length + unheard.length + unsure;
}

const lettersOf = (text: string): string =>
  text.toLowerCase().replaceAll(/<\/?i>|[^\p{L}\p{N}\p{M}]/gu, '');
