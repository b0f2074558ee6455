/** Signing in by code, and the header. */
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

test('a key that is no longer valid asks to sign in again', async () => {
  await visit('#/', text.start.title);
  ann.interrupt((request) =>
    request.url.includes('/workflows/captioner') ? refusal(401, 'invalid_api_key', 'No.') : null,
  );
  location.hash = '#/runs';
  await until('the card', () => has(says.email));
  expect(pageText()).toContain(says.expired);
  expect(sessionStorage.getItem('captioner.session')).toBeNull();
  await click(text.cancel);
});
test('a code that is refused for now says when the next one comes', async () => {
  const { ApiProblem } = await import('../../../web/api/request.ts');
  const { explainSignIn } = await import('../../../web/sign-in/sign-in.tsx');
  const at = (seconds: number) =>
    new Date(Date.now() + seconds * 1000).toLocaleTimeString(undefined, { timeStyle: 'short' });
  const { words, isOver } = explainSignIn(new ApiProblem(429, 'rate_limited', '', 1500));
  expect(isOver).toBe(false);
  expect([says.tooMany(1500, at(1500)), says.tooMany(1500, at(1501))]).toContain(words);
  expect(words).toStartWith(
    'Too many codes were requested. The next one can be sent in 25 min, at ',
  );
  const unsaid = explainSignIn(new ApiProblem(429, 'rate_limited', ''));
  expect(unsaid.words).toBe(says.problems['rate_limited']!);
});
