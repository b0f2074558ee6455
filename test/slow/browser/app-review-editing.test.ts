/** Captions edited by hand, the tools of a review, and a review that is open in two tabs. */
import { describe, expect, setDefaultTimeout } from 'bun:test';
import type { Page } from 'puppeteer-core';
import { makeCue } from '../../../server/captions/cue.ts';
import { toPlainText } from '../../../server/captions/files/plain-text.ts';
import { readSrt, toSrt } from '../../../server/captions/files/srt.ts';
import { toVtt } from '../../../server/captions/files/vtt.ts';
import { assessCaptions } from '../../../server/captions/rules/quality.ts';
import { position } from '../../../web/format.ts';
import { tabText } from '../../../web/texts/desk-parts.ts';
import { press } from '../../support/browser/app.ts';
import { needsChromium } from '../../support/browser/chromium.ts';
import { keepFromService, rememberFiles } from '../../support/browser/review-page.ts';
import {
  linesOf,
  reviewBench,
  ReviewPage,
  type ReviewRun,
  reviewTests,
} from '../../support/browser/review.ts';
import { text } from '../../support/browser/words.ts';

setDefaultTimeout(300_000);

const bench = await reviewBench();
const { reviewing, theRun, cueAt } = reviewTests(bench);

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

describe('the tools of a review', () => {
  describe('looking', () => {
    reviewing(
      'at the report, whose figures are those of the captions as they are',
      async (review) => {
        await review.type(
          2,
          ' and far too much of it to be read by anybody at all in so little time',
        );
        const cues = (await review.cues()).map(({ start, end, lines }, at) =>
          makeCue(at + 1, start, end, lines),
        );
        const { score, summary } = assessCaptions(cues, theRun().result.captions.settings);
        await review.tab('report');
        const report = await review.read('.report');
        expect(report).toContain(`Format\n${Math.round(score * 100)}%`);
        expect(report).toContain(`Warnings\n${summary.warningCount}`);
        expect(report).toContain(`${summary.maxLineLength} of 42 characters`);
        expect(report).toContain(`${summary.maxCharsPerSecond.toFixed(1)} characters a second`);
        expect(await review.count('.chart rect.over')).toBeGreaterThan(0);
      },
    );
  });

  describe('downloads', () => {
    reviewing('are what the service would write of the same captions', async (review) => {
      await review.type(1, ' & <i>more</i>');
      const srt = await review.srt();
      const cues = readSrt(srt);
      expect(srt).toBe(toSrt(cues));
      expect(cues[0]?.lines.at(-1)).toEndWith('& <i>more</i>');
      const as = async (format: string) => {
        await review.choose('Download as another format', `Download ${format}`);
        return review.lastFile();
      };
      expect(await as('VTT')).toBe(toVtt(cues));
      const plain = await as('TXT');
      expect(plain).toBe(toPlainText(cues));
      expect(plain).not.toContain('<i>');
      const numbered = cues.map(({ start, end, lines }, at) => makeCue(at + 1, start, end, lines));
      expect(JSON.parse(await as('JSON'))).toEqual({ cues: numbered });
      expect(await review.said()).toBe('Downloaded talk.json.');
    });
  });

  /** All words of the captions, in order. */
  const wordsOf = async (review: ReviewPage): Promise<string> =>
    (await review.cues()).flatMap(({ lines }) => lines).join(' ');

  describe('all captions', () => {
    reviewing('are rebuilt with other settings, every word kept, and undone', async (review) => {
      const words = await wordsOf(review);
      await review.choose('More', 'Rebuild captions…');
      await review.page.waitForSelector('dialog .number');
      await review.fill('dialog .number input[type=number]', '24', 'Tab');
      await review.page.waitForFunction(() =>
        /become \d+/.test(document.querySelector('dialog [role=status]')?.textContent ?? ''),
      );
      await review.press('Rebuild');
      const cues = await review.cues();
      expect(cues.length).toBeGreaterThan(theRun().cues.length);
      expect(
        Math.max(...cues.flatMap(({ lines }) => lines.map(({ length }) => length))),
      ).toBeLessThan(25);
      expect(await wordsOf(review)).toBe(words);
      expect((await review.current()).caption).toBe(1);
      await review.keys('Control+KeyZ');
      expect(await review.srt()).toBe(theRun().srt);
    });
  });
});

describe('a review open in two tabs', () => {
  let talk: ReviewRun | null = null;

  /** A review in one tab. */
  async function first(): Promise<ReviewPage> {
    talk ??= await bench.run();
    return bench.open(talk);
  }

  /** The same review in another tab of the same browser; `window` opens it in a separate window. */
  async function another(
    review: ReviewPage,
    { window = false, at = review.page.url() } = {},
  ): Promise<ReviewPage> {
    const context = review.page.browserContext();
    const page = window ? await newWindow(review) : await context.newPage();
    page.setDefaultTimeout(180_000);
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(String(error)));
    await rememberFiles(page);
    await keepFromService(page);
    await page.goto(at);
    await page.waitForSelector('.cue');
    return new ReviewPage({ page, faults });
  }

  async function newWindow(review: ReviewPage): Promise<Page> {
    const context = review.page.browserContext();
    const opened = new Promise<Page>((found) => {
      context.once('targetcreated', (target) => {
        void target.page().then((page) => page && found(page));
      });
    });
    await review.page.evaluate(() =>
      open('about:blank', '_blank', 'popup,noopener,width=900,height=700'),
    );
    return opened;
  }

  /** A tab in the background renders no frames, so it is polled. */
  const POLLING = { polling: 50 } as const;
  const follows = ({ page }: ReviewPage): Promise<unknown> =>
    page.waitForFunction(() => document.querySelector('.tab-notice') !== null, POLLING);
  const writes = ({ page }: ReviewPage): Promise<unknown> =>
    page.waitForFunction(() => !document.querySelector('.tab-notice'), POLLING);
  /** Waits until a tab shows a text in a caption, or no longer shows it. */
  const shown = (
    review: ReviewPage,
    caption: number,
    words: string,
    isThere = true,
  ): Promise<unknown> =>
    review.page.waitForFunction(
      (selector, wanted, expected) =>
        document.querySelector<HTMLTextAreaElement>(selector)?.value.includes(wanted) === expected,
      POLLING,
      review.field(caption),
      words,
      isThere,
    );
  const typeIn = async (review: ReviewPage, caption: number, words: string): Promise<void> => {
    await review.page.bringToFront();
    await review.type(caption, words);
  };

  needsChromium('the second tab follows live, writes nothing, and can take over', async () => {
    const one = await first();
    await typeIn(one, 1, ' ONE');
    const two = await another(one);
    await follows(two);
    expect(await two.text(1)).toEndWith(' ONE');
    // Typing there has no effect, and a message explains why.
    await typeIn(two, 2, ' nothing');
    await two.keys('Alt+KeyM');
    expect(await two.said()).toBe(text.review.elsewhere);
    expect(await two.text(2)).not.toContain('nothing');

    await typeIn(one, 1, ' more');
    await shown(two, 1, ' ONE more');
    await one.keys('Control+KeyZ');
    await shown(two, 1, 'more', false);

    await two.page.bringToFront();
    await press(two.page, tabText.editHere);
    await writes(two);
    await follows(one);
    await typeIn(two, 2, ' TWO');
    await shown(one, 2, ' TWO');
    // The turn goes back again.
    await one.page.bringToFront();
    await press(one.page, tabText.editHere);
    await writes(one);
    await typeIn(one, 3, ' THREE');
    await shown(two, 3, ' THREE');
    const edited = await one.srt();
    expect([one.faults, two.faults]).toEqual([[], []]);
    await one.page.reload();
    await one.page.waitForSelector('.cue');
    for (const words of [' ONE', ' TWO', ' THREE']) expect(edited).toContain(words);
    expect(await two.text(2)).toEndWith(' TWO');
    await one.close();
  });

  needsChromium('a tab that is killed loses nothing, and the other goes on', async () => {
    const one = await first();
    const two = await another(one, { window: true });
    await follows(two);
    await typeIn(one, 1, ' before');
    await one.page.keyboard.type(' death');
    // Crashes the tab's process, so that none of its code runs any more.
    const session = await one.page.createCDPSession();
    void session.send('Page.crash').catch(() => {});
    await writes(two);
    await shown(two, 1, ' before death');
    await typeIn(two, 1, ' after');
    const three = await another(two);
    await follows(three);
    expect(await three.text(1)).toEndWith(' before death after');
    await two.close();
  });

  needsChromium('of three tabs the one that asks comes first', async () => {
    const one = await first();
    const two = await another(one);
    const three = await another(one);
    await follows(two);
    await follows(three);
    await three.page.bringToFront();
    await press(three.page, tabText.editHere);
    await writes(three);
    await follows(one);
    await follows(two);
    await typeIn(three, 4, ' third');
    await shown(one, 4, ' third');
    await shown(two, 4, ' third');
    // A tab that leaves the review lets the next one write.
    await three.page.evaluate(() => {
      location.hash = '#/';
    });
    await Promise.race([writes(one), writes(two)]);
    await one.close();
  });

  needsChromium('a page that returns from the cache joins the other tabs', async () => {
    const one = await first();
    await typeIn(one, 1, ' kept');
    await one.page.evaluate(() => {
      Object.assign(globalThis, { isSamePage: true });
    });
    const address = one.page.url();
    await one.page.goto(`${new URL(address).origin}/guide`);
    const two = await another(one, { at: address });
    await writes(two);
    await typeIn(two, 2, ' meanwhile');
    await one.page.bringToFront();
    await one.page.goBack();
    await one.page.waitForSelector('.cue');
    // The page is restored with everything it had in memory.
    expect(await one.page.evaluate(() => 'isSamePage' in globalThis)).toBe(true);
    await follows(one);
    await shown(one, 1, ' kept');
    await shown(one, 2, ' meanwhile');
    await press(one.page, tabText.editHere);
    await writes(one);
    await typeIn(one, 3, ' again');
    await shown(two, 3, ' again');
    await one.close();
  });
});
