/** The parts of a desk that work without its page. */
import { signal } from '@preact/signals';
import type { Stretch } from '../../../server/contract/unheard.ts';
import { createCommands } from '../../../web/review/desk/commands.ts';
import { createDeskClock } from '../../../web/review/editing/desk-clock.ts';
import { createDoubts } from '../../../web/review/editing/doubts.ts';
import { createPlayback } from '../../../web/review/play/playback.ts';
import { createProfileCheck } from '../../../web/review/desk/profile-check.ts';
import { createSelection } from '../../../web/review/editing/selection.ts';
import { createSpeakers } from '../../../web/review/editing/speakers.ts';
import type { Magnets } from '../../../web/review/model/snap.ts';
import { createNavigation } from '../../../web/review/desk/navigation.ts';
import { correction, cuesOf, reviewOf } from '../review/support.ts';
import { MediaElement } from './page.ts';

/** A desk with captions of two seconds, one every three. */
export function desk(
  lines: readonly string[],
  corrections: ReturnType<typeof correction>[] = [],
  unheardIn: readonly Stretch[] = [],
) {
  const review = reviewOf(cuesOf(...lines), corrections);
  const playback = createPlayback(100);
  const media = new MediaElement();
  playback.attach(media.asMedia());
  const selection = createSelection(review);
  const doubts = createDoubts(review, signal(unheardIn));
  const check = createProfileCheck(review, { shots: signal([]) }, signal(null));
  const navigation = createNavigation(review, { doubts, check, playback });
  const magnets = signal<Magnets>({});
  const rate = signal<number | null>(null);
  const clock = createDeskClock(rate, signal(false));
  const { unheard } = doubts;
  const now = () => magnets.value;
  const tools = { playback, selection, navigation, check, magnets: now, clock, unheard };
  const at = () => review.currentIndex.value + 1;
  const go = (index: number) => (review.currentId.value = review.cues.value[index - 1]?.id ?? null);
  return {
    review,
    playback,
    media,
    selection,
    navigation,
    magnets,
    rate,
    clock,
    /** The number of the current caption, from 1. */
    at,
    /** Makes a caption current. */
    go,
    speakers: createSpeakers(review, selection),
    commands: createCommands(review, tools),
  };
}
