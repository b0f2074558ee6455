/** Draws the waveform: peaks, a time line, the playhead. */
import { position } from '../format.ts';

/** What is in the picture. */
export interface WaveformView {
  /** The time at the left edge, and how much is shown, in seconds. */
  left: number;
  span: number;
  /** CSS pixels. */
  width: number;
}

export interface WaveformContent {
  /** 50 a second, 0 to 255. */
  peaks: Uint8Array | null;
  /** Where the playhead is, in seconds. */
  time: number;
  /** Its colours are read from the page. */
  theme: string;
}

const HEIGHT = 96;
const PER_SECOND = 50;
/** Below the sound are the captions, and the times. */
const SOUND = 56;
/** Between two times at least, in pixels. */
const TICK = 80;
const STEPS = [1, 2, 5, 10, 15, 30, 60];

/** Draws it in the colours of the page. */
export function drawWaveform(
  canvas: HTMLCanvasElement,
  { left, span, width }: WaveformView,
  { peaks, time }: WaveformContent,
): void {
  const scale = devicePixelRatio;
  const context = canvas.getContext('2d');
  if (!context || width <= 0) return;
  if (canvas.width !== Math.round(width * scale)) {
    canvas.width = Math.round(width * scale);
    canvas.height = HEIGHT * scale;
  }
  const style = getComputedStyle(canvas);
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, width, HEIGHT);
  context.fillStyle = style.color;
  const xOf = (at: number): number => ((at - left) / span) * width;

  if (peaks) {
    for (let x = 0; x < width; x += 1) {
      const from = Math.floor((left + (x / width) * span) * PER_SECOND);
      const to = Math.max(from + 1, Math.floor((left + ((x + 1) / width) * span) * PER_SECOND));
      let loudest = 0;
      for (let at = from; at < to; at += 1) loudest = Math.max(loudest, peaks[at] ?? 0);
      // Quiet voices are seen as well.
      const high = Math.max(1, Math.sqrt(loudest / 255) * SOUND);
      context.fillRect(x, (SOUND - high) / 2, 1, high);
    }
  }

  context.font = `11px ${style.fontFamily}`;
  context.fillStyle = style.getPropertyValue('--ink-soft');
  const step = STEPS.find((seconds) => (seconds / span) * width >= TICK) ?? 60;
  for (let at = Math.ceil(left / step) * step; at < left + span; at += step) {
    context.fillText(position(at).replace(/\.0$/, ''), xOf(at) + 3, HEIGHT - 3);
    context.fillRect(xOf(at), HEIGHT - 12, 1, 12);
  }
  context.fillStyle = style.getPropertyValue('--error');
  context.fillRect(xOf(time) - 0.75, 0, 1.5, HEIGHT);
}
