/** Searches the captions of a workspace, in SQLite by its full-text index, in PostgreSQL by one of tsvectors. */
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Log } from '../base/log.ts';
import { SEARCH } from '../contract/limits.ts';
import type { Database } from '../storage/database.ts';
import { WHOLE_RESULT } from '../storage/run-texts.ts';
import { deletingSecurely } from '../storage/secure-delete.ts';
import { isOnPostgres } from '../storage/transaction-lock.ts';
import { cueOf, type Passage, type PassageCue, passagesOf } from './passages.ts';
import { foldedText, type Phrase, phrasesOf } from './words.ts';

/** A caption that was found. */
export interface FoundCue extends PassageCue {
  runId: string;
  /** Epoch milliseconds. */
  createdAt: number;
  /** The name that a person gave to the run; null if it is called like its recording. */
  name: string | null;
  /** The payload of the run as JSON, without long texts. */
  payload: string;
}

/** What is searched for. */
export interface SearchQuestion {
  /** Words, phrases in quotation marks, beginnings with a star. */
  text: string;
  /** The whole name of who says it. */
  speaker?: string | undefined;
  /** Of runs created from this time on and before the other, in epoch milliseconds. */
  after?: number | undefined;
  before?: number | undefined;
  limit: number;
  /** The `next` of the page before. */
  from: number | null;
}

/** The most runs that are made ready before a search. */
const READY_AT_ONCE = 10;

export type CaptionSearch = ReturnType<typeof createCaptionSearch>;

interface CaptionSearchServices {
  database: Database;
  log: Log;
  /** Works on whole texts. */
  work: <Input, Output>(
    task: (input: Input) => Output | Promise<Output>,
    input: Input,
    load: { workspace: string; size: number },
  ) => Promise<Output>;
}

/** Creates the search. */
export function createCaptionSearch({ database, log, work }: CaptionSearchServices) {
  const isPostgres = isOnPostgres(database);

  /** Makes some runs ready that have changed, newest first; returns how many there were. */
  const prepare = async (most: number, organizationId?: string): Promise<number> => {
    const due = await database
      .selectFrom('caption_search_due as due')
      .innerJoin('runs', 'runs.id', 'due.run_id')
      .select(['due.run_id as id', 'due.organization_id as organizationId'])
      .$if(organizationId !== undefined, (query) =>
        query.where('due.organization_id', '=', organizationId!),
      )
      .orderBy('runs.created_at', 'desc')
      .limit(most)
      .execute();
    for (const run of due) {
      // One that cannot be read now is only not found.
      await prepareRun(run).catch((error: unknown) =>
        log.warn('run_not_searched', { runId: run.id, error }),
      );
    }
    return due.length;
  };

  const prepareRun = async (run: { id: string; organizationId: string }): Promise<void> => {
    const { id, organizationId } = run;
    const texts = await database
      .selectFrom('runs')
      .leftJoin('reviews', 'reviews.run_id', 'runs.id')
      .select([WHOLE_RESULT, 'reviews.tag', 'reviews.document as review'])
      .where('runs.id', '=', id)
      .executeTakeFirst();
    if (!texts) return;
    const { result, review, tag } = texts;
    const size = (result?.length ?? 0) + (review?.length ?? 0);
    const passages =
      result === null
        ? []
        : await work(passagesOf, { result, review }, { workspace: organizationId, size });
    await database.transaction().execute((transaction) =>
      deletingSecurely(transaction, async () => {
        // The run may have been erased, or its review saved again: then there is nothing to do, or another time.
        const current = await transaction
          .selectFrom('runs')
          .leftJoin('reviews', 'reviews.run_id', 'runs.id')
          .select(['runs.id', 'reviews.tag'])
          .where('runs.id', '=', id)
          .executeTakeFirst();
        if (!current || (current.tag ?? '') !== (tag ?? '')) return;
        await transaction.deleteFrom('caption_search').where('run_id', '=', id).execute();
        for (const { cues, ...passage } of passages) {
          await transaction
            .insertInto('caption_search')
            .values({
              run_id: id,
              organization_id: organizationId,
              words: isPostgres
                ? vectorOf(passage, organizationId)
                : lineOf(passage, organizationId),
              cues: JSON.stringify(cues),
            })
            .execute();
        }
        await transaction
          .insertInto('caption_search_runs')
          .values({ run_id: id, tag: tag ?? '' })
          .onConflict((conflict) => conflict.column('run_id').doUpdateSet({ tag: tag ?? '' }))
          .execute();
        await transaction.deleteFrom('caption_search_due').where('run_id', '=', id).execute();
      }),
    );
  };

  /**
   * The passages with the words of a question in SQLite's index, newest first: as many as are wanted or, of those of a
   * time, as many as are looked at for it.
   */
  const lookedAt = (
    organizationId: string,
    question: SearchQuestion,
    phrases: readonly Phrase[],
  ) => {
    const words = ftsQuery(marksFor(organizationId, question), phrases);
    const { from, limit } = question;
    return sql<{ rowid: number }>`select rowid from caption_search_words
      where caption_search_words match ${words} ${from === null ? sql`` : sql`and rowid < ${from}`}
      order by rowid desc limit ${isOfTime(question) ? SEARCH.mostPassages : limit}`;
  };

  /** From where to go on after the passages that were looked at; null if there are no others. */
  const nextLook = async (
    organizationId: string,
    question: SearchQuestion,
    phrases: readonly Phrase[],
  ): Promise<number | null> => {
    if (isPostgres || !isOfTime(question)) return null;
    const { rows } = await sql<{ lowest: number | null; looked: number }>`
      select min(rowid) as lowest, count(*) as looked
      from (${lookedAt(organizationId, question, phrases)})`.execute(database);
    const { lowest = null, looked = 0 } = rows[0] ?? {};
    return looked < SEARCH.mostPassages ? null : lowest;
  };

  /**
   * The passages that have all words of a question, newest first.
   * @param isNear in PostgreSQL, only among the latest of the workspace, which are looked through; otherwise by the index of
   *   words
   */
  const matching = (
    organizationId: string,
    question: SearchQuestion,
    phrases: readonly Phrase[],
    isNear: boolean,
  ) => {
    const { after, before, limit, from } = question;
    const marks = marksFor(organizationId, question);
    const passages = passagesIn(database);
    // PostgreSQL would go through all passages by their ids, as if each word were in one of two hundred.
    const newest = isPostgres && !isNear ? sql`found.id + 0` : sql`found.id`;
    return database
      .selectFrom((isNear ? latestOf(passages, organizationId, from) : passages).as('found'))
      .innerJoin('runs', 'runs.id', 'found.run_id')
      .select([
        'found.id',
        'found.run_id as runId',
        'found.cues',
        'runs.created_at as createdAt',
        'runs.name',
        'runs.payload',
      ])
      .$if(isPostgres, (query) =>
        query.where(sql<boolean>`found.words @@ ${vectorQuery(marks, phrases)}::tsquery`),
      )
      .$if(!isPostgres, (query) =>
        query.where(
          'found.id',
          'in',
          sql<number>`(${lookedAt(organizationId, question, phrases)})`,
        ),
      )
      .where('found.organization_id', '=', organizationId)
      .$if(from !== null, (query) => query.where('found.id', '<', from!))
      .$if(after !== undefined, (query) => query.where('runs.created_at', '>=', after!))
      .$if(before !== undefined, (query) => query.where('runs.created_at', '<', before!))
      .$if(isNear, (query) => query.orderBy('found.organization_id', 'desc'))
      .orderBy(newest, 'desc')
      .limit(limit)
      .execute();
  };

  return {
    prepare,
    /**
     * Searches the captions of a workspace, as their reviews have them now. Newest first, one caption of each passage.
     * @returns the captions, and from where to go on; null on the last page
     */
    async find(
      organizationId: string,
      question: SearchQuestion,
    ): Promise<{ found: FoundCue[]; next: number | null }> {
      await prepare(READY_AT_ONCE, organizationId);
      const phrases = phrasesOf(question.text);
      if (phrases.length === 0 && question.speaker === undefined) return { found: [], next: null };
      const speaker = question.speaker === undefined ? null : foldedText(question.speaker);
      const near =
        isPostgres && !isOfTime(question)
          ? await matching(organizationId, question, phrases, true)
          : [];
      const rows =
        near.length === question.limit
          ? near
          : await matching(organizationId, question, phrases, false);
      const seen = new Set<string>();
      const found = rows.flatMap(({ id: _id, cues, ...run }): FoundCue[] => {
        const cue = cueOf(JSON.parse(cues) as PassageCue[], phrases, speaker);
        if (!cue) return [];
        // The last caption of a passage is the first of the next one.
        const place = `${run.runId} ${cue.start}`;
        if (seen.has(place)) return [];
        seen.add(place);
        return [{ ...cue, ...run }];
      });
      const next =
        rows.length < question.limit
          ? await nextLook(organizationId, question, phrases)
          : rows.at(-1)!.id;
      return { found, next };
    },
  };
}

/** How many of the latest passages are looked through before the index of words is asked: it finds common words slowly. */
const NEAR = 3000;

const passagesIn = (database: Database) => database.selectFrom('caption_search').selectAll();

/** The latest passages of a workspace, found by the index of both: asked for one workspace, PostgreSQL goes through all. */
const latestOf = (
  passages: ReturnType<typeof passagesIn>,
  organizationId: string,
  from: number | null,
) =>
  passages
    .where(
      sql<boolean>`(organization_id, id) > (${organizationId}, 0)
        and (organization_id, id) < (${organizationId}, ${from ?? Number.MAX_SAFE_INTEGER})`,
    )
    .orderBy('organization_id', 'desc')
    .orderBy('id', 'desc')
    .limit(NEAR);

/** Whether only runs of a time are searched. */
const isOfTime = ({ after, before }: SearchQuestion): boolean =>
  after !== undefined || before !== undefined;

/** The words that passages of a workspace, and of a speaker if one is asked for, have. */
const marksFor = (organizationId: string, { speaker }: SearchQuestion): string[] => [
  markOf('w', organizationId),
  ...(speaker === undefined ? [] : [markOf('s', foldedText(speaker))]),
];

/** A word that stands for a workspace or a speaker, and that no text has. */
const markOf = (kind: 'w' | 's', name: string): string =>
  `${kind}${createHash('sha256').update(name).digest('hex').slice(0, 24)}`;

/** The words of a passage that stand for its workspace and its speakers. */
const marksOf = ({ speakers }: Pick<Passage, 'speakers'>, organizationId: string): string[] => [
  markOf('w', organizationId),
  ...speakers.map((name) => markOf('s', name)),
];

type PassageWords = Omit<Passage, 'cues'>;

const lineOf = (passage: PassageWords, organizationId: string): string =>
  [...marksOf(passage, organizationId), ...passage.words].join(' ');

/** The highest position of a word in a tsvector. */
const LAST_POSITION = 16_383;

const vectorOf = (passage: PassageWords, organizationId: string) =>
  sql<string>`${[...marksOf(passage, organizationId), '', ...passage.words]
    .flatMap((word, at) => (word === '' ? [] : [`'${word}':${Math.min(at + 1, LAST_POSITION)}`]))
    .join(' ')}::tsvector`;

const ftsQuery = (marks: readonly string[], phrases: readonly Phrase[]): string =>
  [
    ...marks.map((mark) => `"${mark}"`),
    ...phrases.map(({ words, isBeginning }) => `"${words.join(' ')}"${isBeginning ? ' *' : ''}`),
  ].join(' AND ');

const vectorQuery = (marks: readonly string[], phrases: readonly Phrase[]): string =>
  [
    ...marks.map((mark) => `'${mark}'`),
    ...phrases.map(
      ({ words, isBeginning }) =>
        `(${words.map((word) => `'${word}'`).join(' <-> ')}${isBeginning ? ':*' : ''})`,
    ),
  ].join(' & ');
