/** The part of the recording that a timeline shows, in seconds. Pure. */

export interface TimeView {
  /** The time at the left edge. */
  readonly left: number;
  /** The duration shown. */
  readonly span: number;
}

/** The shortest span that can be shown: enough for a few words. */
const MIN_SPAN = 2;

const spanWithin = (span: number, length: number): number =>
  Math.max(MIN_SPAN, Math.min(span, length));

/** Limits a view to the recording. */
export function within({ left, span: wanted }: TimeView, length: number): TimeView {
  const span = spanWithin(wanted, length);
  return { left: Math.max(0, Math.min(left, length - span)), span };
}

/**
 * Zooms a view; the time under the pointer stays in place.
 * @param factor above 1 to show more time
 */
export function zoomed(view: TimeView, at: number, factor: number, length: number): TimeView {
  const span = spanWithin(view.span * factor, length);
  return within({ left: at - ((at - view.left) / view.span) * span, span }, length);
}

/** Moves a view to show a time near its left edge; a view that shows it already stays as it is. */
export function showing(view: TimeView, time: number, length: number): TimeView {
  if (time >= view.left && time <= view.left + view.span * 0.95) return view;
  return within({ left: time - view.span * 0.1, span: view.span }, length);
}
