/** The review settings, stored in this browser. */
import { effect, signal, type Signal } from '@preact/signals';
import { UNSURE_BELOW } from '../../../server/contract/confidence.ts';
import { storeText, storedText } from '../../storage/web-storage.ts';
import type { TimingMode } from '../model/edit-times.ts';

const KEPT = 'captioner.desk.';

/** A setting with a storage name; a stored value is used only if it passes `is`. */
function setting<T>(name: string, initial: T, is: (kept: unknown) => kept is T): Signal<T> {
  let kept: unknown;
  try {
    kept = JSON.parse(storedText('localStorage', KEPT + name) ?? 'null');
  } catch {
    kept = null;
  }
  const value = signal(is(kept) ? kept : initial);
  let isFirst = true;
  effect(() => {
    const text = JSON.stringify(value.value);
    if (!isFirst) storeText('localStorage', KEPT + name, text);
    isFirst = false;
  });
  return value;
}

const isFlag = (kept: unknown): kept is boolean => typeof kept === 'boolean';
const isBetween =
  (least: number, most: number) =>
  (kept: unknown): kept is number =>
    typeof kept === 'number' && kept >= least && kept <= most;
const MODES: readonly unknown[] = ['push', 'roll', 'ripple', 'free'] satisfies TimingMode[];

/** How times can be shown. */
const TIMES_SHOWN = ['auto', 'frames', 'milliseconds'] as const;
type TimesShown = (typeof TIMES_SHOWN)[number];

/** The columns of the dense grid, in their order. */
export const GRID_COLUMNS = [
  'start',
  'end',
  'length',
  'speed',
  'warnings',
  'doubts',
  'speaker',
  'text',
] as const;
export type GridColumn = (typeof GRID_COLUMNS)[number];

/** The settings. */
export const settings = {
  /** Pause playback while the user types. */
  patient: setting('patient', true, isFlag),
  /** Select the caption at the playhead when the user seeks. */
  seekSelects: setting('seek-selects', true, isFlag),
  /** The effect on other captions when times change. */
  mode: setting<TimingMode>('mode', 'push', (kept): kept is TimingMode => MODES.includes(kept)),
  snapSpeech: setting('snap-speech', false, isFlag),
  snapShots: setting('snap-shots', true, isFlag),
  snapFrames: setting('snap-frames', false, isFlag),
  snapNeighbours: setting('snap-neighbours', true, isFlag),
  /** Words with a lower confidence than this are marked. */
  doubtBelow: setting('doubt-below', UNSURE_BELOW, isBetween(0, 1)),
  /** The profile against which captions are checked; empty for the limits of the run. */
  profile: setting('profile', '', (kept): kept is string => typeof kept === 'string'),
  /** House profiles as read from their files; they are validated where they are used. */
  houseProfiles: setting<readonly unknown[]>('house-profiles', [], Array.isArray),
  /** The frame rate of the picture; null to use the profile's. */
  frameRate: setting<number | null>('frame-rate', null, isBetween(1, 240)),
  /** How times are shown: `auto` is in frames while the rules that are checked ask for them. */
  times: setting<TimesShown>('times', 'auto', (kept): kept is TimesShown =>
    TIMES_SHOWN.some((each) => each === kept),
  ),
  /** Whether the time code of 29.97 and 59.94 frames a second drops numbers. */
  dropFrame: setting('drop-frame', false, isFlag),
  /** The time code at which the programme begins; empty for the beginning. */
  programmeStart: setting(
    'programme-start',
    '',
    (kept): kept is string => typeof kept === 'string',
  ),
  /** Show the talk as paragraphs instead of the list of captions. */
  transcript: setting('transcript', false, isFlag),
  /** Show the captions as a dense grid, and its columns. */
  grid: setting('grid', false, isFlag),
  gridColumns: setting<readonly GridColumn[]>(
    'grid-columns',
    ['start', 'length', 'speed', 'warnings', 'doubts', 'text'],
    (kept): kept is GridColumn[] =>
      Array.isArray(kept) && kept.every((name) => GRID_COLUMNS.some((each) => each === name)),
  ),
  /** The width of the recording and the panels, in percent of the desk; null for the usual. */
  columns: setting<number | null>('columns', null, isBetween(20, 70)),
  /** The heights of the picture and of the timeline, in pixels. */
  picture: setting<number | null>('picture', null, isBetween(60, 900)),
  timeLine: setting<number | null>('time-line', null, isBetween(80, 400)),
  /** Keyboard shortcuts that the user has changed, by command name. */
  keys: setting<Readonly<Record<string, readonly string[]>>>(
    'keys',
    {},
    (kept): kept is Record<string, string[]> =>
      typeof kept === 'object' &&
      kept !== null &&
      Object.values(kept).every(
        (chords) => Array.isArray(chords) && chords.every((chord) => typeof chord === 'string'),
      ),
  ),
};
