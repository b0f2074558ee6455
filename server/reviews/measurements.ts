/** Stores measurements of how accurate captions are: the sample, and what people found in it. */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Selectable } from 'kysely';
import {
  type CaptionError,
  ERROR_CLASSES,
  type JudgementInput,
  type MeasuredPassage,
  type Measurement,
  type MeasurementFigures,
  type MeasurementList,
  type MeasurementSummary,
  type TalkEvidence,
} from '../contract/evidence.ts';
import { MEASUREMENT } from '../contract/limits.ts';
import { FIRST_LOOK, MOST_PASSAGES, progressOf } from '../evidence/accuracy.ts';
import { agreementOf } from '../evidence/agreement.ts';
import { judge, nerErrors, rightWords } from '../evidence/judgement.ts';
import { drawOrder, passagesOf } from '../evidence/sample.ts';
import type { MeasuredCaptions } from '../evidence/caption-words.ts';
import type { Database } from '../storage/database.ts';
import type { Tables } from '../storage/tables.ts';
import { lockUntilCommit } from '../storage/transaction-lock.ts';
import { countKept } from '../storage/workspace-quotas.ts';
import { queueEvent } from '../webhooks/webhook-store.ts';
import type { ReviewedRun } from './review-store.ts';

type MeasurementRow = Selectable<Tables['measurements']>;
type PassageRow = Selectable<Tables['measured_passages']>;

/** Rows in one statement, since databases limit the number of parameters. */
const ROWS_AT_ONCE = 40;

/** Creates the store. */
export function createMeasurements(database: Database, now: () => number = Date.now) {
  const rowsOf = (id: string, source = database) =>
    source
      .selectFrom('measured_passages')
      .selectAll()
      .where('measurement_id', '=', id)
      .orderBy('turn')
      .execute();
  const find = (runId: string, id: string) =>
    database
      .selectFrom('measurements')
      .selectAll()
      .where('run_id', '=', runId)
      .where('id', '=', id)
      .executeTakeFirst();
  return {
    /**
     * Draws the sample of a run's captions. Nobody but the service chooses a seed unless the person says so.
     * @param srt the captions as the service sends them
     * @returns null if the run has too many measurements, or is gone
     */
    start: (
      run: ReviewedRun,
      keyId: string,
      { person, seed, goal = MEASUREMENT.goal }: { person: string; seed?: string; goal?: number },
      { words, texts, duration, names }: MeasuredCaptions,
      srt: Uint8Array,
    ): Promise<string | null> =>
      database.transaction().execute(async (transaction) => {
        await lockUntilCommit(transaction, `measurements:${run.id}`);
        const { count } = await transaction
          .selectFrom('measurements')
          .select((of) => of.fn.countAll().as('count'))
          .where('run_id', '=', run.id)
          .executeTakeFirstOrThrow();
        if (Number(count) >= MEASUREMENT.most) return null;
        const drawnSeed = seed ?? randomBytes(8).toString('hex');
        const passages = passagesOf(words, duration);
        const drawn = drawOrder(passages, drawnSeed).slice(0, MOST_PASSAGES);
        const captions = new TextDecoder().decode(srt);
        if (!(await countKept(transaction, run.id, srt.byteLength))) return null;
        const id = `mea_${randomUUID()}`;
        await transaction
          .insertInto('measurements')
          .values({
            id,
            run_id: run.id,
            organization_id: run.organizationId,
            seed: drawnSeed,
            seed_given: seed === undefined ? 0 : 1,
            goal,
            person: person.trim(),
            key_id: keyId,
            passages: passages.length,
            names: JSON.stringify(names.slice(0, MEASUREMENT.maxNames)),
            captions,
            captions_hash: createHash('sha256').update(srt).digest('hex'),
            created_at: now(),
          })
          .execute();
        const rows = drawn.map((passage, turn) => ({
          measurement_id: id,
          turn,
          number: passage.at,
          cell: passage.cell,
          cell_size: passage.cellSize,
          stratum: passage.stratum,
          start: passage.start,
          end: passage.end,
          speaker: passage.speaker.slice(0, MEASUREMENT.maxNameChars),
          doubtful: passage.doubtful ? 1 : 0,
          shown: texts.slice(passage.first, passage.first + passage.words).join(' '),
        }));
        for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
          const some = rows.slice(at, at + ROWS_AT_ONCE);
          await transaction.insertInto('measured_passages').values(some).execute();
        }
        return id;
      }),
    /** A measurement with its passages as far as they are due; null if the run has no such one. */
    async get(runId: string, id: string): Promise<Measurement | null> {
      const row = await find(runId, id);
      if (!row) return null;
      const rows = await rowsOf(id);
      const summary = summaryOf(row, rows);
      const due = rows.filter(
        ({ turn, judged_at: at }) =>
          at !== null || turn < summary.figures.counted + dueAfter(summary),
      );
      return { ...summary, sample: due.map(shown) };
    },
    /** The measurements of a run, oldest first. */
    async list(runId: string): Promise<MeasurementList> {
      const rows = await database
        .selectFrom('measurements')
        .selectAll()
        .where('run_id', '=', runId)
        .orderBy('created_at')
        .execute();
      const all = await Promise.all(
        rows.map(async (row) => ({ row, passages: await rowsOf(row.id) })),
      );
      return {
        measurements: all.map(({ row, passages }) => summaryOf(row, passages)),
        agreement: agreementIn(all),
      };
    },
    /**
     * Keeps what a person heard in a passage; again, if it was judged before.
     * @returns null if there is no such passage, or it is not due
     */
    async judge(
      runId: string,
      id: string,
      number: number,
      { text, late, names = [] }: JudgementInput,
    ): Promise<{ passage: MeasuredPassage; figures: MeasurementFigures } | null> {
      const row = await find(runId, id);
      if (!row) return null;
      const passages = await rowsOf(id);
      const passage = passages[number - 1];
      const { figures } = summaryOf(row, passages);
      if (!passage || (passage.judged_at === null && figures.next === 0)) return null;
      const known = new Set([...(JSON.parse(row.names) as string[]), ...names]);
      const found = judge(passage.shown, text, (word) => known.has(word));
      if (late) found.errors.push({ class: 'time', shown: passage.shown, said: null });
      const changed = {
        said: text,
        words: found.words,
        shown_words: found.shownWords,
        word_errors: found.wordErrors,
        names: found.names,
        names_right: found.namesRight,
        errors: JSON.stringify(found.errors),
        judged_at: now(),
      };
      const after = await database.transaction().execute(async (transaction) => {
        await transaction
          .updateTable('measured_passages')
          .set(changed)
          .where('measurement_id', '=', id)
          .where('turn', '=', passage.turn)
          .execute();
        const rows = await rowsOf(id, transaction);
        if (figures.next > 0 && summaryOf(row, rows).figures.next === 0) {
          const { organization_id: organizationId } = row;
          await queueEvent(transaction, {
            type: 'accuracy.measured',
            organizationId,
            runId,
            data: {},
          });
        }
        return rows;
      });
      return {
        passage: shown({ ...passage, ...changed }),
        figures: summaryOf(row, after).figures,
      };
    },
    /** The captions that were measured, as SRT; null if there is no such measurement. */
    async captionsOf(runId: string, id: string): Promise<string | null> {
      return (await find(runId, id))?.captions ?? null;
    },
    /** Deletes a measurement; false if the run has no such one. */
    delete: (runId: string, id: string): Promise<boolean> =>
      database.transaction().execute(async (transaction) => {
        const gone = await transaction
          .deleteFrom('measurements')
          .where('run_id', '=', runId)
          .where('id', '=', id)
          .returning('captions')
          .executeTakeFirst();
        if (gone) await countKept(transaction, runId, -Buffer.byteLength(gone.captions));
        return gone !== undefined;
      }),
  };
}

/** The latest measurements of some runs that have a figure, by run. */
export async function latestAccuracies(
  database: Database,
  runIds: readonly string[],
): Promise<Map<string, NonNullable<TalkEvidence['measured']>>> {
  const latest = new Map<string, NonNullable<TalkEvidence['measured']>>();
  if (runIds.length === 0) return latest;
  const measurements = await database
    .selectFrom('measurements')
    .innerJoin('measured_passages', 'measurement_id', 'id')
    .select(['id', 'run_id', 'person', 'goal', 'passages', 'created_at'])
    .select((of) => [of.fn.countAll().as('drawn'), of.fn.count('judged_at').as('judged')])
    .where('run_id', 'in', [...runIds])
    .groupBy(['id', 'run_id', 'person', 'goal', 'passages', 'created_at'])
    .orderBy('created_at')
    .execute();
  // Passages are given out up to the next look, so that enough of them are always the first ones.
  const hasFigure = ({ drawn, judged }: (typeof measurements)[number]): boolean =>
    Number(judged) >= Math.min(FIRST_LOOK, Number(drawn));
  const chosen = new Map(measurements.filter(hasFigure).map((one) => [one.run_id, one]));
  if (chosen.size === 0) return latest;
  // Without the texts of passages, which no figure here needs.
  const rows = await database
    .selectFrom('measured_passages')
    .select(['measurement_id', 'number', 'cell', 'cell_size', 'stratum', 'words', 'word_errors'])
    .where(
      'measurement_id',
      'in',
      [...chosen.values()].map(({ id }) => id),
    )
    .orderBy('turn')
    .execute();
  const byMeasurement = new Map<string, CountedPassage[]>();
  for (const row of rows) {
    const some = byMeasurement.get(row.measurement_id);
    if (some) some.push(row);
    else byMeasurement.set(row.measurement_id, [row]);
  }
  for (const [runId, { id, person, goal, passages: total, created_at: at }] of chosen) {
    const passages = byMeasurement.get(id) ?? [];
    const { state, accuracy } = progressOf(inOrder(passages), total, countsOf(passages), goal);
    const startedAt = new Date(at).toISOString();
    if (accuracy) latest.set(runId, { person, startedAt, goal, state, accuracy });
  }
  return latest;
}

type CountedPassage = Pick<
  PassageRow,
  'number' | 'cell' | 'cell_size' | 'stratum' | 'words' | 'word_errors'
>;

const inOrder = (passages: readonly CountedPassage[]) =>
  passages.map(({ number: at, cell, cell_size: cellSize, stratum }) => {
    return { at, cell, cellSize, stratum };
  });

/** The words and errors of those that were judged. */
const countsOf = (passages: readonly CountedPassage[]) =>
  new Map(
    passages.flatMap(({ number, words, word_errors: errors }) =>
      words === null ? [] : [[number, { errors: errors ?? 0, words }] as const],
    ),
  );

/** How many passages after those that count are due. */
const dueAfter = ({ figures }: MeasurementSummary): number =>
  figures.next === 0 ? 0 : figures.judged - figures.counted + figures.next;

function summaryOf(row: MeasurementRow, passages: readonly PassageRow[]): MeasurementSummary {
  return {
    id: row.id,
    runId: row.run_id,
    person: row.person,
    seed: row.seed,
    seedBy: row.seed_given === 1 ? 'person' : 'service',
    goal: row.goal,
    startedAt: new Date(row.created_at).toISOString(),
    captions: row.captions_hash,
    passages: row.passages,
    figures: figuresOf(row, passages),
  };
}

function figuresOf(row: MeasurementRow, passages: readonly PassageRow[]): MeasurementFigures {
  const judged = passages.filter(({ judged_at: at }) => at !== null);
  const progress = progressOf(inOrder(passages), row.passages, countsOf(passages), row.goal);
  const errors = judged.flatMap((one): CaptionError[] => JSON.parse(one.errors ?? '[]'));
  const total = (of: (one: PassageRow) => number | null): number =>
    judged.reduce((sum, one) => sum + (of(one) ?? 0), 0);
  const words = total((one) => one.words);
  const shownWords = total((one) => one.shown_words);
  const wrong = total((one) => one.word_errors);
  const count = (name: string): number => errors.filter((error) => error.class === name).length;
  const { editions, recognitions } = nerErrors(errors);
  const within = (value: number): number => Math.max(0, Math.min(1, value));
  return {
    ...progress,
    errors: Object.fromEntries(
      ERROR_CLASSES.map((name) => [name, count(name)]),
    ) as MeasurementFigures['errors'],
    withPunctuation: words > 0 ? within(1 - (wrong + count('punctuation')) / words) : null,
    ner: shownWords > 0 ? within(1 - (editions + recognitions) / shownWords) : null,
    names: { said: total((one) => one.names), right: total((one) => one.names_right) },
  };
}

const shown = (row: PassageRow): MeasuredPassage => ({
  number: row.turn + 1,
  start: row.start,
  end: row.end,
  playFrom: Math.max(0, row.start - MEASUREMENT.margin),
  playTo: row.end + MEASUREMENT.margin,
  speaker: row.speaker,
  shown: row.shown,
  said: row.said,
  errors: JSON.parse(row.errors ?? '[]'),
  judgedAt: row.judged_at === null ? null : new Date(row.judged_at).toISOString(),
});

/** The agreement of the two latest measurements of the same sample by different people. */
function agreementIn(
  all: readonly { row: MeasurementRow; passages: readonly PassageRow[] }[],
): MeasurementList['agreement'] {
  for (const one of all.toReversed()) {
    const other = all.findLast(
      ({ row }) =>
        row.person !== one.row.person &&
        row.seed === one.row.seed &&
        row.captions_hash === one.row.captions_hash,
    );
    if (!other) continue;
    const both = one.passages.flatMap((passage, turn) => {
      const [mine, theirs] = [passage.said, other.passages[turn]?.said];
      return mine == null || theirs == null ? [] : [{ shown: passage.shown, mine, theirs }];
    });
    const agreement = agreementOf(
      both.flatMap(({ shown: text, mine }) => rightWords(text, mine)),
      both.flatMap(({ shown: text, theirs }) => rightWords(text, theirs)),
    );
    if (!agreement) continue;
    return { people: [other.row.person, one.row.person], passages: both.length, ...agreement };
  }
  return null;
}
