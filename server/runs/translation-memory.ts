/** The memory of translated sentences of a workspace: for each pair of languages, who translated a sentence, and how. */
import { createHash } from 'node:crypto';
import { type CompiledQuery, sql } from 'kysely';
import type { Database } from '../storage/database.ts';

/** The languages of a memory, as in requests. */
export interface LanguagePair {
  /** Null if it is unknown. */
  from: string | null;
  to: string;
}

/** A sentence and its translation. */
export interface MemoryPair {
  source: string;
  text: string;
}

/** The run or the translation of sent captions with which a memory is erased; neither for one that was imported. */
export interface MemoryOrigin {
  runId: string | null;
  translationId: string | null;
}

/** Who made translations that a person wrote, confirmed or imported. */
const PERSON = 'person';

/** The name of an engine in the memory, which is also how it addresses people. */
export const engineName = (provider: string, model: string, formality = ''): string =>
  [provider, model, formality].filter((part) => part !== '').join(' ');

/** The rows of one statement. */
const ROWS = 100;
/** The most sentences that one save of a person's changes adds. */
const MAX_SAVED = 2000;
/** The most sentences of a workspace; the oldest of engines are forgotten first. */
const MAX_ENTRIES = 100_000;
/** A longer sentence is not remembered, in characters. */
const MAX_CHARS = 2000;

const hashOf = (source: string): string =>
  createHash('sha256')
    .update(source.normalize('NFC').replace(/\s+/gu, ' ').trim())
    .digest('base64url')
    .slice(0, 27);

const place = (organizationId: string, { from, to }: LanguagePair) => ({
  organization_id: organizationId,
  source_language: (from ?? '').toLowerCase(),
  language: to.toLowerCase(),
});

/**
 * The translations of sentences that are known, a person's before those of an engine.
 * @returns for each known sentence its translation
 */
export async function findInMemory(
  database: Database,
  organizationId: string,
  pair: LanguagePair,
  who: string,
  sources: readonly string[],
): Promise<Map<string, { text: string; isPersons: boolean }>> {
  const { source_language: from, language } = place(organizationId, pair);
  const byHash = new Map(sources.map((source) => [hashOf(source), source]));
  const hashes = [...byHash.keys()];
  const found = new Map<string, { text: string; isPersons: boolean }>();
  for (let at = 0; at < hashes.length; at += ROWS) {
    const rows = await database
      .selectFrom('translation_memory')
      .select(['source_hash', 'who', 'text'])
      .where('organization_id', '=', organizationId)
      .where('source_language', '=', from)
      .where('language', '=', language)
      .where('who', 'in', [PERSON, who])
      .where('source_hash', 'in', hashes.slice(at, at + ROWS))
      .execute();
    for (const { source_hash: hash, who: by, text } of rows) {
      const source = byHash.get(hash)!;
      if (by === PERSON || !found.has(source))
        found.set(source, { text, isPersons: by === PERSON });
    }
  }
  return found;
}

/** The most sentences that are compared with another one. */
const MAX_COMPARED = 3000;

/**
 * The query for remembered sentences of about the length of another one, a person's and the newest first. It reads the
 * lengths of all in the pair of languages.
 * @param least the length of the shorter of two sentences, as a share of that of the longer
 */
export function ofSimilarLength(
  database: Database,
  organizationId: string,
  pair: LanguagePair,
  sentence: string,
  least: number,
): CompiledQuery<MemoryPair & { who: string }> {
  const { source_language: from, language } = place(organizationId, pair);
  return database
    .selectFrom('translation_memory')
    .select(['who', 'source', 'text'])
    .where('organization_id', '=', organizationId)
    .where('source_language', '=', from)
    .where('language', '=', language)
    .where(sql<number>`length(source)`, '>=', Math.floor(sentence.length * least))
    .where(sql<number>`length(source)`, '<=', Math.ceil(sentence.length / least))
    .orderBy(sql`case who when ${PERSON} then 0 else 1 end`)
    .orderBy('updated_at', 'desc')
    .limit(MAX_COMPARED)
    .compile();
}

/** Remembers translations in place of earlier ones by the same. @param madeIn the translation in which a person made them */
export async function remember(
  database: Database,
  organizationId: string,
  pair: LanguagePair,
  who: string,
  { runId, translationId }: MemoryOrigin,
  pairs: readonly MemoryPair[],
  madeIn: string | null = null,
): Promise<void> {
  const kept = new Map(
    pairs
      .filter(({ source, text }) => source.length <= MAX_CHARS && text.length <= MAX_CHARS)
      .map(({ source, text }) => [hashOf(source), { source, text }]),
  );
  const rows = Array.from(kept, ([hash, { source, text }]) => ({
    ...place(organizationId, pair),
    who,
    source_hash: hash,
    run_id: runId,
    translation_id: translationId,
    made_in: madeIn,
    updated_at: Date.now(),
    source,
    text,
  }));
  for (let at = 0; at < rows.length; at += ROWS) {
    await database
      .insertInto('translation_memory')
      .values(rows.slice(at, at + ROWS))
      .onConflict((conflict) =>
        conflict
          .columns(['organization_id', 'source_language', 'language', 'who', 'source_hash'])
          .doUpdateSet((eb) => ({
            run_id: eb.ref('excluded.run_id'),
            translation_id: eb.ref('excluded.translation_id'),
            made_in: eb.ref('excluded.made_in'),
            updated_at: eb.ref('excluded.updated_at'),
            text: eb.ref('excluded.text'),
          })),
      )
      .execute();
  }
}

/** Remembers what people have changed in a translation, in place of all that they had changed in it before. */
export async function rememberChanges(
  transaction: Database,
  organizationId: string,
  pair: LanguagePair,
  origin: MemoryOrigin,
  pairs: readonly MemoryPair[],
  madeIn: string,
): Promise<void> {
  await transaction
    .deleteFrom('translation_memory')
    .where('organization_id', '=', organizationId)
    .where('made_in', '=', madeIn)
    .execute();
  const some = pairs.slice(0, MAX_SAVED);
  await remember(transaction, organizationId, pair, PERSON, origin, some, madeIn);
}

/** Remembers translations of any languages: those of an engine as its own, all others as a person's. */
export async function rememberUnits(
  database: Database,
  organizationId: string,
  units: readonly (MemoryPair & { from: string; to: string; engine?: string })[],
): Promise<void> {
  const origin = { runId: null, translationId: null };
  const groups = Map.groupBy(units, ({ from, to, engine = PERSON }) => `${from} ${to} ${engine}`);
  for (const some of groups.values()) {
    const [{ from, to, engine = PERSON }] = some as [(typeof some)[number]];
    const pair = { from: from === 'und' ? null : from, to };
    await remember(database, organizationId, pair, engine, origin, some);
  }
  await trimMemory(database, organizationId);
}

/** Forgets the oldest translations of engines beyond what a workspace may keep. */
export async function trimMemory(database: Database, organizationId: string): Promise<void> {
  const { count } = await database
    .selectFrom('translation_memory')
    .select(sql<number>`count(*)`.as('count'))
    .where('organization_id', '=', organizationId)
    .executeTakeFirstOrThrow();
  const beyond = count - MAX_ENTRIES;
  if (beyond <= 0) return;
  const oldest = await database
    .selectFrom('translation_memory')
    .select('updated_at')
    .where('organization_id', '=', organizationId)
    .where('who', '!=', PERSON)
    .orderBy('updated_at')
    .offset(beyond)
    .limit(1)
    .executeTakeFirst();
  await database
    .deleteFrom('translation_memory')
    .where('organization_id', '=', organizationId)
    .where('who', '!=', PERSON)
    .where('updated_at', '<=', oldest?.updated_at ?? Number.MAX_SAFE_INTEGER)
    .execute();
}

/** A remembered translation with its place. */
export interface MemoryEntry extends MemoryPair {
  from: string;
  to: string;
  who: string;
  updatedAt: number;
}

/** All that a workspace remembers, a page at a time. */
export async function* memoryPages(
  database: Database,
  organizationId: string,
): AsyncGenerator<MemoryEntry[]> {
  let last: (MemoryEntry & { hash: string }) | undefined;
  for (;;) {
    const rows = await database
      .selectFrom('translation_memory')
      .select(['source_language', 'language', 'who', 'source_hash', 'updated_at', 'source', 'text'])
      .where('organization_id', '=', organizationId)
      .$if(last !== undefined, (query) =>
        query.where(
          sql<boolean>`(source_language, language, who, source_hash) > (${last!.from}, ${last!.to}, ${last!.who}, ${last!.hash})`,
        ),
      )
      .orderBy('source_language')
      .orderBy('language')
      .orderBy('who')
      .orderBy('source_hash')
      .limit(5 * ROWS)
      .execute();
    if (rows.length === 0) return;
    const page = rows.map((row) => ({
      from: row.source_language,
      to: row.language,
      who: row.who,
      hash: row.source_hash,
      updatedAt: row.updated_at,
      source: row.source,
      text: row.text,
    }));
    last = page.at(-1);
    yield page;
  }
}

/** Forgets all that a workspace remembers. */
export async function forgetMemory(database: Database, organizationId: string): Promise<void> {
  await database
    .deleteFrom('translation_memory')
    .where('organization_id', '=', organizationId)
    .execute();
}
