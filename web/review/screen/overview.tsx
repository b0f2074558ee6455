/** The overview above the timeline: the whole sound, open items as ticks, and the visible part. */
import { useComputed, useSignal, useSignalEffect, type ReadonlySignal } from '@preact/signals';
import { useMemo, useRef } from 'preact/hooks';
import { useSize } from '../../components/use-size.ts';
import type { Stretch } from '../../../server/contract/unheard.ts';
import { theme } from '../../tab/theme.ts';
import type { Desk } from '../desk/desk.ts';
import { drawSound, prepare } from '../play/draw-time-line.ts';
import { within } from '../model/time-view.ts';
import { sameList } from '../model/splice.ts';
import { overviewText } from '../../texts/desk-parts.ts';

const HEIGHT = 36;
/** The height of the sound, above one lane each for terms, doubts and warnings. */
const SOUND = 18;
const LANE = 6;

/** The overview; a press seeks, a drag moves the visible part. */
export function Overview({ desk }: { desk: Desk }) {
  const { review, playback, recording, navigation, doubts, check, finder, timeView, lengthOf } =
    desk;
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const width = useSignal(600);
  useSize(frame, 'width', width);
  const cueStarts = useSameList(() => review.cues.value.map(({ start }) => start));
  const starts = (of: readonly number[]): number[] => of.map((at) => cueStarts.value[at]!);
  const terms = useSameList(() => navigation.openTerms.value.map(({ start }) => start));
  const doubtful = useSameList(() => starts(doubts.open.value.map(({ index }) => index)));
  const warned = useSameList(() =>
    starts(check.counts.value.flatMap((warnings, index) => (warnings > 0 ? [index] : []))),
  );
  const length = useComputed(lengthOf);
  const atOnce = (desk.result.transcript.metadata.speechAtOnce ?? []) as readonly Stretch[];
  /**
   * The sound and the ticks are drawn once, since there may be thousands of ticks; playing and zooming only copy the
   * picture.
   */
  const still = useMemo(() => document.createElement('canvas'), []);
  const drawn = useSignal(0);
  useSignalEffect(() => {
    const wide = width.value;
    const [peaks, _] = [recording.peaks.value, theme.value];
    const lanes = [
      ['accent', terms.value],
      ['ink-soft', doubtful.value],
      ['warning', warned.value],
    ] as const;
    const [found, all, unheard] = [finder.times.value, length.value, doubts.unheard.value];
    const context = canvas.current && prepare(still, wide, HEIGHT);
    if (!canvas.current || !context) return;
    const { colour, style } = colours(canvas.current);
    const xOf = (at: number): number => (at / all) * wide;
    context.fillStyle = style.color;
    if (peaks) drawSound(context, peaks, { left: 0, span: all }, wide, SOUND);
    context.fillStyle = colour('warning');
    context.globalAlpha = 0.3;
    for (const { start, end } of unheard) {
      context.fillRect(xOf(start), 0, Math.max(2, xOf(end) - xOf(start)), SOUND);
    }
    context.fillStyle = colour('accent');
    for (const { start, end } of atOnce) {
      context.fillRect(xOf(start), SOUND - 3, Math.max(2, xOf(end) - xOf(start)), 3);
    }
    context.globalAlpha = 1;
    for (const [lane, [name, times]] of lanes.entries()) {
      context.fillStyle = colour(name);
      for (const at of times) context.fillRect(xOf(at) - 1, SOUND + lane * LANE, 2, LANE - 1);
    }
    context.fillStyle = colour('accent');
    for (const at of found) context.fillRect(xOf(at) - 1, 0, 2, SOUND);
    drawn.value = drawn.peek() + 1;
  });
  useSignalEffect(() => {
    const [wide, all, _] = [width.value, length.value, drawn.value];
    const [view, time] = [timeView.value, playback.time.value];
    const context = canvas.current && prepare(canvas.current, wide, HEIGHT);
    if (!canvas.current || !context) return;
    const { colour } = colours(canvas.current);
    const xOf = (at: number): number => (at / all) * wide;
    context.fillStyle = colour('paper-raised');
    context.fillRect(xOf(view.left), 0, Math.max(3, xOf(view.span)), HEIGHT);
    if (still.width > 0) context.drawImage(still, 0, 0, wide, HEIGHT);
    context.strokeStyle = colour('accent');
    context.strokeRect(xOf(view.left) + 0.5, 0.5, Math.max(3, xOf(view.span)) - 1, HEIGHT - 1);
    context.fillStyle = colour('error');
    context.fillRect(xOf(time) - 0.75, 0, 1.5, HEIGHT);
  });
  const goTo = (clientX: number, seek: boolean) => {
    const { left } = frame.current!.getBoundingClientRect();
    const time = ((clientX - left) / width.value) * lengthOf();
    const { span } = timeView.peek();
    timeView.value = within({ left: time - span / 2, span }, lengthOf());
    if (seek) navigation.seek(time, true);
  };
  return (
    <div
      class="overview"
      ref={frame}
      aria-hidden="true"
      title={overviewText.label}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        goTo(event.clientX, true);
      }}
      onPointerMove={(event) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId)) goTo(event.clientX, false);
      }}
    >
      <canvas ref={canvas} />
    </div>
  );
}

/** A list that keeps its identity while its items stay the same. */
const useSameList = <T,>(compute: () => readonly T[]): ReadonlySignal<readonly T[]> =>
  useMemo(() => sameList(compute), []);

function colours(canvas: HTMLCanvasElement) {
  const style = getComputedStyle(canvas);
  return { style, colour: (name: string): string => style.getPropertyValue(`--${name}`) };
}
