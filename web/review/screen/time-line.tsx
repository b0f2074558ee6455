/**
 * The timeline: captions as blocks over the sound. Click to seek, drag blocks and edges, scroll and
 * pinch.
 */
import { useSignal, useSignalEffect } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { IconButton } from '../../components/icon.tsx';
import { OnDemand, onDemand } from '../../components/on-demand.tsx';
import { useSize } from '../../components/use-size.ts';
import { theme } from '../../tab/theme.ts';
import type { Desk } from '../desk/desk.ts';
import { showing, within, zoomed } from '../model/time-view.ts';
import { text } from '../../texts/review.ts';
import { dragCue, Pinch } from './drag-cue.ts';
import { drawTimeLine, hitAt, WORDS } from '../play/draw-time-line.ts';
import { settings } from '../editing/settings.ts';
import { cueAt } from '../model/cue.ts';

const overview = onDemand(() => import('./overview.tsx').then((part) => part.Overview));

/** The usual height of the timeline, in pixels. */
export const TIME_LINE = 132;
/** A view shorter than this shows finer peaks, in seconds. */
const FINE_BELOW = 10;
/** They are read once the view rests, in milliseconds. */
const RESTS = 150;

/**
 * The timeline around the playhead, below an overview of the whole talk. Keyboard users have time
 * fields and shortcuts instead.
 */
export function TimeLine({ desk }: { desk: Desk }) {
  const { review, playback, recording, selection, navigation, timeView, lengthOf } = desk;
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const width = useSignal(600);
  const held = useSignal('');
  const pinch = useRef(new Pinch());
  const endDrag = useRef(() => {});
  const height = settings.timeLine.value ?? TIME_LINE;
  useSize(frame, 'width', width);
  // Keep the playhead in view.
  useSignalEffect(() => {
    timeView.value = showing(timeView.peek(), playback.time.value, lengthOf());
  });
  useSignalEffect(() => {
    const view = timeView.value;
    if (view.span >= FINE_BELOW || recording.waveform.value !== 'ready') return undefined;
    const waits = setTimeout(() => void recording.refine(view), RESTS);
    return () => clearTimeout(waits);
  });
  useSignalEffect(() => {
    const [view, _] = [timeView.value, theme.value];
    const cues = review.cues.value;
    const content = {
      peaks: recording.peaks.value,
      fine: view.span < FINE_BELOW ? recording.fine.value : null,
      cues,
      currentId: review.currentId.value,
      heardId: cueAt(cues, playback.time.value)?.id ?? null,
      selected: selection.ids.value,
      speakers: desk.speakers.order.value,
      found: desk.finder.times.value,
      shots: recording.shots.value,
      unheard: desk.doubts.unheard.value,
      comments: (desk.comments.value?.open.value ?? []).map(({ comment }) => comment.at),
      time: playback.time.value,
      write: desk.clock.value.position,
    };
    const size = [width.value, settings.timeLine.value ?? TIME_LINE] as const;
    if (!canvas.current || !frame.current) return;
    drawTimeLine(canvas.current, view, size, content);
    // Publish the visible range for tests and other code outside the page.
    frame.current.dataset['left'] = String(view.left);
    frame.current.dataset['span'] = String(view.span);
  });

  const timeAt = (clientX: number): number => {
    const box = frame.current!.getBoundingClientRect();
    const { left, span } = timeView.peek();
    return left + ((clientX - box.left) / width.peek()) * span;
  };
  const secondsAPixel = (): number => timeView.peek().span / width.peek();
  const hit = (event: PointerEvent) => {
    const pointer = event.pointerType === 'touch' ? 'touch' : 'mouse';
    const current = review.currentIndex.peek();
    return hitAt(review.cues.peek(), timeAt(event.clientX), secondsAPixel(), pointer, current);
  };
  const isOnWords = ({ clientY }: PointerEvent): boolean =>
    frame.current!.getBoundingClientRect().bottom - clientY <= WORDS;
  /** A mouse drags a block wherever it holds it; a finger above the words moves the view instead. */
  const isHeld = (event: PointerEvent): boolean =>
    event.pointerType !== 'touch' || isOnWords(event);
  const zoom = (at: number, factor: number) => {
    timeView.value = zoomed(timeView.peek(), at, factor, lengthOf());
  };
  const pan = (pixels: number) => {
    const { left, span } = timeView.peek();
    timeView.value = within({ left: left + pixels * secondsAPixel(), span }, lengthOf());
  };
  const down = (event: PointerEvent & { currentTarget: HTMLCanvasElement }) => {
    if (event.button !== 0) return;
    if (pinch.current.down(event)) return endDrag.current();
    event.preventDefault();
    const found = hit(event);
    const seek = () => navigation.seek(timeAt(event.clientX), true);
    if (found && (found.part !== 'whole' || isHeld(event))) {
      const cue = review.cues.peek()[found.index];
      // If the finger panned as well, the time under it would not change, and the caption would not move.
      pinch.current.drag();
      endDrag.current = dragCue(event, desk, {
        hit: found,
        timeAt,
        secondsAPixel,
        onLimit: (reason) => (held.value = reason),
        onClick() {
          // Above the words, between its edges, a click only seeks.
          if (cue && (found.part !== 'whole' || isOnWords(event))) {
            review.currentId.value = cue.id;
            review.reveal.value = { id: cue.id };
          }
          seek();
        },
      });
    } else if (event.pointerType !== 'touch') seek();
  };
  const move = (event: PointerEvent & { currentTarget: HTMLCanvasElement }) => {
    const pinched = pinch.current.move(event);
    if (pinched) zoom(timeAt(pinched.x - pinched.by), pinched.factor);
    if (pinched) return pan(-pinched.by);
    if (event.buttons !== 0) return;
    const found = hit(event);
    event.currentTarget.style.cursor = !found
      ? 'text'
      : found.part !== 'whole'
        ? 'ew-resize'
        : 'grab';
  };
  const up = (event: PointerEvent) => {
    // A tap seeks; a finger that moved has panned the view, or dragged a caption.
    if (pinch.current.up(event)) navigation.seek(timeAt(event.clientX), true);
  };
  const note = {
    none: '',
    reading: text.review.waveformLoading,
    ready: '',
    unreadable: text.review.waveformNone,
  }[recording.waveform.value];
  const middle = () => timeView.peek().left + timeView.peek().span / 2;
  return (
    // Time runs from left to right in every language, as in the players and editors that everybody knows.
    <section class="waveform" dir="ltr" aria-label={text.review.waveform}>
      {/* Its place is empty until it is loaded, so that nothing moves. */}
      <OnDemand of={overview} desk={desk} meanwhile={<div class="overview" />} />
      <div
        class="waveform-frame"
        ref={frame}
        onWheel={(event) => {
          event.preventDefault();
          // Browsers report a pinch on a touchpad as a wheel event with Ctrl.
          if (event.ctrlKey || event.metaKey)
            zoom(timeAt(event.clientX), Math.exp(event.deltaY * 0.01));
          else if (event.altKey) zoom(timeAt(event.clientX), Math.exp(event.deltaY * 0.002));
          else pan(event.deltaX + event.deltaY);
        }}
      >
        <canvas
          ref={canvas}
          style={{ height: `${height}px` }}
          aria-hidden="true"
          onPointerDown={down}
          onPointerMove={move}
          onPointerUp={up}
          onPointerCancel={(event) => pinch.current.up(event)}
        />
        {held.value !== '' && (
          <p class="held" dir="auto">
            {held.value}
          </p>
        )}
      </div>
      <div class="zoom">
        <span class="waveform-note" role="status">
          {note}
          {recording.findingShots.value !== null &&
            text.review.shotsSoFar(recording.findingShots.value)}
        </span>
        <IconButton
          icon="plus"
          class="quiet"
          tabIndex={-1}
          label={text.review.zoomIn}
          title={text.review.zoomIn}
          onClick={() => zoom(middle(), 0.5)}
        />
        <IconButton
          icon="minus"
          class="quiet"
          tabIndex={-1}
          label={text.review.zoomOut}
          title={text.review.zoomOut}
          onClick={() => zoom(middle(), 2)}
        />
      </div>
    </section>
  );
}
