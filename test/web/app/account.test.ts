/** Signing in by code, the header, and the terms of the workspace. */
import { beforeEach, expect, test } from 'bun:test';
import { termsText } from '../../../web/texts/terms.ts';
import { text } from '../../support/browser/words.ts';
import {
  all,
  control,
  has,
  input,
  one,
  openApp,
  pageText,
  refusal,
  until,
  visit,
} from './support/app.ts';
import { choose, click, press, submit, type } from './support/hands.ts';
import { saved } from './support/page.ts';
import { signOut } from './support/signing.ts';

const says = text.signIn;
const ann = await openApp({ signedIn: false });
beforeEach(() => ann.interrupt(null));

const digits = () => all('.code-boxes input') as HTMLInputElement[];
const code = () =>
  digits()
    .map(({ value }) => value)
    .join('');

async function askForCode(email: string, isRefused = false): Promise<void> {
  await type(input(says.email), email);
  await submit(one('.sign-in form'));
  await until('an answer', () => isRefused || digits().length === 6);
}

/** Types into a box as a browser does: the box then holds what was typed. */
async function digit(at: number, typed: string): Promise<void> {
  digits()[at]!.value = typed;
  digits()[at]!.dispatchEvent(new InputEvent('input', { bubbles: true }));
  await until('it', () => true);
}

test('users who are not signed in are asked to sign in where it is needed', async () => {
  await visit('#/terms', termsText.signIn);
  await visit('#/runs', text.pastRuns.signIn);
  await click(control(text.header.signIn));
  await until('the card', () => has(says.email));
  expect(pageText()).toContain(says.why);
  expect(pageText()).not.toContain(says.kept);
  await click(text.cancel);
  await until('no card', () => !has(says.email));
});

test('an invalid address is refused, and a valid one leads to the code', async () => {
  await click(control(text.header.signIn));
  await until('the card', () => has(says.email));
  await askForCode('nobody', true);
  await until('the reason', () => pageText().includes(says.problems['invalid_email']!));
  await askForCode('bea@example.com');
  expect(pageText()).toContain(says.codeSent('bea@example.com'));
  expect(pageText()).toContain(says.codeWritten);
  expect(pageText()).not.toContain(says.problems['invalid_email']!);
});

test('digits move the focus on, Backspace moves it back, and a wrong code is reported', async () => {
  await digit(0, '1');
  expect(document.activeElement === digits()[1]).toBe(true);
  await press('Backspace', digits()[1]);
  expect([code(), document.activeElement === digits()[0]]).toEqual(['', true]);
  await press('ArrowRight', digits()[0]);
  expect(document.activeElement === digits()[1]).toBe(true);
  await press('ArrowLeft', digits()[1]);
  expect(document.activeElement === digits()[0]).toBe(true);
  await digit(0, 'x');
  expect(code()).toBe('');
  await digit(0, '000 00');
  expect(code()).toBe('00000');
  expect(pageText()).not.toContain(says.problems['invalid_otp']!);
  await digit(5, '0');
  await until('the reason', () => pageText().includes(says.problems['invalid_otp']!));
  await until('empty boxes', () => code() === '');
});

const refuseCode = (error: string) =>
  ann.interrupt((request) =>
    request.url.endsWith('/claim/complete')
      ? Response.json({ error, error_description: 'Too late.' }, { status: 400 })
      : null,
  );

test.each(['too_many_attempts', 'claim_expired'])('%s leads back to the address', async (error) => {
  refuseCode(error);
  await digit(0, '123456');
  await until('the reason', () => pageText().includes(says.problems[error]!));
  await until('the address', () => has(says.email));
  ann.interrupt(null);
  await askForCode('bea@example.com');
});

test('another code can be requested, once at a time', async () => {
  await click(says.again);
  const held = Promise.withResolvers<null>();
  ann.interrupt(() => held.promise);
  const before = ann.requests.length;
  await type(input(says.email), 'bea@example.com');
  for (let times = 0; times < 2; times += 1) await submit(one('.sign-in form'));
  expect(ann.requests.slice(before)).toHaveLength(1);
  held.resolve(null);
  await until('the boxes', () => digits().length === 6);
  await click(says.again);
});

test('the code signs in, and the session stays in the tab unless the user unticks that', async () => {
  const { key } = ann;
  const enter = async () => {
    // The service limits how many codes it sends, so the test answers instead.
    ann.interrupt(({ url }) =>
      url.includes('/agent/auth') ? Response.json({ claim_token: 'a', credential: key }) : null,
    );
    await askForCode('bea@example.com');
    await digit(0, '123456');
    await until('the account', () => has(text.header.account('bea@…')));
  };
  await choose(all('.sign-in input[type=checkbox]')[0] as HTMLInputElement, false);
  await enter();
  expect(sessionStorage.getItem('captioner.session')).toBeNull();
  await signOut();
  await click(control(text.header.signIn));
  await until('the card', () => has(says.email));
  await enter();
  expect(JSON.parse(sessionStorage.getItem('captioner.session')!)).toEqual({
    key,
    email: 'bea@example.com',
  });
  expect(has(says.email)).toBe(false);
});

test('a term is added, found, changed, renamed and deleted', async () => {
  await visit('#/terms', termsText.title);
  await until('the page', () => pageText().includes(termsText.none));
  await click(termsText.add);
  const save = () => submit(one('.term-form'));
  await save();
  await until('the reason', () => pageText().includes(termsText.needsTerm));
  await type(input(termsText.canonical), 'SCIM');
  await type(input(termsText.mishears), 'skim, s c i m');
  await choose(control(termsText.kind) as HTMLSelectElement, 'acronym');
  await save();
  await until('the term', () => has(termsText.edit('SCIM')));
  expect(pageText()).toContain(termsText.heard(['skim', 's c i m']));
  await click(termsText.edit('SCIM'));
  expect(input(termsText.mishears).value).toBe('skim, s c i m');
  await type(input(termsText.canonical), 'SCIM 2');
  await save();
  await until('the new name', () => has(termsText.edit('SCIM 2')));
  expect(has(termsText.edit('SCIM'))).toBe(false);
  const stored = await (await ann.service.ask('/terminology/terms', { key: ann.key })).json();
  expect(stored.terms).toEqual([
    expect.objectContaining({ canonical: 'SCIM 2', mishears: ['skim', 's c i m'] }),
  ]);
  await click(termsText.exportList);
  await until('the list', () => saved.has('terms.txt'));
  expect(await saved.get('terms.txt')!.text()).toContain('SCIM 2');
  await click(termsText.remove('SCIM 2'));
  await until('none', () => pageText().includes(termsText.none));
});

test('learning is switched off and on', async () => {
  const box = () =>
    all('label.check input').find((each) =>
      each.parentElement?.textContent?.includes(termsText.switch),
    ) as HTMLInputElement;
  await until('the switch', box);
  const before = box().checked;
  await choose(box(), !before);
  await until('it is off', () =>
    ann.requests.some((each) => each.startsWith('PUT ') || each.startsWith('PATCH ')),
  );
  await until('the answer', () => box().checked === !before);
});

test('a key that is no longer valid asks to sign in again', async () => {
  ann.interrupt((request) =>
    request.url.includes('/workflows/captioner') ? refusal(401, 'invalid_api_key', 'No.') : null,
  );
  location.hash = '#/runs';
  await until('the card', () => has(says.email));
  expect(pageText()).toContain(says.expired);
  expect(sessionStorage.getItem('captioner.session')).toBeNull();
  await click(text.cancel);
});
