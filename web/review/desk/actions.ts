/**
 * All commands of the review in one list, shared by the shortcuts, the shortcut sheet and the
 * command palette.
 */
import { loadPart } from '../../api/load-part.ts';
import { openFiles } from './open-files.ts';
import { type Desk, mayShare, type Tab, TABS } from './desk.ts';
import { copySrt, download, DOWNLOADS, type Format } from '../save/download.ts';
import type { keyGroups } from '../../texts/keys.ts';
import { isOwnRun } from '../../storage/runs.ts';
import { guest } from '../../tab/guest.ts';
import { zoomed } from '../model/time-view.ts';
import { settings } from '../editing/settings.ts';
import { text } from '../../texts/review.ts';
import { cursor, selection } from '../editing/selection.ts';
import { NUDGE } from './commands.ts';

type Group = keyof typeof keyGroups;

export interface Action {
  readonly id: string;
  readonly group: Group;
  /** The default shortcuts, as chords; users may have chosen others. */
  readonly keys: readonly string[];
  run(desk: Desk): unknown;
}

/** The longest wait for a panel whose code is loaded, in milliseconds. */
const LOADING_MS = 2000;

/** The actions of a group: the name, the shortcuts separated by spaces, and the function. */
const group = (
  name: Group,
  actions: Readonly<Record<string, readonly [keys: string, run: (desk: Desk) => unknown]>>,
): Action[] =>
  Object.entries(actions).map(([id, [keys, run]]) => ({
    id,
    group: name,
    keys: keys === '' ? [] : keys.split(' '),
    run,
  }));

/** An action in a group: its name, and the rest of it. */
type Named = [id: string, [keys: string, run: (desk: Desk) => unknown]];

const capitalised = (name: string): string => name[0]!.toUpperCase() + name.slice(1);

/** The command that shows a tab of the side panel, `showTerms` for example. */
const showAction = (tab: Tab): Named => [
  `show${capitalised(tab)}`,
  ['', (desk) => showTab(desk, tab)],
];

/** The command of a download, `downloadVtt` for example. Two names are older than the others: keys are stored by them. */
const downloadAction = (format: Format): Named => {
  const names: Partial<Record<Format, string>> = { srt: '', txt: 'Text' };
  const name = names[format] ?? capitalised(format);
  const keys = format === 'srt' ? 'Ctrl+KeyS' : '';
  return [
    `download${name}`,
    [keys, ({ review, check }) => download(review, format, check.picture.peek())],
  ];
};

/** Decides on what is here, or on all that is alike; the panel of terms loads the same part. */
const decides =
  (what: 'decideHere' | 'decideSame', to: 'accepted' | 'rejected') =>
  async (desk: Desk): Promise<void> => {
    const part = await loadPart(() => import('./decide-here.ts'));
    part[what](desk, to);
  };

/** In the order of the shortcut sheet. */
export const ACTIONS: readonly Action[] = [
  ...group('play', {
    play: ['Ctrl+Space Space', ({ playback }) => playback.toggle()],
    backward: ['Alt+KeyJ KeyJ', ({ transport }) => transport.backward()],
    stop: ['Alt+KeyK KeyK', ({ transport }) => transport.stop()],
    forward: ['Alt+KeyL KeyL', ({ transport }) => transport.forward()],
    back1: ['Alt+ArrowLeft ArrowLeft', ({ transport }) => transport.skip(-1)],
    on1: ['Alt+ArrowRight ArrowRight', ({ transport }) => transport.skip(1)],
    back5: ['Ctrl+Alt+ArrowLeft Shift+ArrowLeft', ({ transport }) => transport.skip(-5)],
    on5: ['Ctrl+Alt+ArrowRight Shift+ArrowRight', ({ transport }) => transport.skip(5)],
    frameBack: ['Alt+Comma Comma', ({ transport }) => transport.frame(-1)],
    frameOn: ['Alt+Period Period', ({ transport }) => transport.frame(1)],
    replay: ['Alt+KeyP KeyP', ({ transport }) => transport.replay()],
    loop: ['Alt+Shift+KeyP Shift+KeyP', ({ transport }) => transport.loop()],
    playFrom: ['Ctrl+Enter', ({ transport }) => transport.playFromCaption()],
    playRest: ['Alt+KeyE KeyE', ({ transport }) => transport.playRest()],
    slower: ['Alt+Minus Minus', ({ transport }) => transport.rate(-1)],
    faster: ['Alt+Equal Equal', ({ transport }) => transport.rate(1)],
    patient: ['', () => toggle(settings.patient)],
    seekSelects: ['', () => toggle(settings.seekSelects)],
  }),
  ...group('navigation', {
    previous: ['Alt+ArrowUp', ({ navigation }) => navigation.previous()],
    next: ['Alt+ArrowDown', ({ navigation }) => navigation.next()],
    up: ['ArrowUp', ({ navigation }) => navigation.previous(null)],
    down: ['ArrowDown', ({ navigation }) => navigation.next(null)],
    type: [
      'Enter',
      ({ review, navigation }) =>
        navigation.select(review.cues.peek()[review.currentIndex.peek()], 'end'),
    ],
    nextAny: ['F4', ({ navigation }) => navigation.go(1)],
    previousAny: ['Shift+F4', ({ navigation }) => navigation.go(-1)],
    nextTerm: ['F2', ({ navigation }) => navigation.go(1, ['term'])],
    previousTerm: ['Shift+F2', ({ navigation }) => navigation.go(-1, ['term'])],
    nextWarning: ['F8', ({ navigation }) => navigation.go(1, ['warning'])],
    previousWarning: ['Shift+F8', ({ navigation }) => navigation.go(-1, ['warning'])],
    nextDoubt: ['F9', ({ navigation }) => navigation.go(1, ['doubt'])],
    previousDoubt: ['Shift+F9', ({ navigation }) => navigation.go(-1, ['doubt'])],
    accept: ['Alt+KeyA', decides('decideHere', 'accepted')],
    reject: ['Alt+KeyR', decides('decideHere', 'rejected')],
    acceptAll: ['Alt+Shift+KeyA', decides('decideSame', 'accepted')],
    rejectAll: ['Alt+Shift+KeyR', decides('decideSame', 'rejected')],
    ...Object.fromEntries(TABS.map(showAction)),
    checkNetflix: ['', (desk) => checkBy(desk, 'netflix')],
    checkBbc: ['', (desk) => checkBy(desk, 'bbc')],
    checkDcmp: ['', (desk) => checkBy(desk, 'dcmp')],
    checkYoutube: ['', (desk) => checkBy(desk, 'youtube')],
    checkOwn: ['', (desk) => checkBy(desk, '')],
    fixAll: ['Alt+Shift+KeyF', ({ commands }) => commands.fixAll()],
  }),
  ...group('edit', {
    split: ['Alt+Enter', ({ commands }) => commands.split(cursor())],
    merge: ['Alt+KeyM', ({ commands }) => commands.merge()],
    mergeBack: ['Alt+Shift+KeyM', ({ commands }) => commands.mergeBack()],
    insert: ['Alt+KeyI', ({ commands }) => commands.insert()],
    delete: ['Alt+Delete', ({ commands }) => commands.remove()],
    wordBack: ['Alt+Shift+ArrowUp', ({ commands }) => commands.moveWord('previous')],
    wordOn: ['Alt+Shift+ArrowDown', ({ commands }) => commands.moveWord('next')],
    lines: ['Alt+KeyB', ({ commands }) => commands.rebreak()],
    italics: ['Ctrl+KeyI', ({ commands }) => commands.italics(selection())],
    selectUp: ['Ctrl+Shift+ArrowUp', ({ selection }) => selection.extend(-1)],
    selectDown: ['Ctrl+Shift+ArrowDown', ({ selection }) => selection.extend(1)],
    selectAll: ['Ctrl+Shift+KeyA', ({ selection }) => selection.all()],
    speaker1: ['Alt+Shift+Digit1', ({ speakers }) => speakers.giveNumbered(0)],
    speaker2: ['Alt+Shift+Digit2', ({ speakers }) => speakers.giveNumbered(1)],
    speaker3: ['Alt+Shift+Digit3', ({ speakers }) => speakers.giveNumbered(2)],
    speaker4: ['Alt+Shift+Digit4', ({ speakers }) => speakers.giveNumbered(3)],
    speaker5: ['Alt+Shift+Digit5', ({ speakers }) => speakers.giveNumbered(4)],
    speaker6: ['Alt+Shift+Digit6', ({ speakers }) => speakers.giveNumbered(5)],
    speaker7: ['Alt+Shift+Digit7', ({ speakers }) => speakers.giveNumbered(6)],
    speaker8: ['Alt+Shift+Digit8', ({ speakers }) => speakers.giveNumbered(7)],
    speaker9: ['Alt+Shift+Digit9', ({ speakers }) => speakers.giveNumbered(8)],
    applause: ['Alt+Shift+KeyC', ({ commands }) => commands.describeSound('applause')],
    laughter: ['Alt+Shift+KeyH', ({ commands }) => commands.describeSound('laughter')],
    music: ['Alt+Shift+KeyU', ({ commands }) => commands.describeSound('music')],
    sound: ['Alt+Shift+KeyN', ({ commands }) => commands.describeSound(null)],
    newSpeaker: ['Alt+Shift+KeyS', (desk) => showTab(desk, 'speakers', '.new-speaker input')],
    top: ['', ({ speakers }) => speakers.toTop()],
    rebuild: ['Alt+Shift+KeyB', ({ view }) => (view.value = 'rebuild')],
    profiles: ['', ({ view }) => (view.value = 'profiles')],
    script: ['', ({ view }) => (view.value = 'script')],
    undo: ['Ctrl+KeyZ', ({ commands }) => commands.undo()],
    redo: ['Ctrl+Shift+KeyZ Ctrl+KeyY', ({ commands }) => commands.redo()],
  }),
  ...group('time', {
    startHere: ['Alt+BracketLeft KeyI', ({ commands }) => commands.startHere()],
    endHere: ['Alt+BracketRight KeyO', ({ commands }) => commands.endHere()],
    earlier: ['Alt+Shift+ArrowLeft', ({ commands }) => commands.nudge(-NUDGE)],
    later: ['Alt+Shift+ArrowRight', ({ commands }) => commands.nudge(NUDGE)],
    closeGap: ['Alt+KeyG', ({ commands }) => commands.closeGap()],
    shift: ['Alt+KeyS', ({ view }) => (view.value = 'shift')],
    retime: ['', ({ view }) => (view.value = 'retime')],
    frames: ['', ({ view }) => (view.value = 'frames')],
    push: ['', () => (settings.mode.value = 'push')],
    roll: ['', () => (settings.mode.value = 'roll')],
    ripple: ['', () => (settings.mode.value = 'ripple')],
    free: ['', () => (settings.mode.value = 'free')],
    snapSpeech: ['', () => toggle(settings.snapSpeech)],
    snapShots: ['', () => toggle(settings.snapShots)],
    snapFrames: ['', () => toggle(settings.snapFrames)],
    snapNeighbours: ['', () => toggle(settings.snapNeighbours)],
    findShots: ['', findShots],
    zoomIn: ['Alt+Shift+Equal', (desk) => zoom(desk, 0.5)],
    zoomOut: ['Alt+Shift+Minus', (desk) => zoom(desk, 2)],
  }),
  ...group('find', {
    find: ['Ctrl+KeyF', ({ finder }) => finder.show('find')],
    replace: ['Ctrl+KeyH Ctrl+Alt+KeyF', ({ finder }) => finder.show('replace')],
    findNext: ['F3', ({ finder }) => finder.go(1)],
    findPrevious: ['Shift+F3', ({ finder }) => finder.go(-1)],
    compare: ['', ({ view }) => (view.value = 'compare')],
  }),
  ...group('other', {
    open: ['Ctrl+KeyO', (desk) => openFiles().then(({ chooseFilesFor }) => chooseFilesFor(desk))],
    ...Object.fromEntries(DOWNLOADS.map(downloadAction)),
    file: ['', showFile],
    copy: ['', ({ review }) => copySrt(review)],
    translate: ['Alt+Shift+KeyL', translate],
    transcript: ['Alt+Shift+KeyT', () => toggle(settings.transcript)],
    grid: ['Alt+Shift+KeyG', () => toggle(settings.grid)],
    palette: ['Ctrl+KeyK', ({ view }) => (view.value = 'palette')],
    share: ['', share],
    work: ['', work],
    burn: ['', ({ view }) => (view.value = 'burn')],
    sheet: ['?', ({ view }) => (view.value = 'keys')],
  }),
];

const toggle = (flag: { value: boolean; peek(): boolean }): void => {
  flag.value = !flag.peek();
};

/** Opens a panel. Its tab takes the focus, from which Tab goes on into the panel, or a field of it does. */
function showTab({ tab, part }: Desk, name: Tab, focused = `[data-tab=${name}]`): void {
  tab.value = name;
  part.value = 'check';
  focusOnceThere(focused, performance.now() + LOADING_MS);
}

/** Focuses an element in the next frame, or in the first one in which it is there. */
function focusOnceThere(selector: string, until: number): void {
  requestAnimationFrame(() => {
    const found = document.querySelector<HTMLElement>(selector);
    if (found) found.focus({ preventScroll: true });
    else if (performance.now() < until) focusOnceThere(selector, until);
  });
}

/** Shows how the file of captions was read, if they came from one. */
function showFile({ view, review }: Desk): void {
  if (isOwnRun(review.runId)) view.value = 'file';
  else review.message.value = text.review.cannot;
}

/** Opens the dialog for links, for those who may make one. */
function share(desk: Desk): void {
  if (mayShare(desk)) desk.view.value = 'share';
  else desk.review.message.value = text.review.cannot;
}

/** Opens the dialog with the versions, for those who may. */
function work(desk: Desk): void {
  if (mayShare(desk)) desk.view.value = 'work';
  else desk.review.message.value = text.review.cannot;
}

/** Shows the translations in place of the captions, or the captions again; a guest has none. */
function translate({ translation, review }: Desk): void {
  if (guest.peek() === null) toggle(translation);
  else review.message.value = text.review.cannot;
}

/** Checks by a publisher's rules, or by the limits of the run, and shows what breaks them. */
function checkBy(desk: Desk, profile: string): void {
  settings.profile.value = profile;
  showTab(desk, 'warnings');
}

async function findShots({ recording, review }: Desk): Promise<void> {
  review.message.value = text.review.findingShots;
  const isFound = await recording.findShots().catch(() => false);
  review.message.value = isFound
    ? text.review.foundShots(recording.shots.peek().length)
    : text.review.noShots;
}

/** Zooms the timeline around the playhead. */
function zoom({ timeView, playback, lengthOf }: Desk, factor: number): void {
  timeView.value = zoomed(timeView.peek(), playback.time.peek(), factor, lengthOf());
}
