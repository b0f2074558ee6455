/** The overview above the timeline: the whole sound, open items as ticks, and the visible part. */
import { useSignal, useSignalEffect } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { useSize } from '../components/use-size.ts';
import { theme } from '../theme.ts';
import type { Desk } from './desk.ts';
import { drawSound, prepare } from './draw-time-line.ts';
import { within } from './model/time-view.ts';
import { text } from '../words/review.ts';

const HEIGHT = 36;
/** The height of the sound, above one lane each for terms, doubts and warnings. */
const SOUND = 18;
const LANE = 6;

/** The overview; a press seeks, a drag moves the visible part. */
export function Overview({ desk }: { desk: Desk }) {
  const { review, playback, recording, walk, doubts, check, finder, timeView, lengthOf } = desk;
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const width = useSignal(600);
  useSize(frame, 'width', width);
  useSignalEffect(() => {
    const wide = width.value;
    const length = lengthOf();
    const view = timeView.value;
    const cues = review.cues.value;
    const lanes = [
      ['accent', walk.openTerms.value.map(({ start }) => start)],
      ['ink-soft', doubts.open.value.map(({ index }) => cues[index]?.start ?? 0)],
      [
        'warning',
        check.counts.value.flatMap((warnings, index) =>
          warnings > 0 ? [cues[index]?.start ?? 0] : [],
        ),
      ],
    ] as const;
    const [peaks, time, _] = [recording.peaks.value, playback.time.value, theme.value];
    if (!canvas.current) return;
    const context = prepare(canvas.current, wide, HEIGHT);
    if (!context) return;
    const style = getComputedStyle(canvas.current);
    const colour = (name: string): string => style.getPropertyValue(`--${name}`);
    const xOf = (at: number): number => (at / length) * wide;
    context.fillStyle = colour('paper-raised');
    context.fillRect(xOf(view.left), 0, Math.max(3, xOf(view.span)), HEIGHT);
    context.fillStyle = style.color;
    if (peaks) drawSound(context, peaks, { left: 0, span: length }, wide, SOUND);
    for (const [lane, [name, times]] of lanes.entries()) {
      context.fillStyle = colour(name);
      for (const at of times) context.fillRect(xOf(at) - 1, SOUND + lane * LANE, 2, LANE - 1);
    }
    context.fillStyle = colour('accent');
    for (const at of finder.times.value) context.fillRect(xOf(at) - 1, 0, 2, SOUND);
    context.strokeStyle = colour('accent');
    context.strokeRect(xOf(view.left) + 0.5, 0.5, Math.max(3, xOf(view.span)) - 1, HEIGHT - 1);
    context.fillStyle = colour('error');
    context.fillRect(xOf(time) - 0.75, 0, 1.5, HEIGHT);
  });
  const goTo = (clientX: number, seek: boolean) => {
    const box = frame.current?.getBoundingClientRect();
    const time = ((clientX - (box?.left ?? 0)) / width.value) * lengthOf();
    const { span } = timeView.peek();
    timeView.value = within({ left: time - span / 2, span }, lengthOf());
    if (seek) playback.seek(time);
  };
  return (
    <div
      class="overview"
      ref={frame}
      aria-hidden="true"
      title={text.review.overview}
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
