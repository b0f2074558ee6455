/** Every command of the review does what its name says, whichever way it is called. */
import { saved } from './support/page.ts';
import { beforeEach, expect, spyOn, test } from 'bun:test';
import { signal } from '@preact/signals';
import { ACTIONS } from '../../../web/review/desk/actions.ts';
import type { Desk } from '../../../web/review/desk/desk.ts';
import { createFinder } from '../../../web/review/editing/finder.ts';
import { settings } from '../../../web/review/editing/settings.ts';
import { createTransport } from '../../../web/review/play/transport.ts';
import { textOf } from '../../../web/review/model/cue.ts';
import { profiles } from '../../../web/texts/profiles-and-rebuilding.ts';
import { text } from '../../support/browser/words.ts';
import { desk } from '../support/desk.ts';
import { correction } from '../review/support.ts';
import { drawn } from './support/app.ts';

const LINES = ['Over off kit there.', 'One two three four.', 'Five.', 'We like off kit.'];

/** A desk at its second caption, eight seconds into the recording, with the fields that are shown in the page. */
function opened() {
  const parts = desk(LINES, [correction('c1', 0.4), correction('c2', 9.8)]);
  const { review, playback, go, media } = parts;
  go(2);
  media.learn(100);
  playback.seek(8);
  return {
    ...parts,
    transport: createTransport(review, playback, signal(null)),
    finder: createFinder(review),
    service: signal(null),
    check: { picture: signal({ chosen: null, learnt: null, shots: [] }) },
    doubts: { of: () => [], like: () => [], settle: () => {} },
    view: signal<string | null>(null),
    tab: signal('report'),
    part: signal('captions'),
    timeView: signal({ left: 0, span: 20 }),
    lengthOf: () => 100,
    recording: { shots: signal([1, 2]), findShots: async () => true },
  };
}

type Opened = ReturnType<typeof opened>;
let on: Opened;
const usual = Object.entries(settings).map(([name, { value }]) => [name, value] as const);
beforeEach(() => {
  for (const [name, value] of usual) settings[name as 'profile'].value = value as string;
  on = opened();
  saved.clear();
});

const run = (id: string): unknown =>
  ACTIONS.find((action) => action.id === id)!.run(on as unknown as Desk);
const texts = () => on.review.cues.peek().map((cue) => textOf(cue).replaceAll('\n', ' '));
const second = () => texts()[1];
const timesOf = (at: number) => {
  const { start, end } = on.review.cues.peek()[at]!;
  return [start, end];
};
const time = () => on.playback.time.peek();
const shown = () => [on.tab.peek(), on.part.peek()];
const decisions = () => [...on.review.decisions.peek().values()];
const selected = () => on.selection.indices.peek().map((at) => at + 1);
const position = () => on.at();
const message = () => on.review.message.peek();
const files = () => [...saved.keys()];

/** The command, what shows its effect, and the effect. */
const EFFECTS: Record<string, readonly [sees: () => unknown, effect: unknown]> = {
  play: [() => on.playback.playing.peek(), true],
  backward: [() => on.transport.backwards.peek(), 1],
  back1: [time, 7],
  on1: [time, 9],
  back5: [time, 3],
  on5: [time, 13],
  frameBack: [() => time().toFixed(2), '7.98'],
  frameOn: [() => time().toFixed(2), '8.06'],
  replay: [() => on.playback.stretch.peek(), { from: 3, to: 5, loop: false }],
  loop: [() => on.playback.stretch.peek(), { from: 3, to: 5, loop: true }],
  playFrom: [() => [time(), on.playback.stretch.peek()], [3, null]],
  playRest: [() => on.playback.stretch.peek(), { from: 3, to: 5, loop: false }],
  slower: [() => on.playback.rate.peek() < 1, true],
  faster: [() => on.playback.rate.peek() > 1, true],
  patient: [() => settings.patient.peek(), false],
  previous: [position, 1],
  next: [position, 3],
  up: [position, 1],
  down: [position, 3],
  type: [() => on.review.reveal.peek()?.select, 'end'],
  nextAny: [position, 4],
  previousAny: [position, 1],
  nextTerm: [position, 4],
  previousTerm: [position, 1],
  nextWarning: [message, text.review.noneLeft],
  previousWarning: [message, text.review.noneLeft],
  nextDoubt: [message, text.review.noneLeft],
  previousDoubt: [message, text.review.noneLeft],
  showTerms: [shown, ['terms', 'check']],
  showDoubts: [shown, ['doubts', 'check']],
  showWarnings: [shown, ['warnings', 'check']],
  showReport: [shown, ['report', 'check']],
  showSpeakers: [shown, ['speakers', 'check']],
  showComments: [shown, ['comments', 'check']],
  newSpeaker: [shown, ['speakers', 'check']],
  checkNetflix: [() => [settings.profile.peek(), ...shown()], ['netflix', 'warnings', 'check']],
  checkBbc: [() => settings.profile.peek(), 'bbc'],
  checkDcmp: [() => settings.profile.peek(), 'dcmp'],
  checkYoutube: [() => settings.profile.peek(), 'youtube'],
  checkOwn: [() => [settings.profile.peek(), ...shown()], ['', 'warnings', 'check']],
  fixAll: [message, text.review.noneToFix],
  split: [texts, [LINES[0], 'One two', 'three four.', LINES[2], LINES[3]]],
  merge: [second, 'One two three four. Five.'],
  mergeBack: [() => texts().length, 3],
  insert: [() => [texts().length, texts()[2]], [5, '']],
  delete: [texts, [LINES[0], LINES[2], LINES[3]]],
  wordBack: [() => texts().slice(0, 2), ['Over off kit there. One', 'two three four.']],
  wordOn: [() => texts().slice(1, 3), ['One two three', 'four. Five.']],
  lines: [() => texts().length, 4],
  italics: [second, '<i>One two three four.</i>'],
  selectUp: [selected, [1, 2]],
  selectDown: [selected, [2, 3]],
  selectAll: [selected, [1, 2, 3, 4]],
  speaker1: [message, text.review.noSuchSpeaker(1)],
  speaker2: [message, text.review.noSuchSpeaker(2)],
  speaker3: [message, text.review.noSuchSpeaker(3)],
  speaker4: [message, text.review.noSuchSpeaker(4)],
  speaker5: [message, text.review.noSuchSpeaker(5)],
  speaker6: [message, text.review.noSuchSpeaker(6)],
  speaker7: [message, text.review.noSuchSpeaker(7)],
  speaker8: [message, text.review.noSuchSpeaker(8)],
  speaker9: [message, text.review.noSuchSpeaker(9)],
  top: [() => on.review.cues.peek()[1]!.placement?.vertical, 'top'],
  rebuild: [() => on.view.peek(), 'rebuild'],
  profiles: [() => on.view.peek(), 'profiles'],
  script: [() => on.view.peek(), 'script'],
  compare: [() => on.view.peek(), 'compare'],
  palette: [() => on.view.peek(), 'palette'],
  // Nobody is signed in.
  share: [message, text.review.cannot],
  // These are of a run.
  file: [message, text.review.cannot],
  sheet: [() => on.view.peek(), 'keys'],
  shift: [() => on.view.peek(), 'shift'],
  frames: [() => on.view.peek(), 'frames'],
  grid: [() => settings.grid.peek(), true],
  retime: [() => on.view.peek(), 'retime'],
  earlier: [() => timesOf(1), [2.9, 4.9]],
  later: [() => timesOf(1), [3.1, 5.1]],
  closeGap: [() => timesOf(1), [3, 5.916]],
  roll: [() => settings.mode.peek(), 'roll'],
  ripple: [() => settings.mode.peek(), 'ripple'],
  free: [() => settings.mode.peek(), 'free'],
  snapSpeech: [() => settings.snapSpeech.peek(), true],
  snapShots: [() => settings.snapShots.peek(), false],
  snapFrames: [() => settings.snapFrames.peek(), true],
  snapNeighbours: [() => settings.snapNeighbours.peek(), false],
  zoomIn: [() => on.timeView.peek().span, 10],
  zoomOut: [() => on.timeView.peek().span, 40],
  find: [() => on.finder.open.peek(), 'find'],
  replace: [() => on.finder.open.peek(), 'replace'],
  accept: [message, text.review.nothingToDecide],
  rejectAll: [message, text.review.nothingToDecide],
  download: [files, ['talk.srt']],
  downloadVtt: [files, ['talk.vtt']],
  downloadAss: [files, ['talk.ass']],
  downloadTtml: [files, ['talk.ttml']],
  downloadCsv: [files, ['talk.csv']],
  downloadHtml: [files, ['talk.html']],
  downloadText: [files, ['talk.txt']],
  downloadJson: [files, ['talk.json']],
};

test.each(Object.entries(EFFECTS))('%s', async (id, [sees, effect]) => {
  await run(id);
  expect(sees()).toEqual(effect);
});

test('startHere and endHere set the times of the caption to the playhead', () => {
  on.playback.seek(3.5);
  run('startHere');
  on.playback.seek(4.5);
  run('endHere');
  expect(timesOf(1)).toEqual([3.5, 4.5]);
});

test.each([
  ['accept', 'open,accepted', 'We like AuthKit.'],
  ['reject', 'open,rejected', LINES[3]],
  ['acceptAll', 'accepted,accepted', 'We like AuthKit.'],
  ['rejectAll', 'rejected,rejected', LINES[3]],
])('%s decides on the term of the caption, or on all like it', async (id, decided, last) => {
  on.go(4);
  await run(id);
  expect([decisions().join(), texts()[3]]).toEqual([decided, last]);
});

test.each([
  ['reading_speed_high', 'reading_speed'],
  ['dangling_line_break', 'line_break'],
] as const)('a fix of %s that cannot be made says why', async (flag, rule) => {
  const [cue] = on.review.cues.peek();
  await on.commands.fix(cue!, flag);
  expect(message()).toBe(profiles.why(rule, []));
  expect(texts()).toEqual(LINES);
});

test('findShots says how many were found, or that a video is needed', async () => {
  const isFound = run('findShots');
  expect(message()).toBe(text.review.findingShots);
  await isFound;
  expect(message()).toBe(text.review.foundShots(2));
  on.recording.findShots = () => Promise.reject(new Error('no video'));
  await run('findShots');
  expect(message()).toBe(text.review.noShots);
});

test.each([0, 2000])(
  'a panel takes the focus if it comes within two seconds: %p ms',
  async (ms) => {
    const clock = spyOn(performance, 'now').mockReturnValue(0);
    run('showTerms');
    clock.mockReturnValue(ms);
    await drawn();
    clock.mockRestore();
    const tab = document.createElement('button');
    tab.dataset['tab'] = 'terms';
    document.body.append(tab);
    await drawn();
    expect(document.activeElement === tab).toBe(ms === 0);
    tab.remove();
  },
);
