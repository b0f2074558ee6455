/** An identity provider with its own database, a simulated clock and a readable mailbox. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createEmbeddedIdentity } from '../../../server/identity/embedded.ts';
import type { Mail } from '../../../server/identity/mail.ts';
import type { IdentityProvider, RegistrationRequest } from '../../../server/identity/provider.ts';
import { createHasher, type Hasher, readPepper } from '../../../server/identity/secrets.ts';
import { createWorkosIdentity } from '../../../server/identity/workos.ts';
import { createLog } from '../../../server/base/log.ts';
import { migrateDatabase, openDatabase, type Database } from '../../../server/storage/database.ts';
import { removeFolder, temporaryFolder } from './server-process.ts';
import { WORKOS_CLIENT, WORKOS_KEY, type WorkosDouble } from '../doubles/workos-double.ts';

export interface TestIdentity {
  identity: IdentityProvider;
  database: Database;
  hasher: Hasher;
  clock: { now: number };
  start(email: string, more?: Partial<RegistrationRequest>): ReturnType<IdentityProvider['start']>;
  /** The newest code mailed to an address. */
  code(email: string): string;
  /** The number of codes mailed to an address. */
  mails(email: string): number;
  /** Its log. */
  log(): string;
  /** The content of the database's files. */
  databaseBytes(): Promise<string>;
  close(): Promise<void>;
}

/** The options of every provider. */
type Common = Omit<Parameters<typeof createEmbeddedIdentity>[0], 'mailer'>;

export interface TestIdentityOptions {
  registrationsPerIp?: number;
  registrationsPerHour?: number;
  /** The only addresses of team.example that may have a key. */
  teamEmailAllow?: string[];
  /** Default: a new SQLite file. */
  databaseUrl?: string;
  /** Default: a new one. */
  pepper?: string;
}

/** The embedded provider. */
export function testIdentity(options: TestIdentityOptions = {}): Promise<TestIdentity> {
  const mails: Mail[] = [];
  const mailer = { deliver: async (mail: Mail) => void mails.push(mail), close: async () => {} };
  const codeIn = (mail: Mail | undefined) => /^\d{6}$/m.exec(mail?.text ?? '')?.[0] ?? '';
  return around(
    options,
    1_700_000_000_000,
    (common) => createEmbeddedIdentity({ ...common, mailer }),
    (email) => codeIn(mails.findLast(({ to }) => to === spelled(email))),
    (email) => mails.filter(({ to }) => to === spelled(email)).length,
  );
}

/** The provider for a WorkOS double. */
export const workosIdentity = (
  double: WorkosDouble,
  options: TestIdentityOptions = {},
  more: Pick<
    Parameters<typeof createWorkosIdentity>[0],
    'timeoutMs' | 'leaseTimes' | 'waiting'
  > = {},
): Promise<TestIdentity> =>
  around(
    options,
    Date.now(),
    (common) => {
      double.clock.now = common.now ?? Date.now;
      const workos = { apiKey: WORKOS_KEY, clientId: WORKOS_CLIENT, apiUrl: double.origin };
      return createWorkosIdentity({ ...common, ...more, workos });
    },
    (email) => double.code(spelled(email)),
    (email) => double.codes.filter((made) => made.email === spelled(email)).length,
  );

async function around(
  {
    registrationsPerIp = 1000,
    registrationsPerHour = 100_000,
    teamEmailAllow,
    databaseUrl,
    pepper,
  }: TestIdentityOptions,
  now: number,
  make: (common: Common) => IdentityProvider,
  code: (email: string) => string,
  mails: (email: string) => number,
): Promise<TestIdentity> {
  const folder = await temporaryFolder();
  const url = databaseUrl ?? join(folder, 'identity.sqlite');
  await migrateDatabase(url);
  const database = openDatabase(url);
  const hasher = createHasher(pepper ?? (await readPepper(folder)));
  const clock = { now };
  let log = '';
  const identity = make({
    database,
    hasher,
    teamEmailDomain: 'team.example',
    teamEmailAllow: teamEmailAllow ? new Set(teamEmailAllow) : null,
    registrationsPerIp,
    registrationsPerHour,
    log: createLog('debug', (line) => void (log += line)),
    now: () => clock.now,
  });
  return {
    identity,
    database,
    hasher,
    clock,
    code,
    mails,
    log: () => log,
    start: (email, more = {}) => {
      clock.now += 1;
      return identity.start({
        email,
        scopes: ['captioner:audio:upload'],
        clientAddress: '192.0.2.1',
        userAgent: 'test',
        ...more,
      });
    },
    async databaseBytes() {
      if (databaseUrl) return dump(database);
      const files = (await readdir(folder)).filter((name) => name.includes('sqlite'));
      const bytes = await Promise.all(files.map((name) => readFile(join(folder, name), 'latin1')));
      return bytes.join('');
    },
    async close() {
      await database.destroy();
      await removeFolder(folder);
    },
  };
}

/** All identity rows as text. */
async function dump(database: Database): Promise<string> {
  const tables = ['organizations', 'registrations', 'api_keys', 'rate_events'] as const;
  const rows = await Promise.all(
    tables.map((table) => database.selectFrom(table).selectAll().execute()),
  );
  return JSON.stringify(rows);
}

/** The spelling used for sending mail: in lower case, with the domain in ASCII. */
const spelled = (email: string): string => {
  const [local = '', domain = ''] = email.split('@');
  return `${local.toLowerCase()}@${new URL(`http://${domain}`).hostname}`;
};
