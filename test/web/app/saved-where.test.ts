/** The note in the review on where it is saved. */
import { afterAll, expect, test } from 'bun:test';
import { h, render } from 'preact';
import { signal } from '@preact/signals';
import { FinishButton, finishing, SavedWhere } from '../../../web/review/save/save-notice.tsx';
import { session } from '../../../web/session.ts';
import { saveText } from '../../../web/texts/saving.ts';
import { termsText } from '../../../web/texts/terms.ts';
import { all, one } from './support/app.ts';
import { click } from './support/hands.ts';
import './support/page.ts';

const page = document.createElement('div');
document.body.append(page);
afterAll(() => page.remove());

interface State {
  /** In this browser. */
  kept?: 'saved' | 'saving' | 'not-saved';
  /** On the service; none for captions from a file. */
  state?: 'here' | 'saving' | 'saved' | 'choose' | 'refused' | null;
  changes?: number;
  isSignedIn?: boolean;
}

function show({ kept = 'saved', state = 'here', changes = 1, isSignedIn = true }: State): void {
  session.value = isSignedIn ? { key: 'k', email: 'ann@example.com' } : null;
  const service = signal(state && { state: signal(state), problem: signal('Too large.') });
  const review = { saving: signal(kept), state: signal({ position: changes }) };
  render(null, page);
  const desk = { review, service } as never;
  render([h(SavedWhere, { desk }), h(FinishButton, { desk })], page);
}

const said = (): [string | null, string] => {
  const { textContent, className } = one('.saving', page);
  return [textContent, className.replace('saving ', '')];
};

test.each<[State, string, string]>([
  [{ changes: 0 }, '', 'here'],
  [{}, saveText.here, 'here'],
  [{ isSignedIn: false }, saveText.alone, 'here'],
  [{ isSignedIn: false, changes: 0 }, '', 'here'],
  [{ isSignedIn: false, state: null }, saveText.here, 'here'],
  [{ kept: 'saving' }, saveText.saving, 'here'],
  [{ state: 'saving' }, saveText.saving, 'saving'],
  [{ state: 'saved' }, saveText.saved, 'saved'],
  [{ state: 'choose' }, saveText.choose, 'not-saved'],
  [{ state: 'refused' }, saveText.refused('Too large.'), 'not-saved'],
  [{ kept: 'not-saved' }, saveText.notStored, 'not-saved'],
  [{ kept: 'not-saved', state: 'choose' }, saveText.notStored, 'not-saved'],
  // The changes are at least on the service.
  [{ kept: 'not-saved', state: 'saved' }, saveText.saved, 'saved'],
])('%j', (state, words, look) => {
  show(state);
  expect(said()).toEqual([words, look]);
});

test('only a user who is signed in can finish a review that the service has', async () => {
  const buttons = () => all('button', page).map(({ textContent }) => textContent);
  show({ isSignedIn: false });
  expect(buttons()).toEqual([]);
  show({ state: null });
  expect(buttons()).toEqual([]);
  show({});
  expect(buttons()).toEqual([termsText.finish]);
  await click(one('button', page));
  expect(finishing.value).toBe(true);
  finishing.value = false;
});
