/** Captions drawn into pictures: at their time and place, in one piece, and inside the picture. */
import { describe, expect, test } from 'bun:test';
import { captionAt, type CaptionContext, drawCaption } from '../../../web/media/burned-video.ts';
import { placeAt } from '../../../web/review/screen/drag-place.ts';
import type { Caption, Placement } from '../../../server/captions/cue.ts';

/** A canvas on which letters are half as wide as high. */
function canvas(width: number, height: number) {
  const boxes: { left: number; top: number; width: number; height: number }[] = [];
  const words: { text: string; x: number; y: number; font: string }[] = [];
  const sizeOf = (): number => Number(/([\d.]+)px/.exec(context.font)![1]);
  const context = {
    canvas: { width, height },
    font: '',
    measureText: (text: string) => ({ width: (text.length * sizeOf()) / 2 }) as TextMetrics,
    fillRect: (left: number, top: number, wide: number, high: number) =>
      boxes.push({ left, top, width: wide, height: high }),
    fillText: (text: string, x: number, y: number) =>
      words.push({ text, x, y, font: context.font }),
  } as unknown as CaptionContext;
  return { context, boxes, words };
}

const caption = (lines: string[], placement?: Placement): Caption => ({
  start: 1,
  end: 2,
  lines,
  ...(placement && { placement }),
});

describe('a caption in the picture', () => {
  test.each([
    [1920, 1080],
    [1080, 1920],
    [320, 240],
  ])('stays inside at every place, also with long lines: %d × %d', (width, height) => {
    for (const vertical of ['top', 'middle', undefined] as const)
      for (const align of ['start', 'end', undefined] as const)
        for (const isFromRight of [false, true]) {
          const { context, boxes, words } = canvas(width, height);
          const placement = { ...(vertical && { vertical }), ...(align && { align }) };
          const lines = [
            'A line that is as long as <i>captions</i> may ever be, and longer',
            'Two',
          ];
          drawCaption(context, caption(lines, placement), isFromRight);
          expect(boxes).toHaveLength(2);
          for (const box of boxes) {
            expect(box.left).toBeGreaterThanOrEqual(0);
            expect(box.left + box.width).toBeLessThanOrEqual(width);
            expect(box.top).toBeGreaterThanOrEqual(0);
            expect(box.top + box.height).toBeLessThanOrEqual(height);
          }
          const middle = (boxes[0]!.top + boxes[1]!.top + boxes[1]!.height) / 2 / height;
          const side = (boxes[1]!.left + boxes[1]!.width / 2) / width;
          // It is where a person would drag it to.
          expect(placeAt(side, middle, isFromRight)).toEqual({ vertical, align });
          expect(words.map(({ text }) => text).join('')).toBe(
            lines.join('').replace(/<\/?i>/g, ''),
          );
          expect(
            words.filter(({ font }) => font.startsWith('italic')).map(({ text }) => text),
          ).toEqual(['captions']);
        }
  });

  test('is as large as the player shows it', () => {
    const { context, words } = canvas(1920, 1080);
    drawCaption(context, caption(['Hello']), false);
    expect(words[0]!.font).toStartWith(`${1920 * 0.036}px`);
  });

  test('is shown from its start until its end', () => {
    const cues = [caption(['one']), { ...caption(['two']), start: 3, end: 4 }];
    const at = (seconds: number) => captionAt(cues, seconds)?.lines[0];
    expect([0.9, 1, 1.99, 2, 2.9, 3, 3.5, 4].map(at)).toEqual([
      undefined,
      'one',
      'one',
      undefined,
      undefined,
      'two',
      'two',
      undefined,
    ]);
    expect(captionAt([], 1)).toBeUndefined();
  });
});
