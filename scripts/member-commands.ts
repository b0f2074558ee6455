/** The operator's commands on the people of any workspace: list, change and remove them, and search the record. */
import { ROLES } from '../server/contract/members.ts';
import { WORKSPACE_AUDIT } from '../server/contract/limits.ts';
import { isEmail, normalizeEmail } from '../server/identity/email.ts';
import {
  changeMember,
  LastOwner,
  listMembers,
  memberByEmail,
  type MemberOrder,
  OwnWorkspace,
} from '../server/identity/members.ts';
import { createHasher, providePepper } from '../server/identity/secrets.ts';
import type { Config } from '../server/config/config.ts';
import type { Database } from '../server/storage/database.ts';
import { findEvents } from '../server/storage/workspace-audit.ts';
import { CommandFailure, UsageError } from './command-line.ts';
import { noteAction } from './key-commands.ts';
import { say } from './terminal.ts';

const MOST = 10_000;
const USE =
  'Use members list WORKSPACE, audit WORKSPACE [WORDS], role WORKSPACE EMAIL reader|editor|owner, or disable, enable or remove WORKSPACE EMAIL.';

/** What is done to a person, or what is listed. */
type Order =
  | { list: string }
  | { audit: string; words: string }
  | { organizationId: string; email: string; change: MemberOrder };

/** Reads `members …`. @throws {UsageError} */
export function readMembers([command, organizationId = '', ...rest]: readonly string[]): Order {
  if (organizationId === '') throw new UsageError(USE);
  if (command === 'list' && rest.length === 0) return { list: organizationId };
  if (command === 'audit') return { audit: organizationId, words: rest.join(' ') };
  const [email = '', named, ...more] = rest;
  if (!isEmail(email) || more.length > 0) throw new UsageError(USE);
  const who = { organizationId, email: normalizeEmail(email) };
  const role = ROLES.find((each) => each === named);
  if (command === 'role' && role) return { ...who, change: { role } };
  if (named !== undefined) throw new UsageError(USE);
  if (command === 'disable') return { ...who, change: { isDisabled: true } };
  if (command === 'enable') return { ...who, change: { isDisabled: false } };
  if (command === 'remove') return { ...who, change: 'remove' };
  throw new UsageError(USE);
}

/** Runs such a command. */
export async function manageMembers(
  database: Database,
  order: Order,
  config: Config,
  print: (...columns: (string | number)[]) => void,
): Promise<void> {
  const instant = (ms: number) => new Date(ms).toISOString();
  if ('list' in order) {
    const { members } = await listMembers(database, order.list, { limit: MOST });
    for (const { email, role, disabledAt, joinedAt, keys } of members) {
      const state = disabledAt === null ? 'active' : `disabled ${instant(disabledAt)}`;
      print(email, role, state, `joined ${instant(joinedAt)}`, `${keys} keys`);
    }
    return;
  }
  if ('audit' in order) {
    const search = { text: order.words, limit: WORKSPACE_AUDIT.kept, after: null };
    for (const event of await findEvents(database, order.audit, search)) {
      print(instant(event.at), event.person ?? event.key_id ?? '', event.action, event.subject);
    }
    return;
  }
  const { organizationId, email, change } = order;
  const member = await memberByEmail(database, organizationId, email);
  if (!member) throw new CommandFailure(`${email} is not in ${organizationId}.`);
  const hasher = createHasher(await providePepper(config, database));
  const what = { organizationId, id: member.id };
  await changeMember(database, hasher, what, change, Date.now()).catch((error: unknown) => {
    if (error instanceof LastOwner) {
      throw new CommandFailure(`${email} is the last owner. Make somebody else an owner first.`);
    }
    if (error instanceof OwnWorkspace) {
      throw new CommandFailure(`${organizationId} is the personal workspace of ${email}.`);
    }
    throw error;
  });
  const done =
    change === 'remove'
      ? 'removed'
      : (change.role ?? (change.isDisabled === true ? 'disabled' : 'enabled'));
  await noteAction(database, `members ${done}`, `${organizationId} ${email}`);
  say(`${email} is ${done} in ${organizationId}.`);
}
