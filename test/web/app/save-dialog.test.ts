/** The notice of a colleague's changes, and the dialog that shows them. */
import { root } from './support/root.ts';
import { afterEach, expect, test } from 'bun:test';
import { h, render } from 'preact';
import { signal } from '@preact/signals';
import { FinishDialog, SaveDialog } from '../../../web/review/save/save-dialog.tsx';
import { finishing, SaveNotice } from '../../../web/review/save/save-notice.tsx';
import { session } from '../../../web/session.ts';
import { saveText } from '../../../web/texts/saving.ts';
import { termsText } from '../../../web/texts/terms.ts';
import { text } from '../../support/browser/words.ts';
import { all, control, drawn, one, until } from './support/app.ts';
import { click } from './support/hands.ts';

let ask = async (_url: string): Promise<Response> => new Response(null, { status: 500 });
Reflect.set(globalThis, 'fetch', (url: string) => ask(url));
session.value = { key: 'key', email: 'ann@example.com' };
afterEach(() => {
  finishing.value = false;
});

const cue = (start: number, words: string, speakers?: string[]) => ({
  id: start,
  start,
  end: start + 2,
  lines: [words],
  ...(speakers ? { speakers } : {}),
});
type Cue = ReturnType<typeof cue>;

/** The service's side of a review, with these changes by a colleague. */
function serviceWith(changes: { news?: { before: Cue[]; after: Cue[] }[]; conflicts?: object[] }) {
  const chosen: string[][] = [];
  return {
    chosen,
    conflicts: signal(changes.conflicts ?? []),
    news: signal(changes.news ?? []),
    finish: () => new Promise(() => {}),
    choose: async (...given: string[]) => void chosen.push(given),
  };
}
const review = { language: 'en', role: signal('writing') };

function showDialog(service: object): void {
  const desk = { review };
  render(h(SaveDialog, { desk, service, onClose() {} } as never), root);
}

test('two versions of a caption are listed at the time of the own one, each with its times', async () => {
  const theirs = [
    { start: 5, end: 6, lines: ['Second.'], speaker: 'Ann\nBen' },
    { start: 6, end: 7, lines: ['Third.'], speaker: 'Ann\nBen' },
  ];
  const service = serviceWith({ conflicts: [{ key: 'k', mine: [cue(3, 'Two.')], theirs }] });
  showDialog(service);
  expect(all('dt', root).map(({ textContent }) => textContent)).toEqual([
    `${saveText.mine} 00:03.0–00:05.0`,
    `${saveText.theirs} 00:05.0–00:06.0, 00:06.0–00:07.0`,
  ]);
  expect(all('dd', root)[1]!.querySelector('ins')?.textContent).toStartWith('Ann, Ben Ann, Ben: ');
  await click(control(saveText.keepLabel('00:03.0'), root));
  await click(control(saveText.takeLabel('00:03.0'), root));
  expect(service.chosen).toEqual([
    ['k', 'mine'],
    ['k', 'theirs'],
  ]);
});

test('only the tab that writes the review reports a colleague’s changes', async () => {
  const service = serviceWith({ news: [{ before: [], after: [cue(3, 'Two.')] }] });
  const role = signal('writing');
  const desk = { review: { ...review, role }, service: signal(service) };
  render(h(SaveNotice, { desk } as never), root);
  expect(root.textContent).toContain(saveText.news(1));
  role.value = 'following';
  await drawn();
  expect(root.textContent).toBe('');
});

test('changes that were read are not reported again, and those that are dismissed neither', async () => {
  const news = [{ before: [], after: [cue(3, 'Two.')] }];
  const service = serviceWith({ news });
  render(h(SaveNotice, { desk: { review, service: signal(service) } } as never), root);
  await click(control(saveText.show, root));
  await until('the dialog', () => root.querySelector('dialog'));
  await click(control(text.close, one('dialog', root)));
  await until('no notice', () => root.textContent === '');
  service.news.value = news;
  await drawn();
  // The dialog does not open again by itself.
  expect(root.querySelector('dialog')).toBeNull();
  await click(control(saveText.dismiss, root));
  expect([root.textContent, service.news.peek()]).toEqual(['', []]);
});

test.each([
  ['saved', true, [], `${termsText.finished}${termsText.noQuestions}`],
  ['in conflict', false, [{}], termsText.conflict],
  ['not saved', false, [], termsText.notYet],
])('a review that is %s when it is finished says so', async (_, isSaved, conflicts, says) => {
  ask = async () => Response.json({ automatic: true, rules: [] });
  const finished = Promise.withResolvers<boolean>();
  const service = { ...serviceWith({ conflicts }), finish: () => finished.promise };
  const desk = { review: { ...review, runId: 'run_1' } };
  render(h(FinishDialog, { desk, service, onClose() {} } as never), root);
  const body = () => one('.dialog-body', root).textContent.replace(termsText.all, '');
  expect(body()).toBe(termsText.saving);
  finished.resolve(isSaved);
  await until('the end', () => body() === says);
});

test.each(['new_term', 'new_mishear', 'risky_word'])(
  'a replacement that was remembered is not asked about when the review is finished: %s',
  async (kind) => {
    const evidence = { accepted: 1, rejected: 0, talks: 1, text: 'accepted once', places: [] };
    const rule = (surface: string) => ({
      id: surface,
      kind,
      state: 'proposed',
      automatic: false,
      surface,
      canonical: 'Brexit Fast',
      near: [],
      evidence,
      settledAt: null,
      changed: [],
    });
    const terms = [{ canonical: 'Brexit Fast', mishears: ['breakfast'] }];
    ask = async (url) =>
      Response.json(
        url.includes('/rules')
          ? { automatic: true, rules: [rule('Breakfast'), rule('break fast')] }
          : { terms, limit: 1000 },
      );
    const service = { ...serviceWith({}), finish: async () => true };
    const desk = { review: { ...review, runId: 'run_1' } };
    render(h(FinishDialog, { desk, service, onClose() {} } as never), root);
    await until('the question', () => root.textContent.includes(termsText.questions(1)));
    expect(root.textContent).not.toContain('Breakfast');
  },
);
