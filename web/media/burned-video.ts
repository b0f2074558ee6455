/** Makes a video with its captions drawn into the picture, as the player shows them over it. Load it on demand. */
import type { Caption } from '../../server/captions/cue.ts';
import { isRightToLeft } from '../../server/captions/files/direction.ts';
import { italicRuns } from '../../server/captions/italics.ts';
import { canEncode, encodeVideo, type EncodingOptions, even } from './encode-video.ts';

/** The longer and the shorter side of the picture at most. */
const [LONG, SHORT] = [1920, 1080];
/** The bits of the pictures in a second, at least and at most; in between, as many as in the file, and some more. */
const [LEAST_BITS, MOST_BITS] = [1_000_000, 10_000_000];
const MORE_BITS = 1.2;
/** The packets by which those of the file are estimated. */
const PACKETS = 200;
const SOUND_BITS = 128_000;
/** It is held in memory: 1 GiB. */
const MAX_BYTES = 2 ** 30;
const KEY_FRAME_SECONDS = 5;

/** The style of the player: sizes as shares of the width of a picture of 16:9, and of the size of the letters. */
const STYLE = {
  size: 0.036,
  line: 1.35,
  side: 0.4,
  /** From the edge of the picture, as a share of its height. */
  edge: 0.06,
  /** The widest line, as a share of the picture. */
  widest: 0.94,
  letters: '#fff',
  box: 'rgb(0 0 0 / 78%)',
  font: 'system-ui, sans-serif',
} as const;

/** Whether this browser can make such a video at all. */
export const canBurn = (): Promise<boolean> => canEncode(1280, 720);

/**
 * Makes the video. Throws as `encodeVideo` does.
 * @param cues in order of time
 * @param language BCP 47
 */
export const burnCaptions = (
  file: Blob,
  cues: readonly Caption[],
  language: string,
  options: EncodingOptions,
): Promise<Blob> =>
  encodeVideo(
    file,
    {
      size(wide, high) {
        const scale = Math.min(1, LONG / Math.max(wide, high), SHORT / Math.min(wide, high));
        return { width: even(wide * scale), height: even(high * scale) };
      },
      async pictureBits(track) {
        const { averageBitrate } = await track.computePacketStats(PACKETS);
        return Math.round(Math.max(LEAST_BITS, Math.min(MOST_BITS, averageBitrate * MORE_BITS)));
      },
      soundBits: SOUND_BITS,
      channels: 2,
      maxBytes: MAX_BYTES,
      keyFrameSeconds: KEY_FRAME_SECONDS,
      draw(context, seconds) {
        const cue = captionAt(cues, seconds);
        if (cue) drawCaption(context, cue, isRightToLeft(language));
      },
    },
    options,
  );

/** The caption that is shown at a time; of several, the last that began. */
export function captionAt(cues: readonly Caption[], seconds: number): Caption | undefined {
  let [low, high] = [0, cues.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (cues[middle]!.start <= seconds) low = middle + 1;
    else high = middle;
  }
  const cue = cues[low - 1];
  return cue && seconds < cue.end ? cue : undefined;
}

/** What is needed of a canvas. */
export type CaptionContext = Pick<
  OffscreenCanvasRenderingContext2D,
  | 'font'
  | 'fillStyle'
  | 'direction'
  | 'textBaseline'
  | 'textAlign'
  | 'measureText'
  | 'fillRect'
  | 'fillText'
> & { canvas: { width: number; height: number } };

/** Draws a caption at its place, each line in a box of its own. */
export function drawCaption(
  context: CaptionContext,
  { lines, placement: { vertical, align } = {} }: Caption,
  isFromRight: boolean,
): void {
  const { width, height } = context.canvas;
  const shown = italicRuns(lines.filter((line) => line.trim() !== ''));
  context.direction = isFromRight ? 'rtl' : 'ltr';
  context.textBaseline = 'middle';
  context.textAlign = 'left';
  const widthsAt = (size: number): number[][] =>
    shown.map((runs) =>
      runs.map(({ text, italic }) => {
        context.font = fontOf(size, italic);
        return context.measureText(text).width;
      }),
    );
  // The player's letters are of the width of its stage, which has 16:9, whatever the picture has.
  const usual = STYLE.size * Math.max(width, (height * 16) / 9);
  const room = width * STYLE.widest;
  const widest = Math.max(0, ...widthsAt(usual).map(sum)) + 2 * STYLE.side * usual;
  const size = Math.min(usual, (usual * room) / Math.max(1, widest));
  const widths = widthsAt(size);
  const [side, step] = [STYLE.side * size, STYLE.line * size];
  const block = step * shown.length;
  const edge = STYLE.edge * height;
  const top =
    vertical === 'top'
      ? edge
      : vertical === 'middle'
        ? (height - block) / 2
        : height - edge - block;
  const isAtRight = align !== undefined && (align === 'end') !== isFromRight;
  for (const [at, runs] of shown.entries()) {
    const box = sum(widths[at]!) + 2 * side;
    const margin = (width - room) / 2;
    const left =
      align === undefined ? (width - box) / 2 : isAtRight ? width - margin - box : margin;
    context.fillStyle = STYLE.box;
    context.fillRect(left, top + at * step, box, step);
    context.fillStyle = STYLE.letters;
    let x = isFromRight ? left + box - side : left + side;
    for (const [index, { text, italic }] of runs.entries()) {
      context.font = fontOf(size, italic);
      const run = widths[at]![index]!;
      context.fillText(text, isFromRight ? x - run : x, top + (at + 0.5) * step);
      x += isFromRight ? -run : run;
    }
  }
}

const fontOf = (size: number, italic: boolean): string =>
  `${italic ? 'italic ' : ''}${size}px ${STYLE.font}`;

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);
