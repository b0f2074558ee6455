/** Previews of the transcripts of runs in progress, kept until the runs end, for clients that watch them. */
import type {
  PartialTranscriptListener,
  TranscriptPart,
} from '../../pipeline/partial-transcript.ts';
import type { Database } from '../../storage/database.ts';

/** A stored part. Positions count from 1, in order of time. */
export interface StoredPart extends TranscriptPart {
  position: number;
}

/** The position and the end, in seconds, of the last part of a run; zeros if there is none. */
interface HeardSoFar {
  position: number;
  end: number;
}

/** The last part of a run that has just begun. */
export const NOTHING_HEARD: HeardSoFar = { position: 0, end: 0 };

export type PartialTranscripts = ReturnType<typeof createPartialTranscripts>;

/** Creates the store in the service's database. */
export function createPartialTranscripts(database: Database) {
  return {
    /** The last part of a run. */
    async last(runId: string): Promise<HeardSoFar> {
      const row = await database
        .selectFrom('partial_transcripts')
        .select(['position', 'end'])
        .where('run_id', '=', runId)
        .orderBy('position', 'desc')
        .limit(1)
        .executeTakeFirst();
      return row ?? NOTHING_HEARD;
    },
    /** Adds parts after a position. Parts that are already stored stay as they are. */
    async add(runId: string, after: number, parts: readonly TranscriptPart[]): Promise<void> {
      const rows = parts.map(({ start, end, text }, at) => ({
        run_id: runId,
        position: after + at + 1,
        start,
        end,
        text: storable(text),
      }));
      await database
        .insertInto('partial_transcripts')
        .values(rows)
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    },
    /** At most `most` parts after a position, in order. */
    read(runId: string, after: number, most: number): Promise<StoredPart[]> {
      return database
        .selectFrom('partial_transcripts')
        .select(['position', 'start', 'end', 'text'])
        .where('run_id', '=', runId)
        .where('position', '>', after)
        .orderBy('position')
        .limit(most)
        .execute();
    },
  };
}

/** Removes characters that PostgreSQL does not accept: NUL and unpaired surrogates. */
const storable = (text: string): string => text.replaceAll('\0', '').toWellFormed();

/** The most parts in one statement, since databases limit the number of parameters. */
const MAX_AT_ONCE = 100;

/** Stores the preview of one run as it grows. */
interface PartialWriter {
  listener: PartialTranscriptListener;
  /** Waits for the writes in progress; no others follow. */
  finish(): Promise<void>;
}

/**
 * Creates the writer for a run, which continues after the parts that an earlier execution stored. A part that cannot be
 * stored is only missing from the preview.
 * @param last the last of those parts
 * @param stored called whenever there is something new to read
 */
export function createPartialWriter(
  runId: string,
  store: Pick<PartialTranscripts, 'add'>,
  last: HeardSoFar,
  stored: () => void,
): PartialWriter {
  let count = last.position;
  let isFinished = false;
  let writing: Promise<void> = Promise.resolve();
  const write = async (after: number, parts: readonly TranscriptPart[]): Promise<void> => {
    for (let at = 0; at < parts.length; at += MAX_AT_ONCE) {
      await store.add(runId, after + at, parts.slice(at, at + MAX_AT_ONCE));
    }
    stored();
  };
  return {
    listener: {
      after: last.end,
      report(parts) {
        if (isFinished) return;
        const after = count;
        count += parts.length;
        writing = writing.then(() => write(after, parts)).catch(() => {});
      },
    },
    async finish() {
      isFinished = true;
      await writing;
    },
  };
}
