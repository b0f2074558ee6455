/** The desk without its page: commands, open items, seeking, the selection, and stored settings. */
import { afterAll, beforeEach, describe, expect, test } from 'bun:test';
import { text } from '../../support/browser/words.ts';
import { magnetsOf } from '../../../web/review/desk/commands.ts';
import { settings } from '../../../web/review/editing/settings.ts';
import { desk } from '../support/desk.ts';
import { putCursor, usePage } from '../support/page.ts';
import { correction, texts } from './support.ts';

usePage();

const said = ({ review }: ReturnType<typeof desk>) => texts(review.cues.value);
const five = () => desk(['One.', 'Two.', 'Three.', 'Four.', 'Five.']);

test("a caption is inserted after the current one, or at the recording's position after the last", () => {
  const opened = desk(['One.', 'Two.']);
  opened.go(2);
  opened.playback.seek(20);
  opened.commands.insert();
  expect(opened.review.cues.value.at(-1)?.start).toBe(20);
  // Before the last, it follows the current caption wherever the recording is.
  opened.go(1);
  opened.commands.insert();
  expect([said(opened), opened.at()]).toEqual([['One.', '', 'Two.', ''], 2]);
  for (let times = 0; times < 9; times += 1) {
    opened.go(1);
    opened.commands.insert();
  }
  expect(opened.review.message.value).toBe(text.review.noRoom);
});

test('the next warning is the own one of the caption in which the cursor is, then those after it', () => {
  const fast = 'There are far too many words in this caption for its two seconds.';
  const opened = desk([fast, 'Two.', fast]);
  putCursor(opened.review.cues.value[0]!.id, 5);
  const visited = [1, 2, 3].map(() => {
    opened.navigation.go(1, ['warning']);
    return [opened.at(), opened.review.message.value === ''];
  });
  expect(visited).toEqual([
    [1, true],
    [3, true],
    [1, false],
  ]);
});

test('a sound is described with one key: where it is heard, in a gap, or before the words of a caption', async () => {
  const opened = desk(['One.', 'Two.'], [], [{ start: 20, end: 24 }]);
  const describeAt = async (
    time: number,
    sound: Parameters<typeof opened.commands.describeSound>[0],
  ) => {
    opened.playback.seek(time);
    await opened.commands.describeSound(sound);
    const { start, end, lines } = opened.review.cues.value[opened.at() - 1]!;
    return [start, end, lines.join('|')];
  };
  expect(await describeAt(22, 'applause')).toEqual([20, 24, '[applause]']);
  expect(await describeAt(8, 'laughter')).toEqual([8, 10, '[laughter]']);
  opened.go(1);
  expect(await describeAt(0.5, 'music')).toEqual([0, 2, '[music]|One.']);
  expect(opened.review.reveal.value?.select).toEqual([7, 7]);
  expect(await describeAt(0.5, null)).toEqual([0, 2, '[] [music]\nOne.'.replace('\n', '|')]);
  // Between the captions is no room for one of its own.
  opened.go(2);
  settings.profile.value = 'bbc';
  expect((await describeAt(2.5, 'laughter'))[2]).toBe('LAUGHTER|Two.');
  settings.profile.value = '';
  for (let times = 0; times < 5; times += 1) opened.commands.undo();
  expect(said(opened)).toEqual(['One.', 'Two.']);
});

test('lines are broken again, of the current caption or of all that are selected; words become italic', () => {
  const torn = desk(['One\ntwo.', 'Three\nfour.', 'Five\nsix.']);
  torn.commands.rebreak();
  expect(said(torn)).toEqual(['One two.', 'Three\nfour.', 'Five\nsix.']);
  torn.selection.extendTo(2);
  torn.commands.rebreak();
  expect(said(torn)).toEqual(['One two.', 'Three four.', 'Five six.']);
  torn.commands.rebreak();
  expect(torn.review.message.value).toBe(text.review.linesRight);
  torn.commands.italics([0, 3]);
  expect(said(torn)[0]).toBe('<i>One</i> two.');
});

test('edges snap according to the settings, and to frames only if their rate is known', () => {
  const { review } = five();
  const all = [settings.snapSpeech, settings.snapShots, settings.snapFrames];
  const before = all.map((each) => each.peek());
  const snapsTo = (rate: number | null, on: boolean) => {
    for (const each of all) each.value = on;
    return magnetsOf(
      review,
      () => rate,
      () => [3.5],
    )();
  };
  expect(snapsTo(25, true)).toEqual({ words: review.words, shots: [3.5], frame: 0.04 });
  expect(snapsTo(null, true).frame).toBeUndefined();
  expect(snapsTo(25, false)).toEqual({ words: undefined, shots: undefined, frame: undefined });
  for (const [at, each] of all.entries()) each.value = before[at]!;
});

test('a selection of two is shifted without the others; an edge does not pass the other one, and says why', () => {
  const opened = five();
  const starts = () => opened.review.cues.value.map(({ start }) => Math.round(start * 100) / 100);
  opened.go(1);
  opened.selection.toggle(2);
  opened.commands.shift(0.5);
  expect(starts()).toEqual([0.5, 3.5, 6, 9, 12]);
  opened.selection.clear();
  opened.go(2);
  opened.commands.nudgeEdge('end', 0.1);
  expect(opened.review.cues.value[1]).toMatchObject({ start: 3.5, end: 5.6 });
  opened.go(3);
  opened.playback.seek(9);
  opened.commands.startHere();
  expect([starts()[2], opened.review.message.value]).toEqual([6, expect.stringMatching(/./)]);
});

const LONG = 'This line is a good deal longer than the limit of its run allows';

test('open items follow one another in the order of the talk', () => {
  const { review, navigation, at, go } = desk(
    ['We use off kit.', LONG, 'Nothing.', 'Here off kit is, and off kit.', LONG],
    [correction('c', 10.5), correction('a', 0.5), correction('b', 9.5)],
  );
  go(1);
  /** Goes to the next one, and puts the cursor there like the page; returns the caption and the place in it. */
  const step = (by: 1 | -1): readonly [number, unknown] => {
    navigation.go(by);
    const { id = 0, select } = review.reveal.value ?? {};
    putCursor(id, typeof select === 'object' ? select[0] : 0);
    return [at(), select];
  };
  const ahead = Array.from({ length: 6 }, () => step(1));
  const places = [
    [1, [7, 14]],
    [2, 'start'],
    [4, [5, 12]],
    [4, [21, 28]],
    [5, 'start'],
  ] as const;
  // After the last comes the first.
  expect(ahead).toEqual([...places, places[0]]);
  expect(review.message.value).toBe(text.review.wrapped(true));
  expect(Array.from({ length: 5 }, () => step(-1))).toEqual(places.toReversed());
  expect(review.message.value).toBe('');
});

test('the first step does not skip the warning of the caption where it begins', () => {
  const { navigation, at, go } = desk([LONG, 'Nothing.', LONG]);
  go(1);
  const visited = [1, 1, 1].map(() => {
    navigation.go(1, ['warning']);
    return at();
  });
  expect(visited).toEqual([1, 3, 1]);
});

describe('seeking', () => {
  /** Captions at 0–2, 3–5, 6–8, 9–11 and 12–14 s. */
  test.each([
    ['in a caption', 7, 1, 3],
    ['at its first moment', 6, 1, 3],
    ['in a gap, beside which the current one ends', 5.5, 2, 2],
    ['in a gap, beside which the current one starts', 5.5, 3, 3],
    ['in another gap', 5.5, 1, 2],
    ['behind the last', 50, 1, 5],
  ])('makes the caption there current: %s', (_, time, from, to) => {
    const { navigation, at, go, playback } = five();
    go(from);
    navigation.seek(time);
    expect([at(), playback.time.value]).toEqual([to, time]);
  });
  test('leaves the current caption where it is turned off, or by a key in a text, where a pointer takes the cursor along', () => {
    const { navigation, review, at, go } = five();
    go(1);
    settings.seekSelects.value = false;
    navigation.seek(7);
    expect(at()).toBe(1);
    settings.seekSelects.value = true;
    putCursor(1, 2);
    navigation.seek(7);
    expect([at(), review.reveal.value]).toEqual([1, null]);
    navigation.seek(7, true);
    expect([at(), review.reveal.value]).toEqual([3, { id: 3 }]);
  });
});

test('a selection by steps starts at the current caption, and shows its end; single ones are added and removed, but never the last', () => {
  const { review, selection, go } = five();
  const chosen = () => selection.indices.value.map((index) => index + 1);
  go(3);
  selection.extend(-1);
  expect([chosen(), review.reveal.value]).toEqual([[2, 3], { id: 2, follows: true }]);
  selection.clear();
  go(1);
  selection.toggle(4);
  expect(chosen()).toEqual([1, 4]);
  selection.toggle(1);
  selection.toggle(4);
  expect([chosen(), ...selection.ids.value]).toEqual([[], 4]);
  selection.toggle(2);
  selection.toggle(5);
  expect(chosen()).toEqual([2, 4, 5]);
  selection.toggle(5);
  selection.toggle(2);
  selection.toggle(4);
  selection.extendTo(1);
  expect(chosen()).toEqual([2, 3, 4]);
  // It keeps its beginning while the current caption moves.
  go(1);
  selection.extendTo(4);
  expect(chosen()).toEqual([4, 5]);
});

describe('the settings', () => {
  const kept = new Map<string, string>();
  const before = Reflect.get(globalThis, 'localStorage') as unknown;
  Reflect.set(globalThis, 'localStorage', {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => void kept.set(name, value),
    removeItem: (name: string) => void kept.delete(name),
  });
  afterAll(() => {
    if (before === undefined) Reflect.deleteProperty(globalThis, 'localStorage');
    else Reflect.set(globalThis, 'localStorage', before);
  });
  beforeEach(() => kept.clear());

  let loads = 0;
  /** A setting as the page reads it when it is loaded. */
  async function loaded(field: string): Promise<unknown> {
    loads += 1;
    const part = await import(`../../../web/review/editing/settings.ts?load=${loads}`);
    return (part as { settings: Record<string, { value: unknown }> }).settings[field]!.value;
  }

  test.each<[name: string, field: string, good: unknown[], bad: string[]]>([
    ['patient', 'patient', [false], ['no json', '0', 'null']],
    ['mode', 'mode', ['roll', 'free'], ['"fly"', '1']],
    ['doubt-below', 'doubtBelow', [0, 0.3, 1], ['-0.1', '1.1', '"0.3"']],
    ['profile', 'profile', ['netflix'], ['1', 'null']],
    ['house-profiles', 'houseProfiles', [[{ name: 'Ours' }]], ['{ "name": "Ours" }']],
    ['frame-rate', 'frameRate', [1, 25, 240, null], ['0.9', '241', '"25"']],
    [
      'keys',
      'keys',
      [{ undo: ['KeyU'], redo: [] }],
      ['{"undo":"KeyU"}', '{"undo":[1]}', '{"undo":["KeyU"],"redo":[1]}', 'null', '"x"', '7'],
    ],
  ])('%s: a stored value is used if it is valid', async (name, field, good, bad) => {
    for (const value of good) {
      kept.set(`captioner.desk.${name}`, JSON.stringify(value));
      expect(await loaded(field)).toEqual(value);
    }
    kept.clear();
    const initial = await loaded(field);
    for (const value of bad) {
      kept.set(`captioner.desk.${name}`, value);
      expect(await loaded(field)).toEqual(initial);
    }
  });
});
