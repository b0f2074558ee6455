/** Where the desk stands: the current caption, open items, the selection, and stored settings. */
import { afterAll, beforeEach, describe, expect, test } from 'bun:test';
import { text } from '../../support/browser/words.ts';
import { settings } from '../../../web/review/desk/settings.ts';
import { desk } from '../support/desk.ts';
import { putCursor, usePage } from '../support/page.ts';
import { correction } from './support.ts';

usePage();

const LONG = 'This line is a good deal longer than the limit of its run allows';

describe('open items', () => {
  const opened = () =>
    desk(
      ['We use off kit.', LONG, 'Nothing.', 'Here off kit is, and off kit.', LONG],
      [correction('c', 10.5), correction('a', 0.5), correction('b', 9.5)],
    );
  test('follow one another in the order of the talk', () => {
    const { review, navigation, at, go } = opened();
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
});

describe('seeking', () => {
  /** Captions at 0–2, 3–5, 6–8 and 9–11 s. */
  const seekTo = (time: number, from: number, pointed?: boolean) => {
    const { navigation, at, go, playback } = desk(['One.', 'Two.', 'Three.', 'Four.']);
    go(from);
    navigation.seek(time, pointed);
    return [at(), playback.time.value];
  };
  test.each([
    ['in a caption', 7, 1, 3],
    ['at its first moment', 6, 1, 3],
    ['in a gap, beside which the current one ends', 5.5, 2, 2],
    ['in a gap, beside which the current one starts', 5.5, 3, 3],
    ['in another gap', 5.5, 1, 2],
    ['behind the last', 50, 1, 4],
  ])('makes the caption there current: %s', (_, time, from, to) => {
    expect(seekTo(time, from)).toEqual([to, time]);
  });
  test('leaves the current caption where it is turned off', () => {
    settings.seekSelects.value = false;
    expect(seekTo(7, 1)).toEqual([1, 7]);
    settings.seekSelects.value = true;
  });
  test('by a key leaves the text that is being typed, by a pointer it takes the cursor along', () => {
    const { navigation, review, at, go } = desk(['One.', 'Two.', 'Three.']);
    go(1);
    putCursor(1, 2);
    navigation.seek(7);
    expect([at(), review.reveal.value]).toEqual([1, null]);
    navigation.seek(7, true);
    expect([at(), review.reveal.value]).toEqual([3, { id: 3 }]);
  });
});

describe('a selection', () => {
  const five = () => desk(['One.', 'Two.', 'Three.', 'Four.', 'Five.']);
  const chosen = ({ selection }: ReturnType<typeof desk>) =>
    selection.indices.value.map((index) => index + 1);
  test('by steps starts at the current caption, and shows its end', () => {
    const opened = five();
    opened.go(3);
    opened.selection.extend(-1);
    expect(chosen(opened)).toEqual([2, 3]);
    expect(opened.review.reveal.value).toEqual({ id: 2, follows: true });
    opened.selection.clear();
    expect(chosen(opened)).toEqual([]);
    opened.go(5);
    opened.selection.extend(-1);
    expect(chosen(opened)).toEqual([4, 5]);
  });
  test('adds and removes single captions, but never the last', () => {
    const opened = five();
    opened.go(1);
    opened.selection.toggle(4);
    expect(chosen(opened)).toEqual([1, 4]);
    opened.selection.toggle(1);
    expect(chosen(opened)).toEqual([]);
    opened.selection.toggle(4);
    expect([...opened.selection.ids.value]).toEqual([4]);
    opened.selection.toggle(2);
    opened.selection.toggle(5);
    expect(chosen(opened)).toEqual([2, 4, 5]);
    opened.selection.toggle(5);
    opened.selection.toggle(2);
    opened.selection.toggle(4);
    expect([...opened.selection.ids.value]).toEqual([4]);
    opened.selection.extendTo(1);
    expect(chosen(opened)).toEqual([2, 3, 4]);
  });
});

const four = () => desk(['One', 'Two', 'Three', 'Four']);

test('a selection keeps its beginning while the current caption moves', () => {
  const { selection, go } = four();
  go(1);
  selection.extendTo(1);
  go(4);
  selection.extendTo(2);
  expect(selection.indices.value).toEqual([0, 1, 2]);
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

  type Settings = typeof import('../../../web/review/desk/settings.ts').settings;

  /** The settings as the page reads them when it is loaded. */
  async function loaded(): Promise<Settings> {
    loads += 1;
    const part = await import(`../../../web/review/desk/settings.ts?load=${loads}`);
    return (part as { settings: Settings }).settings;
  }

  const keep = (name: string, value: unknown) =>
    kept.set(`captioner.desk.${name}`, typeof value === 'string' ? value : JSON.stringify(value));

  test.each<[name: string, field: keyof Settings, good: unknown[], bad: unknown[]]>([
    ['patient', 'patient', [false], ['no json', 0, null]],
    ['mode', 'mode', ['"roll"', '"ripple"', '"free"'], ['"fly"', 1]],
    ['snap-speech', 'snapSpeech', [true], [1]],
    ['snap-shots', 'snapShots', [false], ['"no"']],
    ['snap-frames', 'snapFrames', [true], [1]],
    ['snap-neighbours', 'snapNeighbours', [false], [1]],
    ['doubt-below', 'doubtBelow', [0, 0.3, 1], [-0.1, 1.1, '"0.3"']],
    ['profile', 'profile', ['"netflix"'], [1, null]],
    ['house-profiles', 'houseProfiles', [[{ name: 'Ours' }]], [{ name: 'Ours' }]],
    ['frame-rate', 'frameRate', [1, 25, 240, null], [0.9, 241, '"25"']],
    [
      'keys',
      'keys',
      [{ undo: ['KeyU'], redo: [] }],
      [{ undo: 'KeyU' }, { undo: [1] }, { undo: ['KeyU'], redo: [1] }, 'null', '"x"', 7],
    ],
  ])('%s: a stored value is used if it is valid', async (name, field, good, bad) => {
    for (const value of good) {
      keep(name, value);
      const expected: unknown = typeof value === 'string' ? JSON.parse(value) : value;
      expect((await loaded())[field].value).toEqual(expected as never);
    }
    kept.clear();
    const initial = (await loaded())[field].value;
    for (const value of bad) {
      keep(name, value);
      expect((await loaded())[field].value).toEqual(initial as never);
    }
  });
});
