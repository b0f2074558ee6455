/** A desk: a review with everything that works on it. */
import { computed, signal, type ReadonlySignal, type Signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import type { CaptionerCompletedResult } from '../../server/contract/results.ts';
import { loadPart } from '../api/load-part.ts';
import { createCommands, type Commands } from './commands.ts';
import { createDoubts, type Doubts } from './doubts.ts';
import { createFinder, type Finder } from './finder.ts';
import type { OpenedReview } from './open-review.ts';
import { createTypingPause, type TypingPause } from './typing-pause.ts';
import { createProfileCheck, type ProfileCheck } from './profile-check.ts';
import { createPlayback, type Playback } from './playback.ts';
import { keptPlace } from './place.ts';
import { findRecording, type Recording } from './recording.ts';
import type { ServiceSaving } from './save-to-service.ts';
import { isOwnRun } from '../storage/runs.ts';
import { createSelection, type Selection } from './selection.ts';
import { settings } from './settings.ts';
import { createSpeakers, type Speakers } from './speakers.ts';
import type { TimeView } from './model/time-view.ts';
import { loudWithoutCues, type Stretch } from './model/unheard.ts';
import { magnetsOf, type MagnetsNow } from './time-commands.ts';
import { createTransport, type Transport } from './transport.ts';
import { createNavigation, type Navigation } from './navigation.ts';

/** The dialogs and forms over the desk. */
export type View =
  | 'compare'
  | 'keys'
  | 'palette'
  | 'profiles'
  | 'rebuild'
  | 'script'
  | 'shift'
  | 'tools';
/** The tabs of the side panel. */
export type Tab = 'terms' | 'doubts' | 'warnings' | 'report' | 'speakers';

/** The parts of the review that a narrow screen shows one at a time. */
export type DeskPart = 'captions' | 'check' | 'sound';

/** The components that show where the review is saved, and what colleagues have changed. */
export interface SavedParts {
  Notice: ComponentType<{ desk: Desk }>;
  Where: ComponentType<{ desk: Desk }>;
}

export interface Desk extends OpenedReview {
  result: CaptionerCompletedResult;
  playback: Playback;
  recording: Recording;
  transport: Transport;
  typingPause: TypingPause;
  selection: Selection;
  speakers: Speakers;
  doubts: Doubts;
  check: ProfileCheck;
  /** The frame rate of the picture, as far as it is known. */
  videoRate: ReadonlySignal<number | null>;
  navigation: Navigation;
  magnets: MagnetsNow;
  commands: Commands;
  finder: Finder;
  /** Saves the review on the service; null for captions from a file, and until it is loaded. */
  service: Signal<ServiceSaving | null>;
  saved: Signal<SavedParts | null>;
  /** The part of the recording that the timeline shows. */
  timeView: Signal<TimeView>;
  /** The length of the recording with its captions, in seconds. */
  lengthOf(): number;
  view: Signal<View | null>;
  tab: Signal<Tab>;
  /** What a narrow screen shows. */
  part: Signal<DeskPart>;
}

/** Creates the desk of a review at the place where it was left. */
export function createDesk(
  opened: OpenedReview,
  result: CaptionerCompletedResult,
  stop: AbortSignal,
): Desk {
  const { review } = opened;
  const playback = createPlayback(review.original.at(-1)?.end ?? 0);
  const place = review.cues.peek().find(({ id }) => id === keptPlace(review.runId));
  if (place) {
    review.currentId.value = place.id;
    review.reveal.value = { id: place.id };
    playback.seek(place.start);
  }
  const recording = findRecording(review.runId, stop);
  const selection = createSelection(review);
  const doubts = createDoubts(review, unheardOf(result, review, recording));
  const videoRate = computed(() => recording.frameRate.value ?? playback.frameRate.value);
  const check = createProfileCheck(review, recording, videoRate);
  const navigation = createNavigation(review, { doubts, check, playback });
  const magnets = magnetsOf(
    review,
    () => videoRate.peek() ?? settings.frameRate.peek(),
    () => recording.shots.peek(),
  );
  const left = navigation.left.peek();
  return {
    ...opened,
    result,
    playback,
    recording,
    transport: createTransport(review, playback, videoRate, navigation.seek),
    typingPause: createTypingPause(playback, settings.patient),
    selection,
    speakers: createSpeakers(review, selection),
    doubts,
    check,
    videoRate,
    navigation,
    magnets,
    commands: createCommands(review, { playback, selection, navigation, check, magnets }),
    finder: createFinder(review),
    ...savingOf(review, stop),
    timeView: signal({ left: 0, span: 15 }),
    lengthOf: () => Math.max(playback.length.value, review.cues.value.at(-1)?.end ?? 0, 1),
    view: signal(null),
    part: signal('captions'),
    tab: signal(
      review.corrections.length > 0
        ? 'terms'
        : left.doubt > 0
          ? 'doubts'
          : left.warning > 0
            ? 'warnings'
            : 'report',
    ),
  };
}

/**
 * The stretches of sound without captions: those that the run reports, otherwise those that the
 * recording shows beside the captions of a file.
 */
function unheardOf(
  { transcript }: CaptionerCompletedResult,
  { original }: OpenedReview['review'],
  { waveform, peaks }: Recording,
): ReadonlySignal<readonly Stretch[]> {
  const { unheard } = transcript.metadata;
  if (Array.isArray(unheard)) return signal(unheard);
  return computed(() =>
    waveform.value === 'ready' && peaks.value ? loudWithoutCues(peaks.value, original) : [],
  );
}

function savingOf(
  review: OpenedReview['review'],
  stop: AbortSignal,
): Pick<Desk, 'service' | 'saved'> {
  const service = signal<ServiceSaving | null>(null);
  const saved = signal<SavedParts | null>(null);
  const load = async (): Promise<void> => {
    const part = await loadPart(() => import('./save-part.ts'), stop);
    if (stop.aborted) return;
    // The service does not know captions from a file.
    if (!isOwnRun(review.runId)) {
      const saving = part.saveToService(review, stop);
      stop.addEventListener('abort', () => saving.leave());
      service.value = saving;
    }
    saved.value = { Notice: part.SaveNotice, Where: part.SavedWhere };
  };
  // The review is stored in this browser in any case.
  void load().catch(() => {});
  return { service, saved };
}
