/** What a backup says about itself: its manifest, read within bounds and believed only where it can be true. */
import { audioWorkspaceOf } from '../storage/audio.ts';
import { migrationNames } from '../storage/database.ts';
import { closed, Type, validator, type Static } from '../contract/schema.ts';

/** The format of backups. */
export const FORMAT = 1;
/** The largest manifest, in bytes: about 200,000 recordings. */
export const MANIFEST_BYTES = 64 * 2 ** 20;
/** The most values in a manifest, which takes memory for each. */
const MANIFEST_VALUES = 4_000_000;

const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' });
const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
/** Long enough for all that a store names, so that a list of faults stays legible. */
const Name = Type.String({ minLength: 1, maxLength: 200 });

const Head = closed({
  captionerBackup: Type.Integer({ minimum: 1 }),
  /** In hexadecimal; null if the backup is not encrypted. */
  salt: Type.Union([Type.Null(), Type.String({ pattern: '^(?:[0-9a-f]{2}){16,64}$' })]),
});

/** A file of a backup; size and hash are those of its content, before it was encrypted. */
const file = { name: Name, size: Count, sha256: Sha256 };

const StoredRecording = closed({
  ...file,
  /** As the audio store named it. */
  version: Name,
  /** Epoch milliseconds. */
  writtenAt: Type.Number({ minimum: 0, maximum: 8.64e15 }),
});

const StoredTable = closed({ ...file, table: Name, rows: Count, digest: Sha256 });

/** Everything that a backup contains. */
const Manifest = closed({
  createdAt: Type.String({ format: 'date-time' }),
  /** The migrations that made the schema. */
  migrations: Type.Array(Name, { minItems: 1, maxItems: 1000 }),
  tables: Type.Array(StoredTable, { maxItems: 1000 }),
  recordings: Type.Array(StoredRecording),
});

export type Head = Static<typeof Head>;
export type Manifest = Static<typeof Manifest>;
/** A recording of a backup. */
export type StoredRecording = Static<typeof StoredRecording>;

/** Thrown if a backup is not what the program has written: with its faults, one sentence each. */
export class DamagedBackup extends Error {
  override readonly name = 'DamagedBackup';

  constructor(faults: readonly string[]) {
    super(faults.join('\n'));
  }
}

const headFormat = validator(Head);
const manifestFormat = validator(Manifest);

/** Reads `backup.json`. @throws {DamagedBackup} */
export function readHead(text: string): Head {
  const head = parsed('backup.json', text);
  const { captionerBackup: format } = Object(head) as Record<string, unknown>;
  if (typeof format === 'number' && Number.isInteger(format) && format > FORMAT) {
    throw new DamagedBackup(['A later version made this backup.']);
  }
  if (!headFormat.check(head)) throw wrong('backup.json', headFormat.issues(head));
  return head;
}

/** Reads `manifest`. @throws {DamagedBackup} */
export function readManifest(bytes: Uint8Array): Manifest {
  let values = 0;
  for (const byte of bytes) if (byte === COMMA || byte === BRACKET || byte === BRACE) values += 1;
  if (values > MANIFEST_VALUES) {
    throw new DamagedBackup([`The manifest has more than ${MANIFEST_VALUES} values.`]);
  }
  const manifest = parsed('The manifest', Buffer.from(bytes).toString());
  if (!manifestFormat.check(manifest)) throw wrong('The manifest', manifestFormat.issues(manifest));
  refuseNames(manifest);
  return manifest;
}

const [COMMA, BRACKET, BRACE] = [...Buffer.from(',[{')];

function parsed(what: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new DamagedBackup([`${what} is not JSON.`]);
  }
}

const wrong = (what: string, issues: readonly { path: string; message: string }[]) =>
  new DamagedBackup(
    issues
      .slice(0, 5)
      .map(({ path, message }) => `${what} was changed: ${shown(path)} ${message}.`),
  );

/**
 * Each name has the one form in which the program writes it, so that none leads out of a folder, is another one's in
 * other letters, or occurs twice.
 */
function refuseNames({ migrations, tables, recordings }: Manifest): void {
  // Names of a later version are refused when the backup is restored, with what to do.
  const isInOrder = migrations.every(
    (name, at) =>
      /^\d{4}-[a-z\d-]+$/.test(name) &&
      (name === migrationNames[at] ||
        (!migrationNames.includes(name) && at >= migrationNames.length)),
  );
  if (!isInOrder) throw new DamagedBackup(['The migrations in the manifest were changed.']);
  const seen = new Set<string>();
  const refuse = (name: string, isOurs: boolean) => {
    if (!isOurs) throw new DamagedBackup([`${shown(name)} is not a name that a backup has.`]);
    if (seen.has(name)) throw new DamagedBackup([`${name} is in the manifest twice.`]);
    seen.add(name);
  };
  for (const { name, table } of tables) {
    refuse(name, /^(?:openworkflow\.)?[a-z_\d]+$/.test(table) && name === rowsFile(table));
  }
  for (const { name } of recordings) refuse(name, audioWorkspaceOf(name) !== null);
}

/** The file with the rows of a table. */
export const rowsFile = (table: string): string => `rows/${table}.jsonl.gz`;

/** A name in a message, without what a terminal would obey. */
export const shown = (name: string): string => JSON.stringify(name);
