/** The tools of a review: its report, its downloads, and rebuilding all captions. */
import { describe, expect, setDefaultTimeout } from 'bun:test';
import { makeCue } from '../../../server/captions/cue.ts';
import { assessCaptions } from '../../../server/captions/rules/quality.ts';
import { readSrt, toSrt } from '../../../server/captions/files/srt.ts';
import { toPlainText } from '../../../server/captions/files/plain-text.ts';
import { toVtt } from '../../../server/captions/files/vtt.ts';
import { type ReviewPage, reviewTests } from '../../support/browser/review.ts';

setDefaultTimeout(300_000);

const { reviewing, theRun } = await reviewTests();

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
