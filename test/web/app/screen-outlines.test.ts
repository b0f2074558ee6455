/** Snapshots of the start page and the sign-in. */
import { beforeEach, test } from 'bun:test';
import { termsText } from '../../../web/texts/terms.ts';
import { text } from '../../support/browser/words.ts';
import { all, control, goToStart, has, input, one, openApp, until, visit } from './support/app.ts';
import { click, giveFiles, submit, type } from './support/hands.ts';
import { expectOutline } from './support/outline.ts';
import { srtOf } from './support/srt.ts';

const ann = await openApp({ signedIn: false });

beforeEach(async () => {
  ann.interrupt(null);
  await goToStart();
});

const main = (name: string) => expectOutline(name, 'main');

test('the start page, folded and unfolded', async () => {
  await expectOutline('start', '#app');
  for (const summary of all('summary')) {
    const details = summary.parentElement as HTMLDetailsElement;
    details.open = true;
    details.dispatchEvent(new Event('toggle'));
  }
  await until('the packs', () => document.querySelector('.packs input'));
  await until('the preview', () => document.querySelector('.preview-screen'));
  await main('start-unfolded');
});

test('one file and several files are chosen', async () => {
  await giveFiles(one('.drop input[type=file]'), [
    new File([srtOf('Hello.')], 'a.mp3'),
    new File([''], 'empty.mp3'),
  ]);
  await until('the remark', () => one('.remark').textContent !== '');
  await expectOutline('start-remark', '.drop');
});

test('signing in: the address, the code, and errors', async () => {
  await click(control(text.header.signIn));
  await until('the card', () => has(text.signIn.email));
  await expectOutline('sign-in', '.sign-in');
  await type(input(text.signIn.email), 'bea@example.com');
  await submit(one('.sign-in form'));
  await until('the boxes', () => all('.code-boxes input').length === 6);
  await expectOutline('sign-in-code', '.sign-in');
  await click(text.cancel).catch(() => {});
});

test('without signing in, terms and past runs ask for it', async () => {
  await visit('#/terms', termsText.signIn);
  await main('terms-signed-out');
  await visit('#/runs', text.pastRuns.signIn);
  await main('past-runs-signed-out');
});
