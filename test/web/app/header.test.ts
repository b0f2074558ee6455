/** The header by itself: signing out. */
import { root } from './support/root.ts';
import { afterEach, expect, test } from 'bun:test';
import { h, render } from 'preact';
import { Header } from '../../../web/header.tsx';
import { session } from '../../../web/session.ts';
import { keepRun } from '../../../web/storage/runs.ts';
import { text } from '../../support/browser/words.ts';
import { all, control, drawn, until } from './support/app.ts';
import { click } from './support/hands.ts';

const says = text.header;
afterEach(() => {
  session.value = null;
});

async function signOut(): Promise<void> {
  session.value = { key: 'key', email: 'ann.example.of.a.long.name@example.com' };
  render(h(Header, {}), root);
  await drawn();
  const account = all('.menu > button', root)[0]!;
  expect(account.textContent).toContain('ann.example.@…');
  await click(account);
  await click(control(says.signOut, root));
}

test('signing out asks only if this browser has something to delete', async () => {
  await signOut();
  await until('the end', () => session.value === null);
  expect(root.querySelector('dialog')).toBeNull();
  await keepRun({ runId: 'run_1', name: 'talk.mp3', createdAt: 0 }, null);
  await signOut();
  await until('the question', () => root.querySelector('dialog'));
  expect(session.value).not.toBeNull();
});
