/** Drags a caption over the picture to one of nine places; they are kept in files, and can be undone. */
import type { Placement } from '../../../server/captions/cue.ts';
import { isRightToLeft } from '../../../server/captions/files/direction.ts';
import type { Desk } from '../desk/desk.ts';
import { cueAt } from '../model/cue.ts';

/** A press that moves less than this, in pixels, is no drag. */
const LEAST = 4;

/** The place for a point, in shares of the picture. @param isFromRight whether its lines begin at the right */
export function placeAt(
  x: number,
  y: number,
  isFromRight: boolean,
): { vertical: Placement['vertical']; align: Placement['align'] } {
  const side = x < 1 / 3 ? 'left' : x < 2 / 3 ? undefined : 'right';
  return {
    vertical: y < 1 / 3 ? 'top' : y < 2 / 3 ? 'middle' : undefined,
    align: side && ((side === 'left') === isFromRight ? 'end' : 'start'),
  };
}

/** Follows the pointer until it is lifted; the caption shows where it would be. */
export function dragPlace(
  overlay: HTMLElement,
  { pointerId, clientX, clientY }: Pick<PointerEvent, 'pointerId' | 'clientX' | 'clientY'>,
  { review, playback, selection, speakers }: Desk,
): void {
  const cue = cueAt(review.cues.peek(), playback.time.peek());
  const stage = overlay.parentElement;
  if (!cue || !stage || review.role.peek() !== 'writing') return;
  const before = overlay.className;
  const stop = new AbortController();
  let place: ReturnType<typeof placeAt> | null = null;
  const listen = (name: string, run: (event: PointerEvent) => void) =>
    addEventListener(
      name,
      (event) => {
        const pointer = event as PointerEvent;
        if (pointer.pointerId === pointerId) run(pointer);
      },
      { signal: stop.signal },
    );
  listen('pointermove', (event) => {
    const moved = Math.hypot(event.clientX - clientX, event.clientY - clientY);
    if (place === null && moved < LEAST) return;
    const { left, top, width, height } = stage.getBoundingClientRect();
    const [x, y] = [(event.clientX - left) / width, (event.clientY - top) / height];
    place = placeAt(x, y, isRightToLeft(review.language));
    overlay.className = `overlay ${place.vertical ?? ''} ${place.align ?? ''}`;
  });
  listen('pointercancel', () => {
    stop.abort();
    overlay.className = before;
  });
  listen('pointerup', () => {
    stop.abort();
    if (place === null) return;
    // Selected captions go along with one of them.
    if (!selection.ids.peek().has(cue.id)) selection.clear();
    review.currentId.value = cue.id;
    speakers.place(place);
  });
}
