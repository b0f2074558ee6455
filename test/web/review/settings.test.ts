/** The settings of the review, stored in this browser. */
import { afterAll, beforeEach, expect, test } from 'bun:test';

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

test('are the defaults at first, and nothing is stored before one changes', async () => {
  const settings = await loaded();
  const values = Object.fromEntries(
    Object.entries(settings).map(([name, { value }]) => [name, value]),
  );
  expect(values).toEqual({
    patient: true,
    seekSelects: true,
    mode: 'push',
    snapSpeech: false,
    snapShots: true,
    snapFrames: false,
    snapNeighbours: true,
    doubtBelow: 0.5,
    profile: '',
    houseProfiles: [],
    frameRate: null,
    keys: {},
  });
  expect(kept.size).toBe(0);
  settings.mode.value = 'ripple';
  settings.patient.value = false;
  expect(Object.fromEntries(kept)).toEqual({
    'captioner.desk.mode': '"ripple"',
    'captioner.desk.patient': 'false',
  });
});

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
