/**
 * The speakers of a review, and the placement of captions: edits of the current caption or the
 * selection.
 */
import { computed, signal, type ReadonlySignal, type Signal } from '@preact/signals';
import type { Placement } from '../../../server/captions/cue.ts';
import {
  changed,
  giveSpeaker,
  turnAround,
  renameSpeaker,
  speakersIn,
  withSpeakers,
  type Speaker,
} from '../model/cue-speakers.ts';
import type { Review } from './review.ts';
import type { Selection } from './selection.ts';
import { text } from '../../texts/review.ts';

/** The number of speaker colours; beyond it, only names distinguish speakers. */
const COLOURS = 6;

/**
 * The name of a speaker's colour in the styles and tokens.
 * @param number of the speaker, from 0
 */
export const colourOf = (number: number): string => `speaker-${(number % COLOURS) + 1}`;

/** Changes of a placement. */
type PlaceChanges = { [Name in keyof Placement]?: Placement[Name] | undefined };

export interface Speakers {
  /** In the order of their first captions. */
  all: ReadonlySignal<Speaker[]>;
  /** The number of each speaker by name, from 0. */
  order: ReadonlySignal<ReadonlyMap<string, number>>;
  /** Whether a change of speaker is meant for the whole turn around the current caption. */
  wholeTurn: Signal<boolean>;
  /** The positions of the captions that a change of speaker is meant for, in ascending order. */
  meant: ReadonlySignal<readonly number[]>;
  /** Sets the speaker; an empty name removes it. */
  give(name: string): void;
  /** Sets the speaker with a number, from 0. */
  giveNumbered(at: number): void;
  rename(from: string, to: string): void;
  /** Sets one speaker for each line of the current caption. */
  giveLines(names: readonly string[]): void;
  /** Places captions in the picture; what is undefined is as usual: at the bottom, in the middle. */
  place(changes: PlaceChanges): void;
  /** Moves captions to the top of the picture, or back to the bottom. */
  toTop(): void;
}

/** Creates the speakers of a review. */
export function createSpeakers(review: Review, selection: Selection): Speakers {
  const { cues, currentIndex } = review;
  const all = computed(() => speakersIn(cues.value));
  // As a string, which stays equal during other edits, so that nothing is rendered again.
  const names = computed(() => JSON.stringify(all.value.map(({ name }) => name)));
  const wholeTurn = signal(false);
  const meantNow = computed((): readonly number[] => {
    const chosen = selection.indices.value;
    if (chosen.length > 0) return chosen;
    const at = currentIndex.value;
    return wholeTurn.value ? turnAround(cues.value, at) : [at];
  });
  const meant = (): readonly number[] => meantNow.peek();
  const give = (name: string): void => {
    review.edit('speaker', giveSpeaker(cues.peek(), meant(), name.trim()));
  };
  const placed = (): readonly number[] => {
    const chosen = selection.indices.peek();
    return chosen.length > 0 ? chosen : [currentIndex.peek()];
  };
  const place: Speakers['place'] = (changes) => {
    review.edit(
      'place',
      changed(cues.peek(), placed(), ({ placement, ...cue }) => {
        const { vertical, align } = { ...placement, ...changes };
        const now = { ...(vertical && { vertical }), ...(align && { align }) };
        return Object.keys(now).length === 0 ? cue : { ...cue, placement: now };
      }),
    );
  };
  return {
    all,
    wholeTurn,
    meant: meantNow,
    order: computed(() => {
      const known: string[] = JSON.parse(names.value);
      return new Map(known.map((name, at) => [name, at] as const));
    }),
    give,
    giveNumbered(at) {
      const speaker = all.peek()[at];
      if (speaker) give(speaker.name);
      else review.message.value = text.review.noSuchSpeaker(at + 1);
    },
    rename(from, to) {
      const name = to.trim();
      if (name !== '' && name !== from) {
        review.edit('speakerName', renameSpeaker(cues.peek(), from, name));
      }
    },
    giveLines(names) {
      const at = currentIndex.peek();
      review.edit(
        'speaker',
        changed(cues.peek(), [at], (cue) => withSpeakers(cue, names, review.language)),
      );
    },
    place,
    toTop() {
      const isUp = cues.peek()[placed()[0] ?? -1]?.placement?.vertical === 'top';
      place({ vertical: isUp ? undefined : 'top' });
    },
  };
}
