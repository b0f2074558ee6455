/** Components by themselves: what the keyboard does, where the focus goes, and what is shown. */
import './support/page.ts';
import { root } from './support/root.ts';
import { afterEach, describe, expect, jest, test, spyOn } from 'bun:test';
import { all, control, drawn, one, until } from './support/app.ts';
import { click, point, press, submit, type } from './support/hands.ts';
import { ruleOf } from './support/talks.ts';
import { h, render } from 'preact';
import { useRef } from 'preact/hooks';
import { useRoving } from '../../../web/components/toolbar.tsx';
import { useFocusFallback } from '../../../web/review/screen/review-screen.tsx';
import { actionOf } from '../../../web/review/desk/keys.ts';
import { Menu } from '../../../web/components/menu.tsx';
import { signal } from '@preact/signals';
import { Dialog } from '../../../web/components/dialog.tsx';
import { Splitter } from '../../../web/components/splitter.tsx';
import { NumberField } from '../../../web/components/fields.tsx';
import { text } from '../../support/browser/words.ts';
import { PartialTranscript } from '../../../web/run/run-progress.tsx';
import { ConversionError } from '../../../web/media/conversion-error.ts';
import { Mp3Command, failureOf } from '../../../web/job/job-failure.tsx';
import { server } from '../../../web/tab/server.ts';
import {
  FinishButton,
  finishing,
  SavedWhere,
  SaveNotice,
} from '../../../web/review/screen/save-notice.tsx';
import { session } from '../../../web/tab/session.ts';
import { saveText } from '../../../web/texts/saving.ts';
import { TranslateDialog } from '../../../web/review/translation/translate-dialog.tsx';
import { translationText } from '../../../web/texts/translation.ts';
import { hostDirections } from '../../../server/translation/on-host.ts';
import { termsText } from '../../../web/texts/terms.ts';
import { makeJob } from '../../../web/job/job.ts';
import { JobScreen } from '../../../web/run/job-screen.tsx';
import { progressText } from '../../../web/texts/run-progress.ts';
import { FinishDialog, SaveDialog } from '../../../web/review/screen/save-dialog.tsx';

const focused = (): string => document.activeElement?.textContent ?? '';

const stops = (): string[] =>
  [...root.querySelectorAll<HTMLElement>('button')]
    .filter(({ tabIndex }) => tabIndex === 0)
    .map(({ textContent }) => textContent ?? '');

function Group({ rows }: { rows: readonly (readonly string[])[] }) {
  const frame = useRef<HTMLDivElement>(null);
  useRoving(frame);
  const buttons = (names: readonly string[]) => names.map((name) => h('button', {}, name));
  const lines = rows.map((names) => h('li', { key: names[0] }, buttons(names)));
  return h('div', { ref: frame, tabIndex: -1 }, h('button', {}, 'head'), h('ul', {}, lines));
}

describe('a group of buttons', () => {
  const show = async (rows: string[][]) => {
    render(h(Group, { rows }), root);
    await drawn();
  };

  test('is one Tab stop, within which arrows, Home and End move', async () => {
    await show([
      ['a1', 'a2'],
      ['b1', 'b2'],
    ]);
    expect(stops()).toEqual(['head']);
    root.querySelector('button')!.focus();
    const walked: string[] = [];
    for (const key of 'ArrowRight ArrowDown ArrowRight ArrowUp ArrowLeft End Home'.split(' ')) {
      expect(await press(key)).toBe(true);
      walked.push(focused());
    }
    expect(walked).toEqual(['a1', 'b1', 'b2', 'a2', 'a1', 'b2', 'head']);
    expect(stops()).toEqual(['head']);
  });

  test('passes the focus on when a button disappears', async () => {
    await show([['a1'], ['b1'], ['c1']]);
    [...root.querySelectorAll('button')].find(({ textContent }) => textContent === 'b1')!.focus();
    await show([['a1'], ['c1']]);
    await drawn();
    expect([focused(), stops()]).toEqual(['c1', ['c1']]);
    await show([['a1']]);
    await drawn();
    expect(focused()).toBe('a1');
  });
});

describe('the list of captions', () => {
  function Desk({ isShown }: { isShown: boolean }) {
    useFocusFallback();
    return h(
      'div',
      {},
      isShown && h('button', {}, 'go'),
      h('textarea', {}),
      h('div', { class: 'cue-list', tabIndex: -1 }, 'captions'),
    );
  }
  const show = async (isShown: boolean) => {
    render(h(Desk, { isShown }), root);
    await drawn();
  };
  const settled = () => new Promise((resolve) => setTimeout(resolve, 50));

  test('takes the focus from a button that disappears when pressed, without scrolling', async () => {
    await show(true);
    const button = one('button', root);
    button.focus();
    const list = one('.cue-list', root);
    const given: unknown[] = [];
    const { focus } = list;
    list.focus = (options?: FocusOptions) => {
      given.push(options);
      focus.call(list, options);
    };
    button.dispatchEvent(new MouseEvent('click', { bubbles: true }));
    await show(false);
    await settled();
    expect(given).toEqual([{ preventScroll: true }]);
    expect(focused()).toBe('captions');
  });
});

test.each(['input', 'textarea', 'select', 'button', 'a', 'summary'])(
  'a letter belongs to the %s that has the focus',
  (name) => {
    const target = document.createElement(name);
    const key = (altKey: boolean) => {
      const event = new KeyboardEvent('keydown', { code: 'KeyL', altKey });
      target.dispatchEvent(event);
      return actionOf(event);
    };
    expect([key(false), key(true)?.id]).toEqual([undefined, 'forward']);
  },
);

const noop = () => {};

type Items = Parameters<typeof Menu>[0]['items'];

function Toolbar({ items }: { items: Items }) {
  const frame = useRef<HTMLDivElement>(null);
  useRoving(frame);
  return h(
    'div',
    { ref: frame },
    h('button', {}, 'before'),
    h(Menu, { label: 'Menu', items }),
    h('button', {}, 'after'),
  );
}

async function open(items: Items): Promise<HTMLElement> {
  render(h(Toolbar, { items }), root);
  await drawn();
  const button = control('Menu', root);
  await click(button);
  await until('the focus', () => document.activeElement?.closest('[role=menu]'));
  return button;
}

test('the keys of an open menu stay in it, in a toolbar and on the page', async () => {
  const seen: string[] = [];
  const see = ({ code }: KeyboardEvent) => seen.push(code);
  addEventListener('keydown', see);
  const button = await open([
    { label: 'a', run: noop },
    { label: 'b', checked: false, run: noop },
    { label: 'c', checked: false, run: noop },
  ]);
  const walked: string[] = [];
  for (const key of ['ArrowRight', 'ArrowDown', 'ArrowLeft', 'End', 'ArrowDown']) {
    await press(key);
    walked.push(focused());
  }
  expect(walked).toEqual(['a', 'b', 'b', 'c', 'a']);
  expect([await press('Home'), await press('End'), await press('KeyX')]).toEqual([
    true,
    true,
    false,
  ]);
  seen.length = 0;
  await press('Escape');
  removeEventListener('keydown', see);
  // Escape would also clear the selection, or leave the text.
  expect([seen, document.activeElement === button]).toEqual([[], true]);
});

test('an entry runs once its menu is closed and the focus is back', async () => {
  const places: unknown[] = [];
  const button = await open([
    { label: 'a', run: () => places.push(document.activeElement === control('Menu', root)) },
  ]);
  await click(control('a', root));
  expect([places, button.getAttribute('aria-expanded')]).toEqual([[true], 'false']);
});

describe('parts and fields', () => {
  test('a number stays within its bounds, and its field shows it', async () => {
    const value = signal(5);
    render(h(NumberField, { label: 'Lines', value, minimum: 2, maximum: 8, step: 1 }), root);
    const [slider, field] = all('input', root) as HTMLInputElement[];
    const typed = async (words: string) => {
      await type(field!, words, { enter: true });
      return [value.peek(), field!.value];
    };
    expect(await typed('9')).toEqual([8, '8']);
    expect(await typed('1')).toEqual([2, '2']);
    expect(await typed('')).toEqual([2, '2']);
    // A page that is drawn again meanwhile leaves what is being typed.
    await type(field!, '7');
    render(h(NumberField, { label: 'Lines', value, minimum: 2, maximum: 8, step: 1 }), root);
    await drawn();
    expect([value.peek(), field!.value]).toEqual([2, '7']);
    field!.dispatchEvent(new FocusEvent('blur'));
    await drawn();
    expect(field!.value).toBe('2');
    slider!.value = '6';
    slider!.dispatchEvent(new InputEvent('input', { bubbles: true }));
    await drawn();
    expect([value.peek(), field!.value]).toEqual([6, '6']);
  });

  test('the bar between two parts is moved by keys and by the pointer, within its bounds', async () => {
    const size = signal<number | null>(null);
    const about = {
      label: 'Width',
      direction: 'vertical',
      least: 20,
      most: 68,
      usual: 50,
    } as const;
    render(h(Splitter, { ...about, size, measure: () => size.peek() ?? 50 }), root);
    const bar = one('[role=separator]', root);
    bar.focus();
    const walked: unknown[] = [];
    for (const key of [
      'ArrowLeft',
      'ArrowRight',
      'End',
      'ArrowRight',
      'Home',
      'Enter',
      'ArrowUp',
    ]) {
      const isTaken = await press(key);
      walked.push(isTaken && size.peek());
    }
    expect(walked).toEqual([48, 50, 68, 68, 20, null, false]);
    await point(bar, 'pointerdown', 100);
    await point(bar, 'pointermove', 110);
    await point(bar, 'pointerup', 110);
    await point(bar, 'pointermove', 150);
    expect([size.peek(), bar.getAttribute('aria-valuenow')]).toEqual([60, '60']);
  });

  test('the buttons of a dialog act once it is closed, and Enter presses the first one', async () => {
    const did: unknown[] = [];
    const actions = ['Do', 'Other'].map((label) => ({
      label,
      run: () => did.push(label, one('dialog', root).hasAttribute('open')),
    }));
    const onClose = () => did.push('closed');
    const show = () => {
      render(null, root);
      did.length = 0;
      render(h(Dialog, { title: 'T', children: 'C', onClose, actions }), root);
      const dialog = one('dialog', root);
      // Browsers report only later that it is closed.
      Object.assign(dialog, { close: () => dialog.removeAttribute('open') });
      return dialog;
    };
    expect(show().hasAttribute('open')).toBe(true);
    await submit(one('form', root));
    expect(did).toEqual(['closed', 'Do', false]);
    show();
    await click(control('Other', root));
    expect(did).toEqual(['closed', 'Other', false]);
    const dialog = show();
    await click(control(text.close, root));
    dialog.dispatchEvent(new Event('close'));
    expect(did).toEqual(['closed']);
  });
});

afterEach(() => {
  jest.restoreAllMocks();
});

test('the newest words stay in view unless the user has scrolled back', async () => {
  const heard = signal([{ text: 'One.', start: 0, end: 1 }]);
  render(h(PartialTranscript, { heard: heard as never }), root);
  const box = one('.heard-words', root);
  let height = 500;
  Object.defineProperties(box, {
    scrollHeight: { get: () => height },
    clientHeight: { get: () => 100 },
  });
  const say = async (words: string) => {
    height += 100;
    heard.value = [...heard.peek(), { text: words, start: 1, end: 2 }];
    await drawn();
  };
  const scroll = (to: number) => {
    box.scrollTop = to;
    box.dispatchEvent(new Event('scroll'));
  };
  await say('Two.');
  expect(box.scrollTop).toBe(600);
  // 48 pixels from the end is too far to follow.
  scroll(452);
  await say('Three.');
  expect(box.scrollTop).toBe(452);
  scroll(553);
  await say('Four.');
  expect(box.scrollTop).toBe(800);
});

test('screen readers announce the first words and, once a minute, the time they reach', async () => {
  const every = spyOn(globalThis, 'setInterval');
  const heard = signal([{ text: 'One.', start: 0, end: 61 }]);
  render(h(PartialTranscript, { heard: heard as never }), root);
  await drawn();
  const announced = () => one('[role=status]', root).textContent;
  expect(announced()).toBe(text.run.heardFirst);
  const [tick, ms] = every.mock.calls.find(([, time]) => time === 60_000)!;
  expect(ms).toBe(60_000);
  heard.value = [...heard.peek(), { text: 'Two.', start: 61, end: 125 }];
  await drawn();
  expect(announced()).toBe(text.run.heardFirst);
  (tick as () => void)();
  await drawn();
  expect(announced()).toBe(text.run.heardUntil(125));
});

test('only a failure that is not of the file is tried again, and a command shown where it may help', () => {
  const failure = (error: unknown) => {
    const { isOfFile, showCommand } = failureOf(error);
    return [isOfFile, showCommand];
  };
  expect(failure(new ConversionError('failed', ''))).toEqual([false, true]);
  expect(failure(new ConversionError('codec_unsupported', ''))).toEqual([true, true]);
  expect(failure(new ConversionError('too_large', ''))).toEqual([true, false]);
  expect(failure(new TypeError('x is not a function'))).toEqual([false, false]);
});

test('the command for an MP3 names the file as a shell reads it', () => {
  Object.assign(server, { ffmpegCommand: 'ffmpeg -i input.mp4 output.mp3' });
  render(h(Mp3Command, { name: "it's $& 1.2.mov" }), root);
  expect(one('code', root).textContent).toBe(
    "ffmpeg -i 'it'\\''s $& 1.2.mov' 'it'\\''s $& 1.2.mp3'",
  );
});

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
  render(null, root);
  const desk = { review, service } as never;
  render([h(SavedWhere, { desk }), h(FinishButton, { desk })], root);
}

const said = (): [string | null, string] => {
  const { textContent, className } = one('.saving', root);
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
  const buttons = (state: State) => {
    show(state);
    return all('button', root).map(({ textContent }) => textContent);
  };
  expect([buttons({ isSignedIn: false }), buttons({ state: null })]).toEqual([[], []]);
  expect(buttons({})).toEqual([termsText.finish]);
  await click(one('button', root));
  expect(finishing.value).toBe(true);
  finishing.value = false;
});

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
  const desk = { review: { ...review, runId: 'run_1', role }, service: signal(service) };
  render(h(SaveNotice, { desk } as never), root);
  expect(root.textContent).toContain(saveText.news(1));
  role.value = 'following';
  await drawn();
  expect(root.textContent).toBe('');
});

test('changes that were read are not reported again, and those that are dismissed neither', async () => {
  const news = [{ before: [], after: [cue(3, 'Two.')] }];
  const service = serviceWith({ news });
  render(
    h(SaveNotice, {
      desk: { review: { ...review, runId: 'run_1' }, service: signal(service) },
    } as never),
    root,
  );
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
  ['an MP3', 'skipped'],
  ['a video', 'done'],
] as const)(
  'nothing is said to be uploaded before somebody has signed in: %s',
  async (_, state) => {
    const signedIn = session.peek();
    session.value = null;
    const job = makeJob('talk.mp3', () => {});
    const says = () => one('.step-label', root).textContent;
    render(h(JobScreen, { job } as never), root);
    expect(says()).toBe(progressText.reading);
    job.conversion.value = { ...job.conversion.peek(), state, fraction: 1 };
    await until('the wait', () => says() === progressText.signIn);
    job.upload.value = { ...job.upload.peek(), state: 'active' };
    await until('the upload', () => says() === progressText.uploading);
    session.value = signedIn;
  },
);

/** A desk whose review has so many open terms, and with whose run this stays. */
const deskWith = (term: number, media: { sound?: object; video?: object } = {}) => {
  const went: string[] = [];
  const navigation = {
    left: signal({ term, doubt: 48 * Math.sign(term), warning: 0 }),
    go: (_step: number, kinds: string[]) => went.push(...kinds),
  };
  const [tab, part] = [signal('report'), signal('captions')];
  const recording = {
    stays: signal({ sound: null, video: null, ...media }),
    askAgain: async () => {},
  };
  const check = { busy: signal(false), violations: signal([]) };
  return { review: { ...review, runId: 'run_1' }, recording, navigation, check, tab, part, went };
};

test('finishing counts what is open, goes there, and finishes nothing until it is asked to', async () => {
  ask = async () => Response.json({ automatic: true, rules: [] });
  let finished = 0;
  const service = { ...serviceWith({}), finish: async () => (finished += 1) > 0 };
  const desk = deskWith(2);
  let closed = 0;
  const onClose = () => (closed += 1);
  render(h(FinishDialog, { desk, service, onClose } as never), root);
  const parts = () => all('.open-parts button', root).map(({ textContent }) => textContent);
  expect(parts()).toEqual([text.review.leftTerms(2), text.review.leftDoubts(48)]);
  await click(control(text.review.leftDoubts(48), root));
  expect([desk.tab.value, desk.part.value, desk.went, closed, finished]).toEqual([
    'doubts',
    'check',
    ['doubt'],
    1,
    0,
  ]);
  await click(control(termsText.openFinish, root));
  await until('the end', () => root.textContent.includes(termsText.finished));
  expect(finished).toBe(1);
});

test('what a finish deletes is said before, and nothing is saved until it is agreed to', async () => {
  ask = async () => Response.json({ automatic: true, rules: [] });
  let saves = 0;
  const service = {
    ...serviceWith({}),
    finish: async () => {
      saves += 1;
      return true;
    },
  };
  const desk = deskWith(0, { sound: { bytes: 1 }, video: { bytes: 1 } });
  render(h(FinishDialog, { desk, service, onClose() {} } as never), root);
  const parts = ['sound', 'video'] as const;
  expect([root.textContent.includes(termsText.finishEnds(parts)), saves]).toEqual([true, 0]);
  await click(control(termsText.finishNow(parts), root));
  await until('the end', () => root.textContent.includes(termsText.finishEnded(parts)));
  expect(saves).toBe(1);
});

test.each([
  ['saved', true, [], `${termsText.finished}${termsText.noQuestions}`],
  ['in conflict', false, [{}], termsText.conflict],
  ['not saved', false, [], termsText.notYet],
])('a review that is %s when it is finished says so', async (_, isSaved, conflicts, says) => {
  ask = async () => Response.json({ automatic: true, rules: [] });
  const finished = Promise.withResolvers<boolean>();
  const service = { ...serviceWith({ conflicts }), finish: () => finished.promise };
  const desk = deskWith(0);
  render(h(FinishDialog, { desk, service, onClose() {} } as never), root);
  const body = () => one('.dialog-body', root).textContent.replace(termsText.all, '');
  expect(body()).toBe(termsText.saving);
  finished.resolve(isSaved);
  await until('the end', () => body() === says);
});

test.each(['new_term', 'new_mishear', 'risky_word'] as const)(
  'a replacement that was remembered is not asked about when the review is finished: %s',
  async (kind) => {
    const rule = (surface: string) => ruleOf(surface, { kind, surface, canonical: 'Brexit Fast' });
    const terms = [{ canonical: 'Brexit Fast', mishears: ['breakfast'] }];
    ask = async (url) =>
      Response.json(
        url.includes('/rules')
          ? { automatic: true, rules: [rule('Breakfast'), rule('break fast')] }
          : { terms, limit: 1000 },
      );
    const service = { ...serviceWith({}), finish: async () => true };
    const desk = deskWith(0);
    render(h(FinishDialog, { desk, service, onClose() {} } as never), root);
    await until('the question', () => root.textContent.includes(termsText.questions(1)));
    expect(root.textContent).not.toContain('Breakfast');
  },
);

test('translations are offered into what translates there can do', () => {
  const before = { ...server };
  const shared = { stage: 'translation', configured: true, limits: '' } as const;
  const host = { ...shared, engine: 'host', isDefault: false };
  const providers = [
    { ...host, name: 'edge', model: 'bergamot', directions: hostDirections() },
    { ...shared, isDefault: true, name: 'groq', model: 'a-model' },
    { ...host, name: 'apertium', model: 'apertium', directions: ['en>es', 'es>en-US'] },
  ];
  const offered = (from: string) => {
    render(h(TranslateDialog, { from, taken: [], start() {}, onClose() {} }), root);
    const [into] = all('dialog select', document) as HTMLSelectElement[];
    return [...(into?.options ?? [])].map(({ value }) => value);
  };
  Object.assign(server, { providers });
  expect(offered('en')).toContain('th');
  // The server’s own models know some languages only, and Thai is none of them.
  render(null, root);
  Object.assign(server, { providers: providers.slice(0, 1) });
  expect(new Set(offered('en').map((tag) => `en>${tag}`))).toEqual(
    new Set(hostDirections().filter((direction) => direction.startsWith('en>'))),
  );
  render(null, root);
  expect(offered('de-AT')).toContain('en');
  render(null, root);
  Object.assign(server, { providers: providers.slice(2) });
  expect(offered('es').every((tag) => tag.startsWith('en'))).toBe(true);
  render(null, root);
  expect(offered('th')).not.toContain('de');
  expect(document.body.textContent).toContain(translationText.dialog.notFrom);
  render(null, root);
  Object.assign(server, before);
});
