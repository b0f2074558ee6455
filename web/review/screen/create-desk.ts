/** Creates a desk: a review with everything that works on it. */
import { computed, effect, type ReadonlySignal, signal } from '@preact/signals';
import type { CaptionerCompletedResult } from '../../../server/contract/results.ts';
import { frameRateOf } from '../../../server/captions/timestamps.ts';
import { loadPart } from '../../api/load-part.ts';
import type { OpenedReview } from '../save/open-review.ts';
import { createPlayback } from '../play/playback.ts';
import { findRecording, type Recording } from '../play/recording.ts';
import type { Comments } from '../save/comments.ts';
import type { ReviewWork } from '../save/review-work.ts';
import type { ServiceSaving } from '../save/save-to-service.ts';
import { isOwnRun } from '../../storage/runs.ts';
import type { Stretch } from '../../../server/contract/unheard.ts';
import { loudWithoutCues } from '../model/doubtful-words.ts';
import { createTransport, createTypingPause } from '../play/transport.ts';
import { createCommands, magnetsOf } from '../desk/commands.ts';
import { createDeskClock } from '../editing/desk-clock.ts';
import { createDoubts } from '../editing/doubts.ts';
import { createFinder } from '../editing/finder.ts';
import { createProfileCheck } from '../desk/profile-check.ts';
import { route } from '../../tab/route.ts';
import { keptPlace } from '../../storage/web-storage.ts';
import { createSelection } from '../editing/selection.ts';
import { settings } from '../editing/settings.ts';
import { createSpeakers } from '../editing/speakers.ts';
import { createNavigation } from '../desk/navigation.ts';
import type { Desk } from '../desk/desk.ts';

/** Creates the desk of a review at the time that the address names, or else at the place where it was left. */
export function createDesk(
  opened: OpenedReview,
  result: CaptionerCompletedResult,
  stop: AbortSignal,
): Desk {
  const { review } = opened;
  const playback = createPlayback(review.original.at(-1)?.end ?? 0);
  const to = route.peek();
  const at = to.screen === 'run' ? to.at : undefined;
  const kept = keptPlace(review.runId);
  const place = review.cues
    .peek()
    .find(({ id, end }) => (at === undefined ? id === kept : end > at));
  if (place) {
    review.currentId.value = place.id;
    review.reveal.value = { id: place.id };
    playback.seek(place.start);
  }
  const recording = findRecording(review.runId, stop);
  const selection = createSelection(review);
  const doubts = createDoubts(
    review,
    unheardOf(result, review, recording),
    result.transcript.metadata.doubtfulTurns as Stretch[] | undefined,
  );
  const videoRate = computed(() => recording.frameRate.value ?? playback.frameRate.value);
  const check = createProfileCheck(review, recording, videoRate);
  const navigation = createNavigation(review, { doubts, check, playback });
  const rate = computed(
    () => settings.frameRate.value ?? videoRate.value ?? check.grid.value?.rate ?? null,
  );
  const magnets = magnetsOf(
    review,
    () => rate.peek(),
    () => recording.shots.peek(),
  );
  const clock = createDeskClock(
    rate,
    computed(() => check.grid.value !== null),
  );
  stop.addEventListener(
    'abort',
    effect(() => {
      const snapped = settings.snapFrames.value && rate.value ? frameRateOf(rate.value).rate : null;
      review.grid.value =
        check.grid.value ?? (snapped === null ? null : { rate: snapped, gapFrames: null });
    }),
  );
  const left = navigation.left.peek();
  return {
    ...opened,
    result,
    playback,
    recording,
    transport: createTransport(review, playback, rate, navigation.seek),
    typingPause: createTypingPause(playback, settings.patient),
    selection,
    speakers: createSpeakers(review, selection),
    doubts,
    check,
    videoRate,
    rate,
    clock,
    navigation,
    magnets,
    commands: createCommands(review, {
      playback,
      selection,
      navigation,
      check,
      magnets,
      clock,
      unheard: doubts.unheard,
    }),
    finder: createFinder(review),
    ...savingOf(review, stop),
    timeView: signal({ left: 0, span: 15 }),
    lengthOf: () => Math.max(playback.length.value, review.cues.value.at(-1)?.end ?? 0, 1),
    translation: signal(false),
    translating: signal(null),
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
): Pick<Desk, 'service' | 'saved' | 'comments' | 'work'> {
  const service = signal<ServiceSaving | null>(null);
  const saved = signal<Desk['saved']['value']>(null);
  const comments = signal<Comments | null>(null);
  const work = signal<ReviewWork | null>(null);
  const load = async (): Promise<void> => {
    const part = await loadPart(() => import('./save-part.ts'), stop);
    if (stop.aborted) return;
    // The service does not know captions from a file.
    if (isOwnRun(review.runId)) {
      comments.value = part.followComments(review, stop, part.ownComments);
    } else {
      const saving = part.saveToService(review, stop);
      stop.addEventListener('abort', () => saving.leave());
      service.value = saving;
      work.value = part.followWork(review, saving, stop);
      comments.value = part.followComments(review, stop);
    }
    saved.value = {
      Notice: part.SaveNotice,
      Where: part.SavedWhere,
      Finish: part.FinishButton,
      Share: part.ShareButton,
      Guest: part.GuestState,
      Work: part.WorkState,
      CueComments: part.CueComments,
    };
  };
  // The review is stored in this browser in any case.
  void load().catch(() => {});
  return { service, saved, comments, work };
}
