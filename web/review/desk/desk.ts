/** A desk: a review with everything that works on it. */
import type { ReadonlySignal, Signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import type { CaptionerCompletedResult } from '../../../server/contract/results.ts';
import { guest } from '../../tab/guest.ts';
import { session } from '../../tab/session.ts';
import type { OpenedReview } from '../save/open-review.ts';
import type { Playback } from '../play/playback.ts';
import type { Recording } from '../play/recording.ts';
import type { Comments } from '../save/comments.ts';
import type { ReviewWork } from '../save/review-work.ts';
import type { ServiceSaving } from '../save/save-to-service.ts';
import type { ReviewCue } from '../model/cue.ts';
import type { TimeView } from '../model/time-view.ts';
import type { Transport, TypingPause } from '../play/transport.ts';
import type { Translating } from '../translation/translating.ts';
import type { Commands, MagnetsNow } from './commands.ts';
import type { DeskClock } from '../editing/desk-clock.ts';
import type { Doubts } from '../editing/doubts.ts';
import type { Finder } from '../editing/finder.ts';
import type { ProfileCheck } from './profile-check.ts';
import type { Selection } from '../editing/selection.ts';
import type { Speakers } from '../editing/speakers.ts';
import type { Navigation } from './navigation.ts';

/** The dialogs and forms over the desk. */
export type View =
  | 'burn'
  | 'compare'
  | 'file'
  | 'frames'
  | 'keys'
  | 'palette'
  | 'profiles'
  | 'rebuild'
  | 'retime'
  | 'script'
  | 'share'
  | 'shift'
  | 'tools'
  | 'work';
/** The tabs of the side panel, in their order. Each has a command that shows it: `showTerms`. */
export const TABS = ['terms', 'doubts', 'warnings', 'report', 'speakers', 'comments'] as const;
export type Tab = (typeof TABS)[number];

/** The parts of the review that a narrow screen shows one at a time. */
type DeskPart = 'captions' | 'check' | 'sound';

/** The components that show where the review is saved, with whom it is shared, and what others have changed. */
interface SavedParts {
  Notice: ComponentType<{ desk: Desk }>;
  Where: ComponentType<{ desk: Desk }>;
  Finish: ComponentType<{ desk: Desk }>;
  Share: ComponentType<{ desk: Desk }>;
  Guest: ComponentType<{ desk: Desk }>;
  Work: ComponentType<{ desk: Desk }>;
  CueComments: ComponentType<{ desk: Desk; cue: ReviewCue }>;
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
  /** The frame rate that counts: chosen, that of the picture, or that of the rules. */
  rate: ReadonlySignal<number | null>;
  /** How times are shown and typed. */
  clock: ReadonlySignal<DeskClock>;
  navigation: Navigation;
  magnets: MagnetsNow;
  commands: Commands;
  finder: Finder;
  /** Saves the review on the service; null for captions from a file, and until it is loaded. */
  service: Signal<ServiceSaving | null>;
  saved: Signal<SavedParts | null>;
  /** The comments, which stay in this browser for captions from a file; null until they are loaded. */
  comments: Signal<Comments | null>;
  /** Whom it is assigned to, and whether it is approved; null for captions from a file, and until it is loaded. */
  work: Signal<ReviewWork | null>;
  /** The part of the recording that the timeline shows. */
  timeView: Signal<TimeView>;
  /** The length of the recording with its captions, in seconds. */
  lengthOf(): number;
  /** Whether the translations are shown in place of the captions. */
  translation: Signal<boolean>;
  /** The translations, once they were shown. */
  translating: Signal<Translating | null>;
  view: Signal<View | null>;
  tab: Signal<Tab>;
  /** What a narrow screen shows. */
  part: Signal<DeskPart>;
}

/** Whether the user may make links to the review: it is on the service, for the key of a session. */
export const mayShare = ({ service }: Pick<Desk, 'service'>): boolean =>
  service.value !== null && session.value !== null && guest.value === null;
