/** An embedded identity on a database of its own, with a clock to turn and a mailbox to read. */
import { join } from 'node:path';
import { createEmbeddedIdentity } from '../../server/identity/embedded.ts';
import type { Mail } from '../../server/identity/mail.ts';
import type { IdentityProvider, RegistrationRequest } from '../../server/identity/provider.ts';
import { createLog } from '../../server/log.ts';
import { openDatabase, type Database } from '../../server/storage/database.ts';
import { temporaryFolder } from './server-process.ts';

export interface TestIdentity {
  identity: IdentityProvider;
  database: Database;
  folder: string;
  mails: Mail[];
  clock: { now: number };
  start(email: string, more?: Partial<RegistrationRequest>): ReturnType<IdentityProvider['start']>;
  /** The newest code mailed to an address. */
  code(email: string): string;
}

export async function testIdentity(
  options: { registrationsPerIp?: number } = {},
): Promise<TestIdentity> {
  const folder = await temporaryFolder();
  const database = await openDatabase(join(folder, 'identity.sqlite'), { migrate: true });
  const mails: Mail[] = [];
  const clock = { now: 1_700_000_000_000 };
  const identity = await createEmbeddedIdentity({
    database,
    dataDir: folder,
    mailer: { remote: false, send: async (mail) => void mails.push(mail) },
    teamEmailDomain: 'team.example',
    registrationsPerIp: options.registrationsPerIp ?? 1000,
    log: createLog('silent'),
    now: () => clock.now,
  });
  return {
    identity,
    database,
    folder,
    mails,
    clock,
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
    code(email) {
      const mail = mails.findLast(({ to }) => to === email);
      return /^\d{6}$/m.exec(mail?.text ?? '')?.[0] ?? '';
    },
  };
}
