/** The organisation in the settings: owners manage people, others see their role, and invitations let people in. */
import { beforeEach, expect, test } from 'bun:test';
import { isRecorded, listedOperations } from '../../../server/http/identity/roles.ts';
import { organisationText as says } from '../../../web/texts/organisation.ts';
import { settingsText } from '../../../web/texts/settings.ts';
import { text } from '../../support/browser/words.ts';
import { all, control, has, input, one, openApp, pageText, until, visit } from './support/app.ts';
import { choose, click, submit, type } from './support/hands.ts';
import { signInAs, signOut } from './support/signing.ts';

const ann = await openApp();
const { service } = ann;
const read = async (path: string) => (await service.ask(path, { key: ann.key })).json();
const memberOf = async (email: string) =>
  (await read('/workspace/members')).members.find(
    (each: { email: string }) => each.email === email,
  );
const codeTo = (email: string): string =>
  /^[0-9A-Z-]{23}$/m.exec(service.mailTo(email))?.[0] ?? 'no code';

beforeEach(async () => {
  await visit('#/settings', settingsText.keyboardHint);
});

test('an owner invites a person, changes the role, disables and removes', async () => {
  await until('the people', () => has(says.roleOf('ann@example.com')));
  const invite = async (email: string) => {
    await type(input(says.email), email);
    await submit(input(says.email).closest('form')!);
    await until('the invitation', () => has(says.takeBackFrom(email)));
  };
  await invite('eve@example.org');
  await click(says.takeBackFrom('eve@example.org'));
  await until('it is gone', () => !has(says.takeBackFrom('eve@example.org')));
  await invite('bob@example.org');
  await service.ask('/workspace/invitations/accept', { json: { code: codeTo('bob@example.org') } });
  await visit('#/', text.start.title).catch(() => {});
  await visit('#/settings', settingsText.keyboardHint);
  await until('the person', () => has(says.disablePerson('bob@example.org')));
  const roles = () => input(says.roleOf('bob@example.org'));
  expect(roles().value).toBe('editor');
  await choose(roles(), 'reader');
  await until('the role', async () => (await memberOf('bob@example.org')).role === 'reader');
  await click(says.disablePerson('bob@example.org'));
  await submit(one('dialog form'));
  await until('disabled', () => has(says.enablePerson('bob@example.org')));
  expect((await memberOf('bob@example.org')).keys).toBe(0);
  await click(says.removePerson('bob@example.org'));
  await submit(one('dialog form'));
  await until('removed', () => !has(says.removePerson('bob@example.org')));
  expect(await memberOf('bob@example.org')).toBeUndefined();
});

test('the last owner is told why nothing changes', async () => {
  await until('the people', () => has(says.roleOf('ann@example.com')));
  await choose(input(says.roleOf('ann@example.com')), 'reader');
  await until('the reason', () => pageText().includes('personal workspace'));
  expect((await memberOf('ann@example.com')).role).toBe('owner');
});

test('days of retention are set, and the record is searched', async () => {
  await until('the days', () => has(says.save));
  await type(input(says.days), '14');
  await type(input(says.mediaDays), '3');
  await submit(input(says.days).closest('form')!);
  await until('saved', () => pageText().includes(says.saved));
  expect(await read('/workspace/retention')).toMatchObject({ runDays: 14, mediaDays: 3 });
  // What is no number does not mean "as the service".
  await type(input(says.days), 'two');
  await submit(input(says.days).closest('form')!);
  await until('the refusal', () => !pageText().includes(says.saved));
  expect((await read('/workspace/retention')).runDays).toBe(14);
  await type(input(says.search), '14 days');
  await submit(input(says.search).closest('form')!);
  await until('the entry', () => pageText().includes(says.done['PUT /workspace/retention']));
});

test('whatever is recorded is said in words', () => {
  const recorded = listedOperations().flatMap(([name]) => (isRecorded(name) ? [name] : []));
  expect(Object.keys(says.done).toSorted()).toEqual(recorded.toSorted());
});

test('an owner sets what may be stored, up to what the service allows', async () => {
  const field = () => input(says.mostOf(says.recordings));
  await until('the quotas', () => has(says.mostOf(says.recordings)));
  await type(field(), '1,5');
  await submit(field().closest('form')!);
  await until('the quota is in use', () =>
    pageText().includes(says.stored(says.recordings, 0, 1.5e6)),
  );
  expect((await read('/workspace/quotas')).recordings.owner).toBe(1_500_000);
  await type(field(), '99999999');
  await submit(field().closest('form')!);
  await until('the reason', () => pageText().includes('more than the service allows'));
  await type(field(), '');
  await submit(field().closest('form')!);
  await until('as before', async () => (await read('/workspace/quotas')).recordings.owner === null);
});

test('a reader sees the role and no organisation', async () => {
  const { key } = ann;
  const json = { email: 'rita@example.org', role: 'reader' };
  await service.ask('/workspace/invitations', { key, json });
  const body = { json: { code: codeTo('rita@example.org') } };
  const { credential } = await (await service.ask('/workspace/invitations/accept', body)).json();
  await signOut();
  await signInAs({ key: credential });
  await visit('#/settings', settingsText.keyboardHint);
  await until('the role', () => pageText().includes(says.yourRole.reader));
  expect(all('h2').map((each) => each.textContent)).not.toContain(says.title);
});

test('an invitation is accepted where one signs in', async () => {
  const { key } = ann;
  const json = { email: 'ivo@example.org', role: 'editor' };
  await service.ask('/workspace/invitations', { key, json });
  await signOut();
  await click(control(text.header.signIn));
  await until('the dialog', () => has(says.haveInvitation));
  await click(says.haveInvitation);
  await type(input(says.invitationCode), 'WRONG');
  await submit(input(says.invitationCode).closest('form')!);
  await until('the refusal', () => pageText().includes(says.invalidInvitation));
  await type(input(says.invitationCode), codeTo('ivo@example.org'));
  await submit(input(says.invitationCode).closest('form')!);
  await until('signed in', () => !has(says.haveInvitation));
  await until('the role', () => pageText().includes(says.yourRole.editor));
});
