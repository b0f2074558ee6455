/** What the panels of the review do: playing, deciding at the cursor, fixing by rules, speakers of lines, and long lists. */
import { beforeEach, expect, test } from 'bun:test';
import { phone } from '../../../web/words/phone.ts';
import { profiles } from '../../../web/words/profiles.ts';
import { speakerSays } from '../../../web/words/speakers.ts';
import { termsText } from '../../../web/words/terms.ts';
import { text } from '../../support/browser/words.ts';
import {
  all,
  control,
  current,
  drawn,
  field,
  has,
  input,
  one,
  openApp,
  openFile,
  openRun,
  pageText,
  refusal,
  rows,
  said,
  texts,
  times,
  until,
} from './support/app.ts';
import { CORRECTIONS, words } from './support/doubtful-talk.ts';
import { choose, click, press, type } from './support/hands.ts';
import { srtOf } from './support/srt.ts';

const says = text.review;
const ann = await openApp();
const tab = (name: string) => one(`[data-tab=${name}]`);
const panel = () => one('[role=tabpanel]').textContent ?? '';
const media = () => one('video') as HTMLVideoElement;

async function open(name: string): Promise<void> {
  await click(tab(name));
  await until(
    `the panel ${name}`,
    () => tab(name).getAttribute('aria-selected') === 'true' && panel() !== '',
  );
}

beforeEach(() => {
  ann.interrupt(null);
  localStorage.clear();
});

const video = new File([new Uint8Array(64)], 'talk.mp4', { type: 'video/mp4' });

/** Opens a talk with its recording, of which a test sees what is played. */
async function openTalk(of = words): Promise<void> {
  await openRun(ann, of, CORRECTIONS);
  const { setLocalMedia } = await import('../../../web/run/local-media.ts');
  const runId = location.hash.split('/').at(-1)!;
  setLocalMedia(runId, video);
  location.hash = '#/';
  await until('the start page', () => document.querySelector('form.start'));
  location.hash = `#/runs/${runId}`;
  await until('the video', () => document.querySelector('video'));
  field(1).focus();
  await drawn();
}

test('a term is played from a second before it to half a second after', async () => {
  await openTalk();
  await until('the terms', () => all('.term').length === 2);
  const [first] = CORRECTIONS;
  await click(all('.term [title="Play it"]')[0]!);
  expect([media().paused, media().currentTime]).toEqual([false, first!.start - 1]);
  media().currentTime = first!.end + 0.49;
  await drawn();
  expect(media().paused).toBe(false);
  media().currentTime = first!.end + 0.5;
  await until('its end', () => media().paused);
});

test('a doubtful word is played in the same way', async () => {
  await openTalk();
  await open('doubts');
  await until('the words', () => all('.term').length === 2);
  // The first of them is less than a second from the beginning.
  await click(all('.term [title="Play it"]')[0]!);
  expect(media().currentTime).toBe(words[3]!.start - 1);
  await click(all('.term [title="Play it"]')[1]!);
  expect(media().currentTime).toBeCloseTo(words[20]!.start - 1, 6);
  media().currentTime = words[20]!.end + 0.5;
  await until('its end', () => media().paused);
});

test('the same word in doubt is settled everywhere at once, by a button and by a key', async () => {
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

test('where there is nothing to decide, the keys say so', async () => {
  await openFile(srtOf('Good night.'));
  field(1).focus();
  for (const key of ['Alt+KeyA', 'Alt+KeyR', 'Alt+Shift+KeyA', 'Alt+Shift+KeyR']) {
    await type(field(1), `Good night ${key}.`);
    await press(key, field(1));
    expect(said()).toBe(says.nothingToDecide);
  }
});

test('rejecting a doubtful word decides on the term of its caption', async () => {
  await openTalk();
  await press('F9', field(1));
  await press('Alt+KeyR', document.activeElement!);
  expect(tab('doubts').textContent).toBe(says.tabs.doubts(2));
});

test('what is left is a link to its panel', async () => {
  await openTalk();
  await click(control(says.leftDoubts(2)));
  expect(tab('doubts').getAttribute('aria-selected')).toBe('true');
  await click(control(says.leftTerms(2)));
  expect(tab('terms').getAttribute('aria-selected')).toBe('true');
});

test('of many doubtful words a hundred are listed, and the others counted', async () => {
  const many = Array.from({ length: 120 }, (_, at) => ({
    text: `word${at}`,
    start: at,
    end: at + 0.5,
    confidence: 0.1,
  }));
  await openRun(ann, many);
  await open('doubts');
  await until('the list', () => all('.term').length === 100);
  expect(panel()).toContain(says.doubtsMore(20));
  await openRun(ann, many.slice(0, 100));
  await open('doubts');
  await until('the list', () => all('.term').length === 100);
  expect(panel()).not.toContain('more.');
});

test('of many warnings a hundred are listed, each by its caption', async () => {
  const long = 'So many words that nobody could ever read them all.';
  await openFile(srtOf(...Array.from({ length: 60 }, () => long)));
  await open('warnings');
  await until('the list', () => all('.warnings li').length === 100);
  const [first, second] = all('.warnings li');
  expect(one('b', first).textContent).toBe('1');
  expect([first!.className, second!.className].toSorted()).toEqual(['warning', 'warning']);
  expect(all('[role=tabpanel] kbd').map(({ textContent }) => textContent)).toEqual([
    'Shift+F8',
    'F8',
  ]);
  await openFile(srtOf('Good night.'));
  await open('warnings');
  await until('none', () => panel().includes(says.warningsNone));
  expect(all('[role=tabpanel] .actions button')).toHaveLength(0);
});

test('the chart of reading speed leads to its places', async () => {
  const long = 'So many words that nobody could ever read them all.';
  await openFile(srtOf('One.', 'Two.', long), 'talk.srt', video);
  await open('report');
  await until('the chart', () => document.querySelector('.chart svg'));
  const bars = all('.chart rect');
  expect(bars).toHaveLength(120);
  const drawnBars = bars.flatMap((bar, at) => (Number(bar.getAttribute('height')) > 0 ? [at] : []));
  // Eight seconds or the hundred of the recording, on 120 bars.
  expect([drawnBars.length, drawnBars[0]]).toEqual([3, 0]);
  const [slow, , fast] = drawnBars.map((at) => bars[at]!);
  expect([fast!.getAttribute('class'), slow!.getAttribute('class')]).toEqual(['over', '']);
  // Two characters a second, of 30, on 60 px; what is faster than 30 is as high as the chart.
  expect([slow!.getAttribute('height'), slow!.getAttribute('y')]).toEqual(['4', '56']);
  expect(Number(fast!.getAttribute('height'))).toBeCloseTo((25.5 / 30) * 60, 3);
  const chart = one('.chart svg');
  chart.getBoundingClientRect = () => ({ left: 100, width: 200 }) as DOMRect;
  chart.dispatchEvent(new MouseEvent('click', { clientX: 150, bubbles: true }));
  const length =
    Number(one('.clock').textContent.split(' / ')[1]!.split(':')[1]) +
    60 * Number(one('.clock').textContent.split(' / ')[1]!.split(':')[0]);
  expect(media().currentTime).toBeCloseTo(length / 4, 3);
});

test('the words of a line get a speaker of their own, and a name is taken by Enter', async () => {
  await openFile(srtOf('Hello.\nGood evening.', 'Good night.'));
  field(1).focus();
  await open('speakers');
  await until('the panel', () => has(speakerSays.add));
  for (const name of ['Ann', 'Ben']) {
    await type(input(speakerSays.add), name);
    await click(speakerSays.addDo);
  }
  // The last one named has the caption, so that the first one is nobody's.
  expect(all('.speakers li')).toHaveLength(1);
  field(2).focus();
  await drawn();
  await type(input(speakerSays.add), 'Ann');
  await click(speakerSays.addDo);
  await until('both', () => all('.speakers li').length === 2);
  field(1).focus();
  await drawn();
  const lines = () => all('.speaker-lines select') as HTMLSelectElement[];
  expect(lines().map(({ value }) => value)).toEqual(['Ben', 'Ben']);
  await choose(lines()[1]!, 'Ann');
  expect([texts()[0], lines().map(({ value }) => value)]).toEqual([
    '-Hello.\n-Good evening.',
    ['Ben', 'Ann'],
  ]);
  await choose(lines()[1]!, '');
  expect(texts()[0]).toBe('Hello.\nGood evening.');
  const name = input(speakerSays.name('Ann'));
  name.value = 'Eve';
  await press('KeyE', name);
  expect(has(speakerSays.name('Ann'))).toBe(true);
  await press('Enter', name);
  await until('the name', () => has(speakerSays.name('Eve')));
  const give = () => control(speakerSays.giveLabel('Eve', speakerSays.current(2)));
  field(2).focus();
  await drawn();
  expect(give().getAttribute('aria-pressed')).toBe('true');
});

test('captions are moved to the top of the picture and back, several at once', async () => {
  await openFile(srtOf('One.', 'Two.', 'Three.'), 'talk.srt', video);
  field(1).focus();
  await press('Ctrl+Shift+ArrowDown');
  await open('speakers');
  await until('the panel', () => has(speakerSays.top));
  await choose(input(speakerSays.top), true);
  media().currentTime = 1;
  await until('the caption', () => one('.overlay').className.includes('top'));
  media().currentTime = 4;
  await until('the next', () => one('.overlay').textContent === 'Two.');
  expect(one('.overlay').className).toContain('top');
  await choose(input(speakerSays.top), false);
  expect(one('.overlay').className).not.toContain('top');
});

const FAST = 'So many words that nobody could ever read them all.';

async function checkBy(profile: string): Promise<void> {
  await open('warnings');
  await until('the choice', () => document.querySelector('.profile-choice select'));
  await choose(all('.profile-choice select')[0] as HTMLSelectElement, profile);
  await until('the check', () => all('section.rule').length > 0 || panel().includes(profiles.none));
}

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
  expect(texts()[1]).toBe(before!);
  await click(says.undo);
  // In the caption as well.
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
  await click(
    all('[role=tabpanel] .actions button').find(({ textContent }) =>
      textContent.startsWith('Fix everything'),
    )!,
  );
  expect([texts()[0] !== before, said()]).toEqual([true, says.fixedMany(2)]);
  await until('less is left', () =>
    rules().every((each) => !each.startsWith(profiles.rules['line_length']!)),
  );
});

test('a violation leads to its caption, and the source of its rule is named', async () => {
  await openFile(srtOf('Good night.', FAST));
  await checkBy('netflix');
  await click(all('section.rule .warnings button.plain')[0]!);
  expect(current()).toBe(2);
  const link = all('section.rule .hint a')[0]!;
  expect([link.textContent.includes('www.'), new URL(link.getAttribute('href')!).protocol]).toEqual(
    [false, 'https:'],
  );
  expect(link.getAttribute('rel')).toBe('noreferrer noopener');
  await choose(all('.profile-choice select')[0] as HTMLSelectElement, '');
  await until('the limits of the run', () => all('section.rule').length === 0);
  expect(all('.profile-choice select')).toHaveLength(1);
});

test('of many violations of a rule 25 are listed, and the others counted', async () => {
  await openFile(srtOf(...Array.from({ length: 30 }, () => FAST)));
  await checkBy('netflix');
  const rule = all('section.rule').find(
    (each) => each.getAttribute('aria-label') === profiles.rules['line_length'],
  )!;
  expect(rule.querySelectorAll('.warnings li')).toHaveLength(25);
  expect([one('h2 .hint', rule).textContent, rule.textContent.includes(profiles.more(5))]).toEqual([
    '30',
    true,
  ]);
});

test('a review that is finished may have questions about what to learn', async () => {
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
    if (!pathname.startsWith('/terminology/rules')) return null;
    if (isRefused) return refusal(409, 'conflict', 'Somebody was faster.');
    if (request.method === 'GET') {
      sent.push(search);
      return Response.json({
        automatic: true,
        rules: [rule, { ...rule, id: 'r2', canonical: 'Okta' }],
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

test('without an answer of the service, the review is not finished yet', async () => {
  await openRun(ann, words);
  await until('the way to finish', () => has(termsText.finish));
  ann.interrupt((request) =>
    request.method === 'PUT' ? refusal(413, 'too_large', 'Too large.') : null,
  );
  await click(termsText.finish);
  await until('that it is not', () => pageText().includes(termsText.notYet));
  expect(all('dialog .rule')).toHaveLength(0);
});

test('on a narrow screen one part is shown at a time, with the caption pinned below it', async () => {
  await openFile(srtOf('Good evening.', 'Good night.'));
  await until('the bar', () => document.querySelector('.phone-bar'));
  const part = () => one('.desk').dataset['part'];
  expect([part(), document.querySelector('.pinned')]).toEqual(['captions', null]);
  const bar = one('.phone-bar');
  field(2).focus();
  await drawn();
  await click(control(phone.parts.sound, bar));
  expect([part(), control(phone.parts.sound, bar).getAttribute('aria-pressed')]).toEqual([
    'sound',
    'true',
  ]);
  expect(one('.pinned').textContent).toBe(`${phone.editCaption(2)}2 · 00:03.0Good night.`);
  await click(one('.pinned'));
  expect([part(), document.activeElement === field(2), field(2).selectionStart]).toEqual([
    'captions',
    true,
    'Good night.'.length,
  ]);
  await click(control(phone.parts.check, bar));
  expect(part()).toBe('check');
  await click(control(phone.parts.tools, bar));
  await until('the tools', () => document.querySelector('dialog .tools'));
  // They are not in the page twice.
  expect(all('.tools')).toHaveLength(1);
  await click(control(text.close, one('dialog')));
  await until('no dialog', () => !document.querySelector('dialog'));
  expect(all('.tools')).toHaveLength(1);
  await click(control(phone.parts.tools, bar));
  await until('the tools', () => document.querySelector('dialog .tools'));
  await click(control(says.find, one('dialog')));
  await until('the bar', () => has(says.findLabel));
  expect(times(2)).toEqual(['00:00:03,000', '00:00:05,000']);
});
