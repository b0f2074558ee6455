/** The part of the recording that a time line shows, in seconds. Pure. */

export interface TimeView {
  /** The time at the left edge. */
  readonly left: number;
  /** How much is shown. */
  readonly span: number;
}

/** The least that is shown: a few words, edge by edge. */
const LEAST_SPAN = 2;

/** A view within the recording; one that shows all of it shows no more. */
export function within({ left, span }: TimeView, length: number): TimeView {
  const most = Math.max(LEAST_SPAN, length);
  const kept = Math.min(most, Math.max(LEAST_SPAN, span));
  return { left: Math.max(0, Math.min(left, most - kept)), span: kept };
}

/** The view with more or less time in it; the time under the pointer stays where it is. @param factor above 1 for more */
export function zoomed(view: TimeView, at: number, factor: number, length: number): TimeView {
  const { span } = within({ left: 0, span: view.span * factor }, length);
  return within({ left: at - ((at - view.left) / view.span) * span, span }, length);
}

/** The view with a time in it: as it is where it shows it already, else with the time near its left edge. */
export function showing(view: TimeView, time: number, length: number): TimeView {
  if (time >= view.left && time <= view.left + view.span * 0.95) return view;
  return within({ left: time - view.span * 0.1, span: view.span }, length);
}
