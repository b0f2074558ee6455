/** Terms, doubtful words and warnings are checked, also by a publisher’s rules, and a review is finished. */
import { beforeEach, describe, expect, test } from 'bun:test';
import { text } from '../../support/browser/words.ts';
import {
  all,
  current,
  field,
  has,
  one,
  openApp,
  openFile,
  openRun,
  said,
  texts,
  until,
  control,
  drawn,
  pageText,
  refusal,
  rows,
} from './support/app.ts';
import { CORRECTIONS, words, srtOf } from './support/talks.ts';
import { choose, click, press } from './support/hands.ts';
import { open, panel, tab, checkBy } from './support/dialogs.ts';
import { profiles } from '../../../web/texts/profiles-and-rebuilding.ts';
import { termsText } from '../../../web/texts/terms.ts';

const ann = await openApp();

describe('the check', () => {
  const says = text.review;

  beforeEach(async () => {
    await openRun(ann, words, CORRECTIONS);
    field(1).focus();
  });

  const whole = () => texts().join(' ').replaceAll('\n', ' ');

  test('a review with open terms opens with them, and shows how many are left', () => {
    expect(tab('terms').getAttribute('aria-selected')).toBe('true');
    expect(tab('terms').textContent).toBe(says.tabs.terms(2));
    expect(tab('doubts').textContent).toBe(says.tabs.doubts(2));
    expect(one('.desk-title .left').textContent).toContain(says.leftTerms(2));
    expect(one('.desk-title .left').textContent).toContain(says.leftDoubts(2));
  });

  test('a term is accepted at one place, and then everywhere', async () => {
    await until('the terms', () => has(says.acceptAll(2)));
    const time = all('.term-sentence')[0]!.getAttribute('title')!.replace('Go to ', '');
    await click(says.acceptLabel('off kit', 'AuthKit', time));
    expect([whole().split('AuthKit').length, tab('terms').textContent]).toEqual([
      2,
      says.tabs.terms(1),
    ]);
    const marked = () => all('.term-sentence mark').map(({ textContent }) => textContent);
    expect(marked()).toEqual(['AuthKit', 'off kit']);
    await click(says.acceptAll(2));
    expect([whole().includes('off kit'), tab('terms').textContent]).toEqual([
      false,
      says.tabs.terms(0),
    ]);
    await click(says.undo);
    expect(whole().split('off kit')).toHaveLength(2);
    await click(says.rejectAll(2));
    expect([whole().split('off kit').length, tab('terms').textContent]).toEqual([
      3,
      says.tabs.terms(0),
    ]);
    expect(all('.state').map(({ textContent }) => textContent)).toEqual([
      says.decisions.rejected,
      says.decisions.rejected,
    ]);
  });

  test('keys move between terms, accept and reject', async () => {
    await press('F2');
    const [from, to] = [field(current()).selectionStart, field(current()).selectionEnd];
    expect(field(current()).value.slice(from, to).replaceAll('\n', ' ')).toBe('off kit');
    await press('Alt+KeyA');
    expect(whole().split('AuthKit')).toHaveLength(2);
    await press('F2');
    await press('Alt+KeyR');
    expect(tab('terms').textContent).toBe(says.tabs.terms(0));
    await press('F2');
    expect(said()).toBe(says.noneLeft);
    await press('Alt+KeyA');
    expect(said()).not.toBe('');
  });

  test('doubtful words are marked, listed and confirmed', async () => {
    const marked = () => all('.cue mark.doubt').length;
    expect(marked()).toBe(2);
    await open('doubts');
    await until('the words', () => all('.term').length === 2);
    expect(panel()).toContain(says.confidence(0.2));
    const word = one('mark', all('.term')[0]).textContent;
    await click(says.sureLabel(word));
    await until('one is left', () => all('.term').length === 1);
    expect(tab('doubts').textContent).toBe(says.tabs.doubts(1));
    expect(marked()).toBe(1);
    await choose(one('.doubt-level select') as HTMLSelectElement, '0.95');
    expect(tab('doubts').textContent).toBe(says.tabs.doubts(1));
    await press('F9', field(1));
    await press('Alt+KeyA');
    await until('none is left', () => panel().includes(says.doubtsNone));
    expect(marked()).toBe(0);
    await choose(one('.doubt-level select') as HTMLSelectElement, '0.6');
  });

  test('warnings are listed, lead to their captions, and are fixed together', async () => {
    const long =
      'There are far too many words in this caption for the two seconds that it is shown for here.';
    await openFile(srtOf('Good night.', long, long));
    await open('warnings');
    await until('the list', () => all('.warnings li').length > 0);
    const before = all('.warnings li').length;
    expect(tab('warnings').textContent).toBe(says.tabs.warnings(before));
    await click(all('.warnings button')[0]!);
    expect(current()).toBe(2);
    await press('F8', field(2));
    expect(current()).toBe(3);
    await click(says.fixEverything);
    await until('less is left', () => all('.warnings li').length < before);
    expect(said()).toBe(says.fixedMany(2));
  });
});

describe('the decisions', () => {
  const says = text.review;

  beforeEach(() => {
    ann.interrupt(null);
    localStorage.clear();
  });

  test('one decision applies to all places of a doubtful word, by a button and by a key', async () => {
    const doubted = words.map((word) => ({
      ...word,
      confidence: word.text === 'the' || word.text === 'off' ? 0.2 : 0.95,
    }));
    await openRun(ann, doubted);
    await open('doubts');
    await until('the words', () => all('.term').length === 3);
    expect(has(says.sureAll(2))).toBe(true);
    await click(says.sureAll(2));
    await until('one is left', () => all('.term').length === 1);
    expect(tab('doubts').textContent).toBe(says.tabs.doubts(1));
    await click(says.undo);
    await until('all are back', () => all('.term').length === 3);
    await press('F9', field(1));
    await press('F9', document.activeElement!);
    await press('Alt+Shift+KeyA', document.activeElement!);
    await until('both are settled', () => tab('doubts').textContent === says.tabs.doubts(1));
  });
});

const says = text.review;

const named = (tab: string) => one(`[data-tab=${tab}]`).textContent;

test('once no caption is left, nothing is judged', async () => {
  await openFile(srtOf('Good night.'));
  field(1).focus();
  expect(one('.time-buttons-for').textContent).toBe(says.current(1));
  expect(named('report')).toBe(says.tabs.report(1));
  await press('Alt+Delete', field(1));
  expect(one('.time-buttons-for').textContent).toBe('');
  expect(named('report')).toBe(says.tabs.report(null));
  expect(one('.desk-title .left').textContent).not.toContain(says.done);
  await open('warnings');
  await until('the panel', () => panel().includes(says.noneYet));
  expect(one('[role=tabpanel]').tabIndex).toBe(-1);
  await open('report');
  expect(one('[role=tabpanel]').tabIndex).toBe(0);
});

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
