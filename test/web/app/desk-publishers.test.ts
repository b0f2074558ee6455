/** Checking by a publisher’s rules, and finishing a review. */
import { beforeEach, expect, test } from 'bun:test';
import { profiles } from '../../../web/texts/profiles-and-rebuilding.ts';
import { termsText } from '../../../web/texts/terms.ts';
import { text } from '../../support/browser/words.ts';
import {
  all,
  control,
  drawn,
  field,
  has,
  one,
  openApp,
  openFile,
  openRun,
  pageText,
  refusal,
  rows,
  said,
  texts,
  until,
} from './support/app.ts';
import { words, srtOf } from './support/talks.ts';
import { click, press } from './support/hands.ts';
import { checkBy } from './support/dialogs.ts';

const says = text.review;
const ann = await openApp();

beforeEach(() => {
  ann.interrupt(null);
  localStorage.clear();
});

const FAST = 'So many words that nobody could ever read them all.';

test('violations of a publisher’s rules are fixed one by one, by rule, and all together', async () => {
  await openFile(srtOf(FAST, FAST, 'Good night.'));
  await checkBy('netflix');
  const count = () => rows().filter((row) => row.classList.contains('warned')).length;
  expect(count()).toBe(2);
  const rules = () => all('section.rule h2').map(({ textContent }) => textContent);
  expect(rules().some((each) => each.startsWith(profiles.rules['line_length']!))).toBe(true);
  const before = texts()[0];
  await click(control(profiles.fixLabel(1, 'line_length')));
  expect(texts()[0]).not.toBe(before);
  expect(texts()[1]).toBe(before);
  await click(says.undo);
  // The button in the caption fixes it too.
  await click(all('.cue[data-id="2"] .cue-warnings button')[0]!);
  await until('the fix', () => texts()[0] === before && texts()[1] !== before);
  await click(says.undo);
  const rule = all('section.rule').find(
    (each) => each.getAttribute('aria-label') === profiles.rules['line_length'],
  )!;
  await click(
    [...rule.querySelectorAll('button')].find(
      ({ textContent }) => textContent === profiles.fixAll(2),
    )!,
  );
  expect([texts()[0] !== before, texts()[1] !== before, said()]).toEqual([
    true,
    true,
    says.fixedMany(2),
  ]);
  await click(says.undo);
  // The key fixes by these rules, not by the limits of the run.
  await press('Alt+Shift+KeyF', field(1));
  expect([texts()[0] !== before, said()]).toEqual([true, says.fixedMany(2)]);
  const fixed = texts();
  await click(says.undo);
  await click(
    all('[role=tabpanel] .actions button').find(({ textContent }) =>
      textContent.startsWith('Fix everything'),
    )!,
  );
  expect([texts(), said()]).toEqual([fixed, says.fixedMany(2)]);
  await until('less is left', () =>
    rules().every((each) => !each.startsWith(profiles.rules['line_length']!)),
  );
});

test('finishing a review may ask what to learn from it', async () => {
  const rule = {
    id: 'r1',
    kind: 'new_mishear',
    state: 'proposed',
    automatic: false,
    surface: 'skim',
    canonical: 'SCIM',
    near: [],
    evidence: { accepted: 1, rejected: 0, talks: 1, text: 'Once.', places: [] },
    settledAt: null,
    changed: [],
  };
  await openRun(ann, words);
  await until('the way to finish', () => has(termsText.finish));
  const sent: unknown[] = [];
  let isRefused = false;
  ann.interrupt((request) => {
    const { pathname, search } = new URL(request.url);
    if (pathname === '/terminology/terms')
      return Response.json({ terms: [{ canonical: 'AuthKit', mishears: ['Off kit'] }] });
    if (!pathname.startsWith('/terminology/rules')) return null;
    if (isRefused) return refusal(409, 'conflict', 'Somebody was faster.');
    if (request.method === 'GET') {
      sent.push(search);
      return Response.json({
        automatic: true,
        rules: [
          rule,
          { ...rule, id: 'r2', canonical: 'Okta' },
          // Both were remembered while they were replaced.
          { ...rule, id: 'r3', surface: 'off kit', canonical: 'AuthKit' },
          { ...rule, id: 'r4', kind: 'new_term', surface: null, canonical: 'AuthKit' },
        ],
      });
    }
    return request.json().then((patch: object) => {
      sent.push(patch);
      return Response.json({ ...rule, ...patch });
    });
  });
  await click(termsText.finish);
  await until('the questions', () => pageText().includes(termsText.questions(2)));
  expect(sent).toEqual([`?state=proposed&runId=${location.hash.split('/').at(-1)}`]);
  await click(all('.rule button').find(({ textContent }) => textContent === termsText.yes)!);
  await until('one is left', () => pageText().includes(termsText.questions(1)));
  expect(sent[1]).toEqual({ state: 'applied' });
  isRefused = true;
  await click(all('.rule button').find(({ textContent }) => textContent === termsText.no)!);
  await until('the refusal', () => pageText().includes('Somebody was faster.'));
  expect(one('dialog a').getAttribute('href')).toBe('#/terms');
});

test('the review is not finished while the service does not respond', async () => {
  await openRun(ann, words);
  await until('the way to finish', () => has(termsText.finish));
  ann.interrupt((request) =>
    request.method === 'PUT' ? refusal(413, 'too_large', 'Too large.') : null,
  );
  const before = ann.requests.length;
  await click(termsText.finish);
  await until('that it is not', () => pageText().includes(termsText.notYet));
  await drawn();
  expect(ann.requests.slice(before).join()).not.toContain('/terminology/rules');
  expect(all('dialog .rule')).toHaveLength(0);
});
