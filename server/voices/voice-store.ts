/**
 * The voices that workspaces remember: nothing unless a workspace has switched it on, and never sound. A voice belongs to
 * a run and is erased with it; a person without a voice is erased too.
 */
import { randomUUID } from 'node:crypto';
import type { RememberedVoices } from '../contract/voices.ts';
import { VOICES } from '../contract/limits.ts';
import type { Database } from '../storage/database.ts';
import { isOutage, StorageUnavailable } from '../storage/outage.ts';
import { deletingSecurely } from '../storage/secure-delete.ts';
import type { NamedVoice, OwnVoice } from './propose-names.ts';
import { ONLY_SPEAKER, type RunVoices } from './voiceprints.ts';

/** A voice as it is stored, its print as JSON, which the thread that answers requests does not read. */
type Stored<Voice extends { print: unknown }> = Omit<Voice, 'print'> & { print: string };

/** The voices of a run, and those that its workspace knows from other runs. */
export interface ComparedVoices {
  own: Stored<OwnVoice>[];
  known: Stored<NamedVoice>[];
}

/** A run, and the workspace that it belongs to. */
export interface VoicedRun {
  id: string;
  organizationId: string;
}

export type VoiceStore = ReturnType<typeof createVoiceStore>;

/** Creates the store in the service's database. */
export function createVoiceStore(database: Database, now: () => number = Date.now) {
  return {
    /**
     * Whether a workspace remembers voices.
     * @throws {StorageUnavailable} the database does not respond
     */
    remembers: (organizationId: string): Promise<boolean> =>
      isOn(database, organizationId).catch((error: unknown) => {
        if (!isOutage(error)) throw error;
        throw new StorageUnavailable('the settings of the workspace cannot be read', {
          cause: error,
        });
      }),
    /** Whether a workspace remembers voices, and whose. */
    async list(organizationId: string): Promise<RememberedVoices> {
      const rows = await database
        .selectFrom('voice_people')
        .innerJoin('run_voices', 'run_voices.person_id', 'voice_people.id')
        .select(({ fn }) => [
          'voice_people.id as personId',
          'voice_people.name as name',
          'voice_people.created_at as since',
          fn.count('run_voices.run_id').distinct().as('runs'),
          fn.sum('run_voices.seconds').as('seconds'),
        ])
        .where('voice_people.organization_id', '=', organizationId)
        .groupBy(['voice_people.id', 'voice_people.name', 'voice_people.created_at'])
        .orderBy('voice_people.name')
        .limit(VOICES.maxPeople)
        .execute();
      return {
        remember: await isOn(database, organizationId),
        people: rows.map(({ runs, seconds, since, ...person }) => ({
          ...person,
          runs: Number(runs),
          seconds: Math.round(Number(seconds) * 10) / 10,
          since: new Date(since).toISOString(),
        })),
      };
    },
    /** Switches remembering on, or off, which forgets all voices of the workspace. */
    async switch(organizationId: string, remember: boolean): Promise<void> {
      if (remember) {
        await database
          .insertInto('voice_settings')
          .values({ organization_id: organizationId, since: now() })
          .onConflict((conflict) => conflict.doNothing())
          .execute();
        return;
      }
      await database
        .transaction()
        .execute((transaction) =>
          deletingSecurely(transaction, () => forgetVoices(transaction, organizationId)),
        );
    },
    /** Keeps the voices of a run if its workspace remembers voices. Safe to repeat. */
    async note({ id, organizationId }: VoicedRun, { model, voices }: RunVoices): Promise<void> {
      await database.transaction().execute(async (transaction) => {
        if (!(await isOn(transaction, organizationId))) return;
        for (const { speaker, print, seconds } of voices) {
          await transaction
            .insertInto('run_voices')
            .values({
              run_id: id,
              speaker: speaker === '' ? ONLY_SPEAKER : speaker,
              organization_id: organizationId,
              person_id: null,
              model,
              seconds,
              refused: '[]',
              print: JSON.stringify(print),
            })
            .onConflict((conflict) => conflict.doNothing())
            .execute();
        }
      });
    },
    /** Whether voices of a run are kept. */
    async has({ id, organizationId }: VoicedRun): Promise<boolean> {
      const row = await database
        .selectFrom('run_voices')
        .select('run_id')
        .where('run_id', '=', id)
        .where('organization_id', '=', organizationId)
        .limit(1)
        .executeTakeFirst();
      return row !== undefined;
    },
    /** The voices of a run, and those that the workspace knows from its other runs, the latest first. */
    async compared({ id, organizationId }: VoicedRun): Promise<ComparedVoices> {
      const own = await database
        .selectFrom('run_voices')
        .select(['speaker', 'model', 'print', 'seconds', 'person_id', 'refused'])
        .where('run_id', '=', id)
        .where('organization_id', '=', organizationId)
        .execute();
      if (own.length === 0) return { own: [], known: [] };
      const known = await database
        .selectFrom('run_voices')
        .innerJoin('voice_people', 'voice_people.id', 'run_voices.person_id')
        .innerJoin('runs', 'runs.id', 'run_voices.run_id')
        .select([
          'voice_people.id as personId',
          'voice_people.name as name',
          'run_voices.model as model',
          'run_voices.seconds as seconds',
          'run_voices.print as print',
        ])
        .where('run_voices.organization_id', '=', organizationId)
        .where('voice_people.organization_id', '=', organizationId)
        .where('run_voices.run_id', '!=', id)
        .orderBy('runs.created_at', 'desc')
        .limit(VOICES.maxCompared)
        .execute();
      return {
        own: own.map(({ person_id: personId, refused, ...voice }) => ({
          ...voice,
          personId,
          refused: JSON.parse(refused),
        })),
        known,
      };
    },
    /**
     * Remembers whose the voices of a run are: a name, or null for nobody. A voice that is not mentioned stays as it was.
     */
    async name(
      { id, organizationId }: VoicedRun,
      names: ReadonlyMap<string, string | null>,
    ): Promise<void> {
      await database.transaction().execute(async (transaction) => {
        if (!(await isOn(transaction, organizationId))) return;
        for (const [speaker, name] of names) {
          const person =
            name === null ? null : await personOf(transaction, organizationId, name, now());
          await transaction
            .updateTable('run_voices')
            .set({ person_id: person })
            .where('run_id', '=', id)
            .where('organization_id', '=', organizationId)
            .where('speaker', '=', speaker)
            .execute();
        }
        await forgetStrangers(transaction);
      });
    },
    /** Remembers that voices of a run are not those of some people. */
    async refuse(
      { id, organizationId }: VoicedRun,
      refused: readonly { speaker: string; personId: string }[],
    ): Promise<void> {
      await database.transaction().execute(async (transaction) => {
        for (const { speaker, personId } of refused) {
          const voice = await transaction
            .selectFrom('run_voices')
            .select('refused')
            .where('run_id', '=', id)
            .where('organization_id', '=', organizationId)
            .where('speaker', '=', speaker)
            .executeTakeFirst();
          if (!voice) continue;
          const before: string[] = JSON.parse(voice.refused);
          const all = [...new Set([...before, personId])].slice(-VOICES.maxRefused);
          await transaction
            .updateTable('run_voices')
            .set({ refused: JSON.stringify(all) })
            .where('run_id', '=', id)
            .where('speaker', '=', speaker)
            .execute();
        }
      });
    },
    /** Renames a person; the name of another makes both one. False if there is no such person. */
    rename: (organizationId: string, personId: string, name: string): Promise<boolean> =>
      database.transaction().execute(async (transaction) => {
        const found = await findPerson(transaction, organizationId, personId);
        if (!found) return false;
        const other = await transaction
          .selectFrom('voice_people')
          .select('id')
          .where('organization_id', '=', organizationId)
          .where('name', '=', name.trim())
          .executeTakeFirst();
        if (other && other.id !== personId) {
          await transaction
            .updateTable('run_voices')
            .set({ person_id: other.id })
            .where('organization_id', '=', organizationId)
            .where('person_id', '=', personId)
            .execute();
          await forgetStrangers(transaction);
          return true;
        }
        await transaction
          .updateTable('voice_people')
          .set({ name: name.trim() })
          .where('id', '=', personId)
          .execute();
        return true;
      }),
    /** Forgets a person with all of their voices. False if there is no such person. */
    forget: (organizationId: string, personId: string): Promise<boolean> =>
      database.transaction().execute((transaction) =>
        deletingSecurely(transaction, async () => {
          if (!(await findPerson(transaction, organizationId, personId))) return false;
          await transaction
            .deleteFrom('run_voices')
            .where('organization_id', '=', organizationId)
            .where('person_id', '=', personId)
            .execute();
          await transaction.deleteFrom('voice_people').where('id', '=', personId).execute();
          return true;
        }),
      ),
  };
}

async function isOn(database: Database, organizationId: string): Promise<boolean> {
  const row = await database
    .selectFrom('voice_settings')
    .select('since')
    .where('organization_id', '=', organizationId)
    .executeTakeFirst();
  return row !== undefined;
}

const findPerson = (database: Database, organizationId: string, personId: string) =>
  database
    .selectFrom('voice_people')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('id', '=', personId)
    .executeTakeFirst();

/** The person of that name, new if necessary; null if the workspace has too many. */
async function personOf(
  database: Database,
  organizationId: string,
  name: string,
  at: number,
): Promise<string | null> {
  const find = () =>
    database
      .selectFrom('voice_people')
      .select('id')
      .where('organization_id', '=', organizationId)
      .where('name', '=', name)
      .executeTakeFirst();
  const known = await find();
  if (known) return known.id;
  const { count } = await database
    .selectFrom('voice_people')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('organization_id', '=', organizationId)
    .executeTakeFirstOrThrow();
  if (Number(count) >= VOICES.maxPeople) return null;
  await database
    .insertInto('voice_people')
    .values({ id: `person_${randomUUID()}`, organization_id: organizationId, name, created_at: at })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return (await find())?.id ?? null;
}

/** Deletes the people of whom no voice is left. */
export async function forgetStrangers(database: Database): Promise<void> {
  await database
    .deleteFrom('voice_people')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('run_voices')
            .select('run_id')
            .whereRef('run_voices.person_id', '=', 'voice_people.id'),
        ),
      ),
    )
    .execute();
}

/** Forgets all voices of a workspace, and that it remembers any. */
export async function forgetVoices(database: Database, organizationId: string): Promise<void> {
  for (const table of ['run_voices', 'voice_people', 'voice_settings'] as const) {
    await database.deleteFrom(table).where('organization_id', '=', organizationId).execute();
  }
}
