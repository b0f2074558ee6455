/** The current caption below the player, on narrow screens that show another part. */
import { position } from '../../format.ts';
import type { Desk } from './desk.ts';
import { textOf } from '../model/cue.ts';
import { phone as phoneText } from '../../texts/phone.ts';

/** The caption; a tap opens its text. */
export function PinnedCaption({ desk }: { desk: Desk }) {
  const { review, part } = desk;
  const at = review.currentIndex.value;
  const cue = review.cues.value[at];
  if (!cue || part.value === 'captions') return null;
  return (
    <button
      type="button"
      class="pinned"
      onClick={() => {
        part.value = 'captions';
        review.reveal.value = { id: cue.id, select: 'end' };
      }}
    >
      <span class="visually-hidden">{phoneText.editCaption(at + 1)}</span>
      <span class="hint">
        {at + 1} · {position(cue.start)}
      </span>
      <span lang={review.language}>{textOf(cue)}</span>
    </button>
  );
}
