/** Upload links: ownership, expiry and single use. */
import { afterAll, expect, test } from 'bun:test';
import { Problem } from '../../server/http/problems.ts';
import { createUploadLinks, type UploadGrant } from '../../server/http/uploads/upload-links.ts';
import { IdentityError } from '../../server/identity/provider.ts';
import { createHasher } from '../../server/identity/secrets.ts';
import { refusing } from '../support/servers/sqlite-database.ts';
import { testIdentity } from '../support/servers/identity.ts';

const made = await testIdentity();
afterAll(() => made.close());

const { identity, database, clock } = made;
const base = 'http://captions.example';
const lines: unknown[] = [];
const make = (hasher = made.hasher, live = identity) =>
  createUploadLinks({
    hasher,
    database,
    identity: live,
    log: { audit: (event: string, fields: object) => lines.push({ event, ...fields }) } as never,
    now: () => clock.now,
  });
const links = make();

const key = async (email: string) => {
  const { claimToken } = await made.start(email);
  return identity.complete({ claimToken, code: made.code(email) });
};
const ann = await key('ann@example.com');
const grant: UploadGrant = {
  organizationId: ann.organizationId,
  keyId: ann.metadata.id,
  key: 'talks/talk.mp3',
};
const token = (of = links): string => of.create(grant, base).url.split('/uploads/')[1] ?? '';
const stored = async ({ key: name }: UploadGrant) => name;
const refused = (work: Promise<unknown>) =>
  work.then(
    () => 'accepted',
    ({ status, message }) => `${status} ${message}`,
  );

test('a link allows its upload, whoever created it', async () => {
  const { url, expiresAt } = links.create(grant, base);
  expect(url).toStartWith('http://captions.example/uploads/');
  expect(expiresAt).toBe(clock.now + 15 * 60_000);
  expect(await links.use(url.split('/uploads/')[1] ?? '', async (given) => given)).toEqual(grant);
  expect(lines.at(-1)).toEqual({
    event: 'upload_by_link',
    keyId: grant.keyId,
    organizationId: grant.organizationId,
    route: 'PUT /uploads/{token}',
  });
});

test('the key of a person is validated as theirs, from the details in the link', async () => {
  const asked: unknown[] = [];
  const live = { isLive: async (owner: object) => asked.push(owner) > 0 } as typeof identity;
  const theirs = { ...grant, userId: 'user_1' };
  const used = make(made.hasher, live);
  const { url } = used.create(theirs, base);
  expect(await used.use(url.split('/uploads/')[1] ?? '', async (given) => given)).toEqual(theirs);
  expect(asked).toEqual([theirs]);
});

test('it works once, even for simultaneous uploads', async () => {
  const used = token();
  const outcomes = await Promise.all(
    Array.from({ length: 10 }, () => refused(links.use(used, stored))),
  );
  expect(outcomes.filter((outcome) => outcome === 'accepted')).toHaveLength(1);
  expect(await refused(links.use(used, stored))).toMatch(/^403 .*has already been used/);
  // Two links of the same moment are two links.
  expect(await links.use(token(), stored)).toBe('talks/talk.mp3');
  expect(await links.use(token(), stored)).toBe('talks/talk.mp3');
});

test('a failed upload can be repeated', async () => {
  const again = token();
  const broken = links.use(again, () => Promise.reject(new Error('the body broke off')));
  expect(await refused(broken)).toContain('the body broke off');
  expect(await links.use(again, stored)).toBe('talks/talk.mp3');
});

test('a failed upload frees only its own link', async () => {
  const [used, failed] = [token(), token()];
  await links.use(used, stored);
  await refused(links.use(failed, () => Promise.reject(new Error('the body broke off'))));
  expect(await refused(links.use(used, stored))).toMatch(/^403 .*has already been used/);
});

test('a link that cannot be recorded, freed or deleted is an error', async () => {
  const broken = () => links.use(token(), () => Promise.reject(new Error('the body broke off')));
  await refusing(database, 'insert on used_upload_links', () => links.use(token(), stored));
  await refusing(database, 'delete on used_upload_links', broken);
  await links.use(token(), stored);
  clock.now += 15 * 60_000;
  await refusing(database, 'delete on used_upload_links', () => links.use(token(), stored));
});

test('it expires after fifteen minutes, and records of used links are then deleted', async () => {
  const [late, used] = [token(), token()];
  await links.use(used, stored);
  clock.now += 15 * 60_000 - 1;
  await links.use(token(), stored);
  const before = await database.selectFrom('used_upload_links').select('id').execute();
  expect(before.length).toBeGreaterThan(1);
  clock.now += 1;
  expect(await refused(links.use(late, stored))).toMatch(/^403 .*has expired/);
  expect(await refused(links.use(used, stored))).toMatch(/^403 .*has expired/);
  await links.use(token(), stored);
  expect(await database.selectFrom('used_upload_links').select('id').execute()).toHaveLength(2);
});

test('it becomes invalid with its key', async () => {
  const ben = await key('ben@example.com');
  const { url } = links.create({ ...grant, keyId: ben.metadata.id }, base);
  await database
    .updateTable('api_keys')
    .set({ revoked_at: clock.now })
    .where('id', '=', ben.metadata.id)
    .execute();
  const outcome = await refused(links.use(url.split('/uploads/')[1] ?? '', stored));
  expect(outcome).toMatch(/^403 .*has been revoked/);
  const unknown = links.create({ ...grant, keyId: 'nobody' }, base).url.split('/uploads/')[1] ?? '';
  expect(await refused(links.use(unknown, stored))).toMatch(/^403 .*has been revoked/);
});

test('while the identity provider does not respond, it is neither accepted nor used up', async () => {
  const isLive = () => Promise.reject(new IdentityError(503, 'idp_timeout', 'Too late.'));
  const waiting = token();
  const outcome = await refused(make(made.hasher, { ...identity, isLive }).use(waiting, stored));
  expect(outcome).toBe('503 Too late.');
  const asked = make(made.hasher, { ...identity, isLive }).use(waiting, stored);
  await expect(asked).rejects.toBeInstanceOf(Problem);
  expect(await links.use(waiting, stored)).toBe('talks/talk.mp3');
});

test('a modified link, or one of another service, is refused', async () => {
  const [text = '', signature = ''] = token().split('.');
  const other = Buffer.from(
    JSON.stringify({ ...grant, organizationId: 'org_x', expiresAt: clock.now + 1000 }),
  ).toString('base64url');
  for (const bad of [
    null,
    '',
    '.',
    text,
    `${text}.`,
    `${text}.${'0'.repeat(64)}`,
    `${other}.${signature}`,
    `${text}.${signature}0`,
  ]) {
    expect(await refused(links.use(bad, stored))).toMatch(/^403 This is not an upload link/);
  }
  const foreign = token(make(createHasher('x'.repeat(32))));
  expect(await refused(links.use(foreign, stored))).toMatch(/^403 This is not an upload link/);
});
