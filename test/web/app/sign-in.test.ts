/** The sign-in card by itself: what it sends, keeps and says, and where the focus is. */
import { root } from './support/root.ts';
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { h, render } from 'preact';
import { currentJob } from '../../../web/run/job.ts';
import { queued } from '../../../web/run/queue-state.ts';
import { session, signOut } from '../../../web/session.ts';
import { SignIn } from '../../../web/sign-in/sign-in.tsx';
import { chosenFiles } from '../../../web/start/chosen-file.ts';
import { signIn as texts } from '../../../web/texts/start-parts.ts';
import { all, control, drawn, input, one } from './support/app.ts';
import { choose, click, submit, type } from './support/hands.ts';

/** The bodies of the requests, and the answer to the next one once a test gives it. */
const sent: Record<string, unknown>[] = [];
let answer = Promise.withResolvers<Response>();
Reflect.set(globalThis, 'fetch', (_: string, { body }: { body: string }) => {
  sent.push(JSON.parse(body));
  answer = Promise.withResolvers();
  return answer.promise;
});
const reply = async (body: object, status = 200) => {
  answer.resolve(Response.json(body, { status }));
  await drawn();
};

const request = { reason: 'first', page: '', done() {}, dismiss() {} } as const;
const show = async () => {
  render(null, root);
  render(h(SignIn, { request }), root);
  await drawn();
};
beforeEach(show);
afterEach(() => {
  signOut();
  sent.length = 0;
  chosenFiles.value = [];
  queued.value = [];
  currentJob.value = null;
});

/** Asks for a code, and enters it. */
async function enterCode(): Promise<void> {
  await type(input(texts.email), 'ann@example.com');
  await submit(one('form', root));
  await reply({ claim_token: 'token' });
  const box = all('.code-boxes input', root)[0] as HTMLInputElement;
  box.value = '123456';
  box.dispatchEvent(new InputEvent('input', { bubbles: true }));
  await drawn();
}

test('a code signs in until the page is left if the user does not want to stay', async () => {
  await choose(one('input[type=checkbox]', root) as HTMLInputElement, false);
  await enterCode();
  expect(sent).toEqual([
    expect.objectContaining({ assertion: 'ann@example.com' }),
    expect.objectContaining({ claim_token: 'token', otp: '123456' }),
  ]);
  await reply({ credential: 'key' });
  expect(session.peek()).toEqual({ key: 'key', email: 'ann@example.com' });
  // The tab keeps nothing that the user did not agree to.
  expect(sessionStorage.getItem('captioner.session')).toBeNull();
});

test('a code signs in for longer unless the user unticks it', async () => {
  await enterCode();
  await reply({ credential: 'key' });
  expect(sessionStorage.getItem('captioner.session')).toContain('"key"');
});

test('the card says what it is doing, and can be cancelled meanwhile', async () => {
  await type(input(texts.email), 'ann@example.com');
  await submit(one('form', root));
  expect(control(texts.sending, root).getAttribute('aria-disabled')).toBe('true');
  // The button keeps the focus.
  expect(control(texts.sending, root).hasAttribute('disabled')).toBe(false);
  await reply({ claim_token: 'token' });
  expect(one('[role=status]', root).textContent).toBe('');
  await click(texts.again);
  await enterCode();
  expect([
    one('p[role=status]', root).textContent,
    one('fieldset', root).hasAttribute('disabled'),
  ]).toEqual([texts.checking, true]);
  await reply({ error: 'invalid_otp' }, 400);
  expect(one('fieldset', root).hasAttribute('disabled')).toBe(false);
});
