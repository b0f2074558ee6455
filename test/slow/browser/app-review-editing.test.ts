/** Editing captions by hand: their text, their times, splitting and merging. */
import { describe, expect, setDefaultTimeout } from 'bun:test';
import { position } from '../../../web/format.ts';
import { linesOf, reviewTests } from '../../support/browser/review.ts';

setDefaultTimeout(300_000);

const { reviewing, theRun, cueAt } = await reviewTests();

describe('text', () => {
  reviewing('is edited in place, line by line; its figures follow', async (review) => {
    const [before] = await review.readAll('[aria-posinset="1"] .cue-speed');
    await review.type(1, ', tonight');
    expect(await linesOf(review, 1)).toBe(`${cueAt(1).text}, tonight`);
    expect(await review.readAll('[aria-posinset="1"] .cue-speed')).not.toEqual([before ?? '']);
    await review.keys('Shift+Enter');
    await review.page.keyboard.type('a third line of them');
    await review.settled();
    expect((await linesOf(review, 1)).split('\n')).toHaveLength(3);
    expect(await review.read('[aria-posinset="1"] .cue-lengths')).toEndWith('20');
    expect(await review.read('[aria-posinset="1"] .cue-warnings')).toContain('3 lines');
    // Too many lines, and too fast to read.
    expect(await review.read('[data-tab=warnings]')).toBe(
      `Warnings (${theRun().result.quality.captions.summary.warningCount + 2})`,
    );
  });

  reviewing('letters and digits are only text: no key of theirs does anything', async (review) => {
    await review.type(1, ' abcdefghijklmnopqrstuvwxyz 0123456789 ?');
    expect(await linesOf(review, 1)).toEndWith('abcdefghijklmnopqrstuvwxyz 0123456789 ?');
    expect(await review.cues()).toHaveLength(theRun().cues.length);
    expect(await review.count('dialog')).toBe(0);
  });
});

describe('captions', () => {
  reviewing('are split at the cursor, by key and by button, and merged again', async (review) => {
    const { text, start, end } = cueAt(1);
    const gap = text.indexOf('\n');
    await review.focus(1, gap + 1);
    await review.keys('Alt+Enter');
    const [first, second] = await review.cues();
    expect([first?.lines, second?.lines]).toEqual([[text.slice(0, gap)], [text.slice(gap + 1)]]);
    expect([first?.start, second?.end]).toEqual([start, end]);
    expect(first?.end).toBe(second?.start ?? 0);
    expect(await review.current()).toEqual({ caption: 2, typing: true, cursor: 0 });
    await review.keys('Alt+ArrowUp', 'Alt+KeyM');
    expect((await review.cues())[0]).toEqual({ start, end, lines: cueAt(1).lines });

    await review.focus(2, cueAt(2).text.indexOf(' '));
    await review.press('Split');
    expect(await linesOf(review, 2)).toBe(cueAt(2).text.split(' ')[0] ?? '');
    await review.press('Undo');
    // Further typing continues at the cursor.
    const at = cueAt(2).text.indexOf(' ');
    expect(await review.current()).toEqual({ caption: 2, typing: true, cursor: at });
    expect(await review.srt()).toBe(theRun().srt.replace(cueAt(1).text, await linesOf(review, 1)));
  });

  reviewing('take what is typed right after the undo of a split', async (review) => {
    const { text } = cueAt(2);
    const at = text.indexOf(' ');
    await review.focus(2, at);
    const { keyboard } = review.page;
    // Without waiting, because a user may be just as fast.
    for (const [held, key] of [
      ['Alt', 'Enter'],
      ['Control', 'KeyZ'],
    ] as const) {
      await keyboard.down(held);
      await keyboard.press(key);
      await keyboard.up(held);
    }
    await keyboard.type(',');
    await review.settled();
    expect(await linesOf(review, 2)).toBe(`${text.slice(0, at)},${text.slice(at)}`);
  });

  reviewing('are there again where they were left', async (review) => {
    await review.focus(7);
    await review.page.reload();
    await review.page.waitForSelector('.cue.current');
    await review.settled();
    expect((await review.current()).caption).toBe(7);
    const isSeen = await review.page.$eval('.cue.current', (row) => {
      const { top, bottom } = row.getBoundingClientRect();
      const list = row.closest('.cue-list')?.getBoundingClientRect();
      return !!list && top >= list.top && bottom <= list.bottom;
    });
    expect(isSeen).toBe(true);
  });

  reviewing('are played by a press as long as a human one', async (review) => {
    for (const [from, to] of [
      [1, 2],
      [2, 4],
      [3, 6],
      [6, 7],
    ] as const) {
      await review.focus(from);
      const button = await review.page.waitForSelector(
        `[aria-label="Caption ${to}: play from here"]`,
      );
      await button?.scrollIntoView();
      await review.settled();
      const box = await button?.boundingBox();
      await review.page.mouse.move((box?.x ?? 0) + 10, (box?.y ?? 0) + 10);
      await review.page.mouse.down();
      await new Promise((done) => setTimeout(done, 120));
      // The pressed button has not moved.
      expect((await button?.boundingBox())?.y).toBe(box?.y ?? 0);
      await review.page.mouse.up();
      await review.settled();
      expect((await review.current()).caption).toBe(to);
      expect(await review.read('.clock')).toStartWith(position(cueAt(to).start));
    }
  });
});
