/** The settings: the session, the keys, the data and the colours of a person. */
import { afterAll, beforeEach, expect, test } from 'bun:test';
import { createVoiceStore } from '../../../server/voices/voice-store.ts';
import { settingsText as says } from '../../../web/texts/settings.ts';
import { text } from '../../support/browser/words.ts';
import { completedRun, spoken } from '../../support/servers/completed-run.ts';
import { unpacked } from '../../support/unpacked.ts';
import { all, control, has, input, one, openApp, pageText, until, visit } from './support/app.ts';
import { choose, click, submit, type } from './support/hands.ts';
import { saved } from './support/page.ts';
import { signInAs, signOut } from './support/signing.ts';

const ann = await openApp();
const { database } = ann.service.services;
await completedRun(database, ann.organizationId, spoken('Good evening.'));
const other = await ann.service.signUp('ann@example.com', ['captioner:terminology:read']);
const keyLines = () => all('.account-keys li');
const runs = async (): Promise<number> =>
  (await (await ann.service.ask('/workflows/captioner', { key: ann.key })).json()).runs.length;

beforeEach(async () => {
  ann.interrupt(null);
  await visit('#/settings', says.keyboardHint);
});
afterAll(() => localStorage.clear());

test('the page is reached from the header, and says whose workspace it is', async () => {
  expect(control(text.header.settings).getAttribute('aria-current')).toBe('page');
  await until('the account', () => pageText().includes(says.workspaces.personal));
});

test('the colours are chosen here or by the button in the header', async () => {
  const chosen = () => document.documentElement.dataset['theme'];
  const radio = (name: string) =>
    all('input[type=radio]').find((each) => each.parentElement?.textContent === name)!;
  await choose(radio('Dark') as HTMLInputElement, true);
  expect([chosen(), localStorage.getItem('captioner.theme')]).toEqual(['dark', 'dark']);
  await click(text.header.toLight);
  await until('the system’s', () => (radio('Same as the system') as HTMLInputElement).checked);
  expect([chosen(), localStorage.getItem('captioner.theme')]).toEqual([undefined, null]);
});

test('the session outlives a reload only if the person wants it to', async () => {
  const kept = () => sessionStorage.getItem('captioner.session');
  const box = all('.settings-part input[type=checkbox]')[0] as HTMLInputElement;
  expect([box.checked, kept()]).toEqual([true, expect.stringContaining(ann.key)]);
  await choose(box, false);
  expect(kept()).toBeNull();
  await choose(box, true);
  expect(kept()).toContain(ann.key);
});

test('voices are remembered only when the person says so, and forgotten one by one or all', async () => {
  const voices = createVoiceStore(database);
  const { organizationId } = ann;
  await until('the switch', () => pageText().includes(says.remember));
  const box = () => all('.settings-part input[type=checkbox]')[1] as HTMLInputElement;
  expect([box().checked, pageText().includes(says.rememberHint)]).toEqual([false, true]);
  await choose(box(), true);
  await until('on', () => pageText().includes(says.nobody));
  const { id } = await database.selectFrom('runs').select('id').executeTakeFirstOrThrow();
  const run = { id, organizationId };
  await voices.note(run, { model: 'one', voices: [{ speaker: '0', print: [1], seconds: 9 }] });
  await voices.name(run, new Map([['0', 'Ada']]));
  await visit('#/settings', says.keyboardHint);
  await until('Ada', () => has(says.forgetPerson('Ada')));
  await click(says.forgetPerson('Ada'));
  await until('nobody', () => pageText().includes(says.nobody));
  await choose(box(), false);
  await until('off', () => !pageText().includes(says.rememberOff));
  expect((await voices.list(organizationId)).remember).toBe(false);
});

test('the export is saved, and a refusal is shown', async () => {
  await until('the button', () => has(says.export));
  await click(says.export);
  const archive = await until('the file', () => saved.get('captioner-export.tar.gz'));
  const { names } = await unpacked(new Uint8Array(await archive.arrayBuffer()));
  expect(names).toContain('export.json');
  ann.interrupt(({ url }) =>
    url.endsWith('/export')
      ? Response.json({ error: { code: 'rate_limited', message: 'Wait.' } }, { status: 429 })
      : null,
  );
  await click(says.export);
  await until('the refusal', () => pageText().includes('Wait.'));
});

test('everything is erased only after the word is typed', async () => {
  await until('the button', () => has(says.erase));
  const erase = async (word: string) => {
    await click(says.erase);
    await type(input(says.eraseType(says.eraseWord)), word);
    await submit(one('dialog form'));
  };
  await erase('yes');
  await until('the reason', () => pageText().includes(says.eraseNot));
  expect(await runs()).toBe(1);
  await erase('Erase');
  await until('the counts', () => pageText().includes(says.erased(1, 0, 0)));
  expect(await runs()).toBe(0);
});

test('a key is revoked after a question, and that of the browser signs out', async () => {
  await until('the keys', () => keyLines().length === 2);
  // The newest is first.
  expect(keyLines().map((line) => line.textContent?.includes(says.current))).toEqual([false, true]);
  expect(keyLines()[0]!.textContent).toContain(says.scopes['captioner:terminology:read']);
  expect(pageText()).not.toContain(other.key);
  await click(one('button', keyLines()[0]));
  await submit(one('dialog form'));
  await until('one key', () => keyLines().length === 1);
  const asks = await ann.service.ask('/terminology/terms', { key: other.key });
  expect(asks.status).toBe(401);
  await click(one('button', keyLines()[0]));
  expect(pageText()).toContain(says.revokeCurrent);
  await submit(one('dialog form'));
  await until('the way to sign in', () => pageText().includes(says.signIn));
});

test('a late answer is not shown to the next person', async () => {
  const bea = await ann.service.signUp('bea@example.com');
  await signInAs(bea);
  await until('one key', () => keyLines().length === 1);
  const held = Promise.withResolvers<null>();
  ann.interrupt(({ url }) => (url.endsWith('/workspace/keys') ? held.promise : null));
  await visit('#/settings', says.keyboardHint);
  await signOut();
  held.resolve(null);
  await until('the way to sign in', () => pageText().includes(says.signIn));
  expect(keyLines()).toEqual([]);
});
