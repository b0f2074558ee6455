/** The panels, menus and dialogs of the review. */
import { expect, test, beforeEach, describe } from 'bun:test';
import { text } from '../../support/browser/words.ts';
import {
  scriptText,
  house,
  rebuildText,
  profiles,
} from '../../../web/texts/profiles-and-rebuilding.ts';
import {
  all,
  buttonOf,
  drawn,
  field,
  has,
  input,
  one,
  said,
  texts,
  times,
  until,
  current,
  goToStart,
  openRun,
  control,
  openApp,
  openFile,
  pageText,
  refusal,
  rows,
} from './support/app.ts';
import { click, press, submit, type, giveFiles, choose } from './support/hands.ts';
import {
  command,
  dialog,
  isGone,
  isOpen,
  menu,
  useLines,
  status,
  number,
  openHouse,
  closeDialog,
  LINES,
  open,
  panel,
  tab,
  checkBy,
} from './support/dialogs.ts';
import { CORRECTIONS, ruleOf, words, srtOf } from './support/talks.ts';
import { completedRun } from '../../support/servers/completed-run.ts';
import { sheet } from '../../../web/texts/keys.ts';
import { saved } from './support/page.ts';
import { termsText } from '../../../web/texts/terms.ts';

const says = text.review;
const ann = await openApp();

describe('the dialogs', () => {
  useLines();

  const keyButton = (name: string) =>
    all('.keys button').find((button) => button.textContent?.includes(name))!;

  test('the palette finds a command by part of its name and runs it', async () => {
    await press('Ctrl+KeyK');
    await isOpen();
    const query = input(says.paletteAsk);
    await type(query, 'merge with');
    const options = () =>
      all('[role=option]').map((option) => option.getAttribute('aria-selected'));
    expect(options()).toEqual(['true', 'false']);
    await press('ArrowDown', query);
    expect(options()).toEqual(['false', 'true']);
    await press('ArrowDown', query);
    expect(options()).toEqual(['true', 'false']);
    await press('ArrowUp', query);
    await press('ArrowUp', query);
    await press('Enter', query);
    await isGone();
    expect(texts()).toHaveLength(2);
  });

  test('a command gets another shortcut, and then its default again', async () => {
    await press('?', document.body);
    await press('Shift+Slash', document.body);
    if (!dialog()) await click(says.keys);
    await isOpen();
    const insert = keyButton('Insert a caption');
    await click(insert);
    expect(insert.textContent).toContain(says.pressKey);
    await press('Ctrl+Alt+KeyY', insert);
    expect(one('kbd', insert).textContent).toContain('Y');
    expect(has(says.keysReset)).toBe(true);
    await click(text.close);
    await isGone();
    field(1).focus();
    await press('Ctrl+Alt+KeyY');
    expect(texts()).toHaveLength(4);
    expect(await press('Alt+KeyI')).toBe(false);
    await click(says.keys);
    await isOpen();
    await click(says.keysReset);
    await click(text.close);
    await isGone();
    field(1).focus();
    await press('Alt+KeyI');
    expect(texts()).toHaveLength(5);
  });

  test('the comparison shows the changes word by word', async () => {
    await click(says.compare);
    await isOpen();
    expect(dialog()!.textContent).toContain(says.compareNone);
    await click(text.close);
    await isGone();
    await type(field(3), 'Good morning.');
    await click(says.compare);
    await isOpen();
    expect(dialog()!.textContent).toContain(says.compareCount(1));
    expect([one('.differences del').textContent, one('.differences ins').textContent]).toEqual([
      'night',
      'morning',
    ]);
    await click(text.close);
    await isGone();
    await type(input(says.cueStart(3)), '6.5', { enter: true });
    await click(says.compare);
    await isOpen();
    expect(one('.differences .hint').textContent).toBe(`00:06.5 · ${says.compareTimes}`);
  });

  test('captions are shifted from the current one on', async () => {
    field(2).focus();
    await drawn();
    await menu(says.timing, says.shift);
    const by = await until('the form', () =>
      document.querySelector<HTMLInputElement>('form.shift input'),
    );
    await type(by, 'a bit');
    await submit(by.form!);
    await until('the refusal', () => said() === text.review.badShift);
    await type(by, '0.5');
    await submit(by.form!);
    await until('no form', () => !document.querySelector('form.shift'));
    expect([times(1)[0], times(2)[0], times(3)[0]]).toEqual([
      '00:00:00,000',
      '00:00:03,500',
      '00:00:06,500',
    ]);
  });

  test('a script decides on open terms: it accepts those it contains, and rejects the others', async () => {
    await openRun(ann, words, CORRECTIONS);
    const talk = texts().join(' ').replaceAll('\n', ' ');
    const [first, ...others] = talk.split('off kit');
    await menu(says.more, says.script);
    await isOpen();
    await type(input(scriptText.label), `${first}AuthKit${others.join('off kit')}`);
    await click(scriptText.align);
    await until('the differences', () => status().includes('It differs'));
    await click(scriptText.use);
    await isGone();
    await until('the terms', () => all('.term .state').length === 2);
    expect(all('.term .state').map(({ textContent }) => textContent)).toEqual([
      says.decisions.accepted,
      says.decisions.rejected,
    ]);
    await click(says.undo);
    expect(all('.term .state').map(({ textContent }) => textContent)).toEqual([
      says.decisions.open,
      says.decisions.open,
    ]);
  });

  test('captions are copied as SRT, or the browser’s refusal is reported', async () => {
    let copied = '';
    let refuses = false;
    Object.defineProperty(navigator, 'clipboard', {
      configurable: true,
      value: {
        async writeText(words: string) {
          if (refuses) throw new TypeError('no');
          copied = words;
        },
      },
    });
    await command('copy');
    await until('the answer', () => said() === says.copied);
    expect(copied).toStartWith('1\n00:00:00,000 --> 00:00:02,000\nThey shipped a server.\n');
    refuses = true;
    await command('copy');
    await until('the answer', () => said() === says.notCopied);
  });

  test('files are chosen by Ctrl+O', async () => {
    const { click: clickInput } = HTMLInputElement.prototype;
    const asked: HTMLInputElement[] = [];
    HTMLInputElement.prototype.click = function open(this: HTMLInputElement) {
      asked.push(this);
    };
    try {
      await press('Ctrl+KeyO', field(1));
      const asking = await until('the dialog', () => asked[0]);
      expect([asking.type, asking.multiple, asking.accept.split(',').includes('.srt')]).toEqual([
        'file',
        true,
        true,
      ]);
      await giveFiles(asking, [new File([srtOf('Other.', 'Words.')], 'other.srt')]);
      await until('the other review', () => texts()[0] === 'Other.');
      expect(current()).toBe(1);
      await goToStart();
      // The page listens for the key once it is drawn.
      await until('the key', () => press('Ctrl+KeyO', document.body));
      expect(asked).toHaveLength(2);
      expect(await press('KeyO', document.body)).toBe(false);
      await giveFiles(asked[1]!, [new File(['x'], 'talk.mp3')]);
      await until('the choice', () => one('.drop-title').textContent.includes('talk.mp3'));
    } finally {
      HTMLInputElement.prototype.click = clickInput;
    }
  });

  const removals = () =>
    all('dialog button').filter(({ textContent }) => textContent === house.remove).length;

  test('a house profile is saved as a file, deleted, and opened again', async () => {
    await openHouse();
    saved.clear();
    await click(house.download);
    expect([status(), saved.size]).toEqual([house.nameFirst, 0]);
    await type(input(house.name), ' Our house! ');
    await choose(input(house.base), 'netflix');
    await type(number(house.maxLineChars), '30', { enter: true });
    await type(number(house.minDuration), '6', { enter: true });
    await type(number(house.maxDuration), '5', { enter: true });
    await click(house.save);
    expect(status()).toBe(house.order);
    await type(number(house.minDuration), '1', { enter: true });
    saved.clear();
    await click(house.download);
    expect([...saved.keys()]).toEqual(['Our-house.json']);
    const file = await saved.get('Our-house.json')!.text();
    const rules = { maxLineChars: 30, minDuration: 1, maxDuration: 5 };
    expect(JSON.parse(file)).toMatchObject({ name: 'Our house!', base: 'netflix', ...rules });
    expect(status()).toBe(house.saved('Our house!'));
    await click(control(house.remove, dialog()!));
    expect([status(), input(house.name).value, removals()]).toEqual([
      house.removed('Our house!'),
      '',
      0,
    ]);
    const choice = () => one('dialog input[type=file]');
    await giveFiles(choice(), []);
    await giveFiles(choice(), [new File([file], 'ours.json')]);
    await until('what came of it', () => status() === house.opened('Our house!'));
    expect([
      (one('#house-which') as HTMLSelectElement).value,
      number(house.maxLineChars).value,
    ]).toEqual(['Our house!', '30']);
    await giveFiles(choice(), [new File(['{"name": 1}'], 'wrong.json')]);
    await until('the refusal', () => status().startsWith(house.wrong));
    expect(all('dialog [role=status] p').length).toBeGreaterThan(1);
    await giveFiles(choice(), [new File([new Uint8Array(64 * 1024 + 1)], 'large.json')]);
    await until('the refusal', () => status().endsWith(house.tooLarge));
    // Choosing another profile removes the messages.
    await choose(one('#house-which') as HTMLSelectElement, '');
    expect([status(), input(house.name).value]).toEqual(['', '']);
    // A new profile is based on the rules shown last.
    expect(input(house.base).value).toBe('netflix');
    await closeDialog();
  });

  const shown = (button: Element) =>
    [...button.querySelectorAll('kbd')].map(({ textContent }) => textContent);

  test('while a shortcut is being recorded, Escape and leaving the field change nothing, and modifiers alone do not count', async () => {
    await click(says.keys);
    await isOpen();
    const insert = keyButton('Insert a caption');
    const before = shown(insert);
    await click(insert);
    expect(insert.className).toBe('waiting');
    await press('Shift+ShiftLeft', insert);
    expect(insert.textContent).toContain(sheet.pressKey);
    expect(await press('Tab', insert)).toBe(false);
    expect(insert.textContent).toContain(sheet.pressKey);
    expect(await press('Escape', insert)).toBe(true);
    expect([shown(insert), insert.className, dialog() !== null]).toEqual([before, '', true]);
    await click(insert);
    insert.dispatchEvent(new FocusEvent('blur'));
    await drawn();
    expect([shown(insert), insert.className]).toEqual([before, '']);
    await click(insert);
    await click(insert);
    expect([shown(insert), insert.className]).toEqual([before, '']);
    // While no shortcut is being recorded, a key does what it always does.
    expect(await press('KeyQ', insert)).toBe(false);
    expect(has(sheet.keysReset)).toBe(false);
    await closeDialog();
  });

  test('captions are rebuilt with other settings, after a preview of the outcome', async () => {
    await menu(says.more, says.rebuild);
    await isOpen();
    const chars = all('input[type=number]')[0] as HTMLInputElement;
    await type(chars, '20', { enter: true });
    const most = Number(chars.value);
    expect(most).toBeLessThan(42);
    await until('the outcome', () => /becomes? /.test(status()));
    await click(rebuildText.run);
    await isGone();
    expect(said()).toBe(rebuildText.done(texts().length));
    expect(
      texts()
        .flatMap((each) => each.split('\n'))
        .every((line) => line.length <= most),
    ).toBe(true);
    expect(texts().join(' ').replaceAll('\n', ' ')).toBe(LINES.join(' '));
    await click(says.undo);
    expect(texts()).toEqual(LINES);
  });

  test('only the lines of the selected captions are re-broken', async () => {
    await click(control(says.goTo(2)), { ctrlKey: true });
    await menu(says.more, says.rebuild);
    await isOpen();
    expect(dialog()!.textContent).toContain(rebuildText.selected(2));
    await choose(input(rebuildText.linesOnly), true);
    await until('the outcome', () => status() !== '');
    await until(
      'a change',
      () => status() === rebuildText.become(1, 1) || status() === rebuildText.become(2, 2),
    );
    expect(has(text.format.maxDuration)).toBe(false);
    await click(rebuildText.run);
    await isGone();
    expect(texts()).toHaveLength(3);
    expect(texts()[1]).toContain('\n');
  });

  test('a script is aligned: its words, at the times of the captions', async () => {
    await menu(says.more, says.script);
    await isOpen();
    await click(scriptText.align);
    expect(status()).toBe(scriptText.empty);
    const script =
      'They shipped the server. It works for the team and for us all, day and night. Good night.';
    await type(input(scriptText.label), script);
    await click(scriptText.align);
    await until('the differences', () => status().includes(scriptText.differences(1)));
    expect([one('.differences del').textContent, one('.differences ins').textContent]).toEqual([
      'a',
      'the',
    ]);
    expect(dialog()!.textContent).not.toContain(scriptText.unlike);
    await click(scriptText.again);
    expect(input(scriptText.label).value).toBe(script);
    await click(scriptText.align);
    await click(scriptText.use);
    await isGone();
    expect(texts().join(' ').replaceAll('\n', ' ')).toBe(script);
    expect(said()).toBe(scriptText.done(texts().length));
  });

  test.each([
    ['three', 'They shipped a boat. Six other words go here now.', true],
    ['four', 'They shipped a server. Six other words go here now.', false],
    ['seven', 'They shipped a server. Good night for words go now.', false],
  ])(
    'a script of which %s words in ten are heard causes a warning: %p',
    async (_, script, warns) => {
      await menu(says.more, says.script);
      await isOpen();
      await type(input(scriptText.label), script);
      await click(scriptText.align);
      await until('the differences', () => status().includes('It differs'));
      expect(dialog()!.textContent.includes(scriptText.unlike)).toBe(warns);
      await click(text.cancel);
    },
  );

  test('a script can be read from a file, and one that is too large is refused', async () => {
    await menu(says.more, says.script);
    await isOpen();
    const choice = one('dialog input[type=file]');
    await giveFiles(choice, [new File([new Uint8Array(5_000_001)], 'book.txt')]);
    expect([status(), input(scriptText.label).value]).toEqual([scriptText.tooLarge, '']);
    await giveFiles(choice, [new File(['.'.repeat(5_000_000)], 'thick.txt')]);
    expect(status()).toBe('');
    await until('the script', () => input(scriptText.label).value.length === 5_000_000);
    await giveFiles(choice, [new File([`\ufeff${LINES.join('\n')}`], 'talk.txt')]);
    await until('the script', () => input(scriptText.label).value === LINES.join('\n'));
    expect(status()).toBe('');
  });
});

describe('the check', () => {
  beforeEach(async () => {
    await openRun(ann, words, CORRECTIONS);
    field(1).focus();
  });

  const whole = () => texts().join(' ').replaceAll('\n', ' ');

  test('a term is accepted at one place, and then everywhere', async () => {
    const acceptAll = says.acceptAllLabel('off kit', 'AuthKit', 2);
    await until('the terms', () => has(acceptAll));
    const time = all('.term-sentence')[0]!.getAttribute('title')!.replace('Go to ', '');
    await click(says.acceptLabel('off kit', 'AuthKit', time));
    expect([whole().split('AuthKit').length, tab('terms').textContent]).toEqual([
      2,
      says.tabs.terms(1),
    ]);
    const marked = () => all('.term-sentence mark').map(({ textContent }) => textContent);
    expect(marked()).toEqual(['AuthKit', 'off kit']);
    await click(acceptAll);
    expect([whole().includes('off kit'), tab('terms').textContent]).toEqual([
      false,
      says.tabs.terms(0),
    ]);
    await click(says.undo);
    expect(whole().split('off kit')).toHaveLength(2);
    await click(says.neverLabel('off kit', 'AuthKit'));
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

test('a turn of an uncertain speaker is a doubt: counted, listed, visited by the key, and confirmed', async () => {
  const { database } = ann.service.services;
  const sure = words.map((word) => ({ ...word, confidence: 1 }));
  const { runId, result, cues } = await completedRun(database, ann.organizationId, sure);
  const last = cues.at(-1)!;
  const doubtfulTurns = [
    { start: last.start, end: last.end },
    // Nothing is written there.
    { start: last.end + 60, end: last.end + 62 },
  ];
  const { transcript } = result;
  const metadata = { ...transcript.metadata, doubtfulTurns };
  const changed = JSON.stringify({ ...result, transcript: { ...transcript, metadata } });
  await database.updateTable('runs').set({ result: changed }).where('id', '=', runId).execute();
  await goToStart();
  location.hash = `#/runs/${runId}`;
  await until('the desk', () => document.querySelector('[data-tab=doubts]'));
  await open('doubts');
  await until('the list', () => panel().includes(says.uncertain(1)));
  expect(tab('doubts').textContent).toBe(says.tabs.doubts(1));
  expect(one('.desk-title .left').textContent).toContain(says.leftDoubts(1));
  await press('F9');
  expect(current()).toBe(cues.length);
  await click(one(`.term-actions [title="${says.speakerRight}"]`));
  await until('none is left', () => tab('doubts').textContent === says.tabs.doubts(0));
  await click(says.undo);
  await until('it is back', () => panel().includes(says.uncertain(1)));
});

test('once no caption is left, nothing is judged', async () => {
  await openFile(srtOf('Good night.'));
  field(1).focus();
  expect(one('.time-buttons-for').textContent).toBe(says.current(1));
  await press('Alt+Delete', field(1));
  expect(one('.time-buttons-for').textContent).toBe('');
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
  const before = texts();
  /** Which captions have changed. */
  const changed = () => [0, 1, 2].filter((at) => texts()[at] !== before[at]);
  const undone = async () => {
    const after = texts();
    await click(says.undo);
    return after;
  };
  await click(control(profiles.fixLabel(1, 'line_length')));
  expect(changed()).toEqual([0]);
  await undone();
  // The button in the caption fixes it too.
  await click(all('.cue[data-id="2"] .cue-warnings button')[0]!);
  await until('the fix', () => changed().join() === '1');
  await undone();
  const rule = one(`section.rule[aria-label="${profiles.rules['line_length']}"]`);
  await click(buttonOf(profiles.fixAll(2), rule));
  expect([changed(), said()]).toEqual([[0, 1], says.fixedMany(2)]);
  await undone();
  // The key fixes by these rules, not by the limits of the run.
  await press('Alt+Shift+KeyF', field(1));
  expect([changed(), said()]).toEqual([[0, 1], says.fixedMany(2)]);
  const fixed = await undone();
  await click(buttonOf('Fix everything', one('[role=tabpanel]')));
  expect([texts(), said()]).toEqual([fixed, says.fixedMany(2)]);
  await until('less is left', () =>
    rules().every((each) => !each.startsWith(profiles.rules['line_length']!)),
  );
});

test('finishing a review may ask what to learn from it', async () => {
  const rule = ruleOf('r1');
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
  await until('what is open', () => has(termsText.openFinish));
  await click(termsText.openFinish);
  await until('the questions', () => pageText().includes(termsText.questions(2)));
  expect(sent).toEqual([`?state=proposed&runId=${location.hash.split('/').at(-1)}`]);
  await click(buttonOf(termsText.yes, all('.rule')[0]));
  await until('one is left', () => pageText().includes(termsText.questions(1)));
  expect(sent[1]).toEqual({ state: 'applied' });
  isRefused = true;
  await click(buttonOf(termsText.no, all('.rule').at(-1)));
  await until('the refusal', () => pageText().includes('Somebody was faster.'));
  expect(one('dialog a').getAttribute('href')).toBe('#/terms');
});
