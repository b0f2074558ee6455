/** The colour of a speaker, beside the name. */
import { useComputed } from '@preact/signals';
import type { Desk } from './desk.ts';
import type { ReviewCue } from './model/cue.ts';
import { COLOURS } from './speakers.ts';

/** A spot of the colour. @param number of the speaker, from 0 */
export const SpeakerMark = ({ number }: { number: number }) => (
  <span class={`speaker-mark speaker-${(number % COLOURS) + 1}`} aria-hidden="true" />
);

/** Who speaks in a caption; nothing where nobody has said. It is drawn again only when that changes. */
export function CueSpeakers({ desk, cue }: { desk: Desk; cue: ReviewCue }) {
  const { order } = desk.speakers;
  const numbers = useComputed(() => {
    const numbered = order.value;
    return (cue.speakers ?? []).map((name) => numbered.get(name) ?? 0).join(' ');
  }).value;
  if (!cue.speakers || numbers === '') return null;
  const names = cue.speakers;
  return (
    <span class="cue-speakers">
      {numbers.split(' ').map((number, at) => (
        <span key={at} class={`speaker-${(Number(number) % COLOURS) + 1}`}>
          {names[at]}
        </span>
      ))}
    </span>
  );
}
