/** The colour and the name of a speaker. */
import type { Desk } from './desk.ts';
import type { ReviewCue } from '../model/cue.ts';
import { colourOf } from './speakers.ts';

/**
 * A dot in the speaker's colour.
 * @param number of the speaker, from 0
 */
export const SpeakerMark = ({ number }: { number: number }) => (
  <span class={`speaker-mark ${colourOf(number)}`} aria-hidden="true" />
);

/** The speakers of a caption; nothing if there are none. */
export function CueSpeakers({ desk, cue }: { desk: Desk; cue: ReviewCue }) {
  const order = desk.speakers.order.value;
  if (!cue.speakers) return null;
  return (
    <span class="cue-speakers">
      {[...new Set(cue.speakers)].map((name) => (
        <span key={name} class={colourOf(order.get(name)!)}>
          {name}
        </span>
      ))}
    </span>
  );
}
