/** The colour of a speaker, beside the name. */
import type { Desk } from './desk.ts';
import type { ReviewCue } from './model/cue.ts';
import { colourOf } from './speakers.ts';

/** A spot of the colour. @param number of the speaker, from 0 */
export const SpeakerMark = ({ number }: { number: number }) => (
  <span class={`speaker-mark ${colourOf(number)}`} aria-hidden="true" />
);

/** Who speaks in a caption; nothing where nobody has said. */
export function CueSpeakers({ desk, cue }: { desk: Desk; cue: ReviewCue }) {
  const order = desk.speakers.order.value;
  if (!cue.speakers) return null;
  return (
    <span class="cue-speakers">
      {[...new Set(cue.speakers)].map((name) => (
        <span key={name} class={colourOf(order.get(name) ?? 0)}>
          {name}
        </span>
      ))}
    </span>
  );
}
