/** The operator's commands on people, by their address: show, disable, enable, erase. */
import type { Config } from '../server/config/config.ts';
import { isEmail, normalizeEmail } from '../server/identity/email.ts';
import { disablePerson, enablePerson, erasePerson, personData } from '../server/identity/people.ts';
import { createHasher, providePepper } from '../server/identity/secrets.ts';
import { createLog } from '../server/base/log.ts';
import { eraseWorkspaces } from '../server/runs/shell-erasure.ts';
import type { Database } from '../server/storage/database.ts';
import { CommandFailure, UsageError } from './command-line.ts';
import { noteAction } from './key-commands.ts';
import { say } from './terminal.ts';

const COMMANDS = ['export', 'disable', 'enable', 'erase'] as const;

/** Reads `people COMMAND EMAIL`. @throws {UsageError} */
export function readPerson([name, address = '', ...rest]: readonly string[]) {
  const command = COMMANDS.find((each) => each === name);
  if (command === undefined || rest.length > 0) {
    throw new UsageError(`Use people ${COMMANDS.join(', ')} with an email address.`);
  }
  if (!isEmail(address)) throw new UsageError(`${address || 'Nothing'} is not an email address.`);
  return { command, email: normalizeEmail(address) };
}

/** Runs a command on a person. */
export async function managePerson(
  database: Database,
  { command, email }: ReturnType<typeof readPerson>,
  config: Config,
  print: (line: string) => void,
): Promise<void> {
  const hasher = createHasher(await providePepper(config, database));
  const { keys, ...data } = await personData(database, hasher, email);
  const note = () => noteAction(database, `people ${command}`, email);
  if (command === 'export') {
    print(JSON.stringify({ ...data, keys }, null, 2));
    return note();
  }
  if (command === 'disable') {
    const revoked = await disablePerson(database, hasher, email, Date.now());
    say(`${email} is refused from now on. ${revoked} keys are revoked.`);
    return note();
  }
  if (command === 'enable') {
    if (!(await enablePerson(database, hasher, email))) {
      throw new CommandFailure(`${email} is not disabled.`);
    }
    say(`${email} can register again. Its earlier keys stay revoked.`);
    return note();
  }
  const own = keys.filter(({ workspace }) => workspace === 'personal');
  const workspaces = [...new Set(own.map(({ organization_id: organization }) => organization))];
  const log = createLog('error', (line) => say(line));
  const busy = await eraseWorkspaces(config, database, log, workspaces);
  if (busy.length > 0) {
    throw new CommandFailure(
      `Runs of ${busy.join(', ')} have not ended, so ${email} is not erased yet. Disable it, wait, and try again.`,
    );
  }
  // On record before, so that this entry has the pseudonym too.
  await note();
  const { dataDir } = config;
  const erased = await erasePerson(database, hasher, email, { dataDir, at: Date.now() });
  say(
    `${email} is erased: ${erased.keys} keys, ${erased.registrations} registrations, ${erased.mails} mails, ${workspaces.length} personal workspaces. ${erased.comments} comments and ${erased.operatorActions} entries of the audit log have a pseudonym.`,
  );
}
