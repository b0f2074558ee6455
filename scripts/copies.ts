/**
 * `captioner backup | restore | verify | move`: copies of a whole service. The service is the one that the environment
 * configures, as for the server itself.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import process from 'node:process';
import { openBackup, verifyBackup, writeBackup } from '../server/copy/backup.ts';
import { moveService, restoreBackup, type Filled } from '../server/copy/fill.ts';
import { readConfig } from '../server/config/config.ts';
import { audioStore, isPostgres, type AudioStoreLocation } from '../server/storage/locations.ts';
import { isCode } from '../server/storage/write-file.ts';
import { CommandFailure, runCommand, UsageError, type Command } from './command-line.ts';
import { fromHere } from './current-folder.ts';
import { say } from './terminal.ts';

const KEY = {
  'key-file': {
    value: 'FILE',
    says: 'The key: 32 bytes, the same as 64 hexadecimal digits, or a passphrase',
  },
};
const BUCKETS =
  'A bucket uses S3_ENDPOINT, S3_REGION, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY; each can have another value here, with BACKUP_ before its name.';

/** A folder or a bucket that a user names. */
function placeOf(name: string): AudioStoreLocation {
  const own = Object.entries(process.env).flatMap(([key, value]) =>
    key.startsWith('BACKUP_S3_') ? [[key.slice('BACKUP_'.length), value]] : [],
  );
  const given = { ...process.env, ...Object.fromEntries(own) };
  const url = name.startsWith('s3:') ? name : fromHere(name);
  return audioStore({ ...given, AUDIO_STORE_URL: url }, '');
}

/** The words of a command, of which there must be exactly one. */
function only([name, ...more]: readonly string[], what: string): string {
  if (name === undefined || more.length > 0) throw new UsageError(`Name ${what}.`);
  return name;
}

function secretOf(file: string | undefined): Uint8Array | null {
  if (file === undefined) return null;
  try {
    return readFileSync(fromHere(file));
  } catch (error) {
    const isMissing = isCode(error, 'ENOENT') || isCode(error, 'ENOTDIR');
    throw new CommandFailure(
      isMissing ? `There is no key at ${file}.` : `The key at ${file} cannot be read.`,
    );
  }
}

const told = ({ rows, recordings }: Filled): string => `${rows} rows, ${recordings} recordings`;

/** The configuration of the service that `--to` and `--audio` name. */
function targetOf(to: string, audio: string | undefined) {
  const { DATABASE_URL: _, AUDIO_STORE_URL: store, ...env } = process.env;
  const audioUrl = audio === undefined || audio.startsWith('s3:') ? audio : fromHere(audio);
  if (isPostgres(to)) {
    return readConfig({ ...env, DATABASE_URL: to, AUDIO_STORE_URL: audioUrl ?? store });
  }
  return readConfig({ ...env, ROLE: 'all', DATA_DIR: fromHere(to), AUDIO_STORE_URL: audioUrl });
}

const COMMANDS: Record<string, () => Promise<never>> = {
  backup: () =>
    command(
      {
        name: 'backup',
        says: 'Backs up a service, which may be running: all rows at one instant, and all recordings. Models are not included.',
        uses: [
          { line: 'FOLDER', says: 'Writes a new folder' },
          { line: 's3://BUCKET/PREFIX', says: 'Writes to a bucket, where nothing may be yet' },
        ],
        notes: [
          BUCKETS,
          'Without a key, whoever reads the backup reads every recording, transcript and webhook secret.',
        ],
      },
      async (place, secret) => {
        const { tables, recordings } = await writeBackup(readConfig(), place, secret, say);
        const rows = tables.reduce((sum, each) => sum + each.rows, 0);
        say(`The backup is complete: ${told({ rows, recordings: recordings.length })}.`);
      },
    ),
  verify: () =>
    command(
      {
        name: 'verify',
        says: 'Checks every file and every row of a backup against its hash.',
        uses: [{ line: 'FOLDER | s3://BUCKET/PREFIX', says: 'Reads all of it' }],
        notes: [BUCKETS],
      },
      async (place, secret) => {
        const backup = await openBackup(place, secret);
        const faults = await verifyBackup(backup);
        if (faults.length > 0) throw new CommandFailure(faults.join('\n'));
        const { createdAt, tables, recordings } = backup.manifest;
        const rows = tables.reduce((sum, each) => sum + each.rows, 0);
        say(
          `The backup of ${createdAt} is whole: ${told({ rows, recordings: recordings.length })}.`,
        );
      },
    ),
  restore: () =>
    command(
      {
        name: 'restore',
        says: 'Restores a backup into a stopped service that has no rows yet, on SQLite or PostgreSQL, whichever made the backup.',
        uses: [
          {
            line: 'FOLDER | s3://BUCKET/PREFIX',
            says: 'Fills DATA_DIR, or DATABASE_URL and AUDIO_STORE_URL; nothing is overwritten',
          },
        ],
        notes: [BUCKETS],
      },
      async (place, secret) => {
        const backup = await openBackup(place, secret);
        say(`Restored: ${told(await restoreBackup(backup, readConfig(), say))}.`);
      },
    ),
  move: () =>
    runCommand(
      {
        name: 'move',
        says: 'Copies a stopped service to another database and audio store, and compares every row and recording. It can be repeated after an interruption. The old service stays as it is: start only the new one.',
        uses: [
          {
            line: '--to postgres://… [--audio s3://BUCKET/PREFIX]',
            says: 'From one machine to many',
          },
          { line: '--to FOLDER', says: 'Back to SQLite and a folder for recordings' },
        ],
        options: {
          to: {
            value: 'PLACE',
            says: 'A PostgreSQL database, or a new data folder. PGPASSWORD keeps a password off the command line',
          },
          audio: {
            value: 'PLACE',
            says: 'The bucket or folder for recordings. Default: with PostgreSQL they stay where they are, otherwise audio in the folder',
          },
        },
      },
      async ({ options, words }) => {
        const { to, audio } = options;
        if (to === undefined || words.length > 0) throw new UsageError('Name the place with --to.');
        const moved = await moveService(readConfig(), targetOf(to, audio), say);
        say(`Moved: ${told(moved)}.`);
      },
    ),
};

/** Runs a command on a place. */
const command = (
  about: Omit<Command, 'options'>,
  work: (place: AudioStoreLocation, secret: Uint8Array | null) => Promise<void>,
): Promise<never> =>
  runCommand({ ...about, options: KEY }, async ({ options, words }) => {
    process.umask(0o077);
    const place = placeOf(only(words, 'one folder or bucket'));
    await work(place, secretOf(options['key-file']));
  });

const [name = ''] = process.argv.splice(2, 1);
// Like the server, from the folder that the user is in.
if (process.env['DATA_DIR']) process.env['DATA_DIR'] = fromHere(resolve(process.env['DATA_DIR']));
await (COMMANDS[name] ?? COMMANDS['backup'])?.();
