/** The sound as a picture, with the captions under it: click to go there, drag to change times. */
import { useComputed, useSignal, useSignalEffect, type Signal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { Icon } from '../components/icon.tsx';
import { useSize } from '../components/use-size.ts';
import { text } from './strings.ts';
import { theme } from '../theme.ts';
import { lastStartedAt } from './cue-at.ts';
import { heldText } from './held-text.ts';
import { drawWaveform } from './draw-waveform.ts';
import { nudge, setTimes } from './model/edits.ts';
import { replaceCues } from './model/splice.ts';
import type { ReviewCue } from './model/cue.ts';
import type { Playback } from './playback.ts';
import type { Recording } from './recording.ts';
import type { Review } from './review.ts';

/** How much time the picture may show, in seconds. */
const SPANS = [4, 8, 15, 30, 60, 120];

export interface WaveformProps {
  review: Review;
  playback: Playback;
  recording: Recording;
}

/** The waveform around the playhead. */
export function Waveform({ review, playback, recording }: WaveformProps) {
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const width = useSignal(600);
  const zoom = useSignal(2);
  const span = SPANS[zoom.value] ?? 15;
  /** The time at the left edge, in seconds. */
  const left = useSignal(0);

  useSize(frame, 'width', width);
  // The playhead stays in the picture.
  useSignalEffect(() => {
    const time = playback.time.value;
    const shown = SPANS[zoom.value] ?? 15;
    if (time < left.peek() || time > left.peek() + shown * 0.9) {
      left.value = Math.max(0, time - shown * 0.1);
    }
  });
  useSignalEffect(() => {
    const view = { left: left.value, span: SPANS[zoom.value] ?? 15, width: width.value };
    const shown = { peaks: recording.peaks.value, time: playback.time.value, theme: theme.value };
    if (canvas.current) drawWaveform(canvas.current, view, shown);
  });

  const timeAt = (clientX: number): number => {
    const box = frame.current?.getBoundingClientRect();
    return left.value + ((clientX - (box?.left ?? 0)) / width.value) * span;
  };
  const change = (by: 1 | -1) => {
    const middle = left.value + span / 2;
    zoom.value = Math.max(0, Math.min(SPANS.length - 1, zoom.value + by));
    left.value = Math.max(0, middle - (SPANS[zoom.value] ?? 15) / 2);
  };
  const note = {
    none: '',
    reading: text.review.waveformLoading,
    ready: '',
    unreadable: text.review.waveformNone,
  }[recording.waveform.value];
  return (
    <section class="waveform" aria-label={text.review.waveform}>
      <div
        class="waveform-frame"
        ref={frame}
        onPointerDown={(event) => {
          if (event.target === canvas.current) playback.seek(timeAt(event.clientX));
        }}
        onWheel={(event) => {
          if (event.ctrlKey) return;
          event.preventDefault();
          left.value = Math.max(
            0,
            left.value + ((event.deltaX + event.deltaY) / width.value) * span,
          );
        }}
      >
        <canvas ref={canvas} aria-hidden="true" />
        <Regions review={review} playback={playback} left={left} span={span} timeAt={timeAt} />
        <p class="waveform-note" role="status">
          {note}
        </p>
      </div>
      <div class="zoom">
        <button
          type="button"
          class="quiet"
          aria-label={text.review.zoomIn}
          title={text.review.zoomIn}
          onClick={() => change(-1)}
        >
          <Icon name="plus" />
        </button>
        <button
          type="button"
          class="quiet"
          aria-label={text.review.zoomOut}
          title={text.review.zoomOut}
          onClick={() => change(1)}
        >
          <Icon name="minus" />
        </button>
      </div>
    </section>
  );
}

interface RegionsProps extends Omit<WaveformProps, 'recording'> {
  left: Signal<number>;
  span: number;
  timeAt(clientX: number): number;
}

/** The captions that are in the picture. The keyboard has time fields and buttons for the same. */
function Regions({ review, playback, left, span, timeAt }: RegionsProps) {
  const shown = useComputed(() => {
    const cues = review.cues.value;
    const from = Math.max(0, lastStartedAt(cues, left.value));
    return { from, cues: cues.slice(from, lastStartedAt(cues, left.value + span) + 1) };
  }).value;
  const at = (time: number): string => `${((time - left.value) / span) * 100}%`;
  return (
    <div class="regions" aria-hidden="true">
      {shown.cues.map((cue, offset) => (
        <div
          key={cue.id}
          class={`cue-region ${cue.id === review.currentId.value ? 'current' : ''}`}
          style={{ left: at(cue.start), width: `${((cue.end - cue.start) / span) * 100}%` }}
          onPointerDown={(event) => drag(event, cue, { review, playback, timeAt })}
        >
          <i data-edge="start" />
          <span>{shown.from + offset + 1}</span>
          <i data-edge="end" />
        </div>
      ))}
    </div>
  );
}

let drags = 0;
/** Less than this is a click, in pixels. */
const CLICK = 3;

/** Moves a cue, or one of its edges, until the pointer is let go; it is one step of undo. */
function drag(
  event: PointerEvent,
  cue: ReviewCue,
  { review, playback, timeAt }: Pick<RegionsProps, 'review' | 'playback' | 'timeAt'>,
): void {
  const { target, currentTarget } = event;
  if (event.button !== 0 || !(currentTarget instanceof HTMLElement)) return;
  event.preventDefault();
  const edge = target instanceof HTMLElement ? target.dataset['edge'] : undefined;
  const group = `drag ${(drags += 1)}`;
  const begun = timeAt(event.clientX);
  const before = review.cues.peek();
  const index = before.findIndex(({ id }) => id === cue.id);
  const { settings } = review;
  let moved = false;
  review.currentId.value = cue.id;
  currentTarget.setPointerCapture(event.pointerId);
  const stop = new AbortController();
  const move = ({ clientX }: PointerEvent) => {
    moved ||= Math.abs(clientX - event.clientX) >= CLICK;
    if (!moved) return;
    const by = timeAt(clientX) - begun;
    const made =
      edge === 'start'
        ? setTimes(before, index, { start: cue.start + by }, settings)
        : edge === 'end'
          ? setTimes(before, index, { end: cue.end + by }, settings)
          : nudge(before, index, by, settings);
    if (!made) return;
    // A neighbour that was rolled along comes back with the edge: all is as it was, but for the drag.
    const cues = review.cues.peek();
    const isOther = cues.length !== before.length || cues[index]?.id !== cue.id;
    const splice = isOther ? null : replaceCues(cues, made.at, made.cues.length, made.cues);
    if (splice) review.edit('times', splice, { group, cueId: cue.id });
    if (made.held) review.said.value = heldText(made.held, index);
  };
  const end = () => {
    stop.abort();
    if (moved) return;
    playback.seek(begun);
    review.reveal.value = { id: cue.id };
  };
  currentTarget.addEventListener('pointermove', move, { signal: stop.signal });
  currentTarget.addEventListener('pointerup', end, { signal: stop.signal });
  currentTarget.addEventListener('pointercancel', () => stop.abort(), { signal: stop.signal });
}
