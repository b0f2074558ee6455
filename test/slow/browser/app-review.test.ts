/** The tools of a review: terms, find and replace, comparison, report and downloads. */
import { describe, expect, setDefaultTimeout } from 'bun:test';
import { makeCue } from '../../../server/captions/cue.ts';
import { assessCaptions } from '../../../server/captions/rules/quality.ts';
import { readSrt, toSrt } from '../../../server/captions/files/srt.ts';
import { toPlainText } from '../../../server/captions/files/plain-text.ts';
import { toVtt } from '../../../server/captions/files/vtt.ts';
import { shows } from '../../support/browser/app.ts';
import { linesOf, reviewTests } from '../../support/browser/review.ts';

setDefaultTimeout(300_000);

const { reviewing, theRun, cueAt } = await reviewTests();

describe('terms', () => {
  reviewing(
    'are accepted and rejected, one or all of a kind, and that is undone',
    async (review) => {
      const before = await review.srt();
      expect(before).toContain('off kit');
      await review.press('Accept: off kit becomes AuthKit');
      const once = (await review.srt()).split('AuthKit').length - 1;
      expect(once).toBe(1);
      await review.press('Accept all 3');
      const all = await review.srt();
      expect(all).not.toContain('off kit');
      expect(all.split('AuthKit').length - 1).toBe(3);
      await review.keys('Control+KeyZ');
      expect((await review.srt()).split('AuthKit').length - 1).toBe(1);
      await review.keys('Control+KeyZ');
      expect(await review.srt()).toBe(before);
      // Corrections that only sound alike are reviewed by kind: there is no button for all at once.
      expect(
        await review.page.$$eval('.side-panel button', (all) =>
          all.map((one) => one.textContent).filter((words) => words.startsWith('Accept all')),
        ),
      ).toEqual(['Accept all 3']);
      expect(await review.readAll('.term-sentence')).toEqual(
        expect.arrayContaining([
          'Tonight we look at how off kit lets an agent register.',
          'The team shipped an m c p server for everybody last night.',
        ]),
      );
      await review.press('Accept: m c p server becomes MCP server');
      expect(await review.srt()).toContain('MCP server');
      await review.press('Reject: m c p server stays, not MCP server');
      expect(await review.srt()).toContain('m c p server');
    },
  );

  reviewing('by the keyboard, where they stand', async (review) => {
    const at = theRun().cues.findIndex(({ text }) => text.includes('off kit')) + 1;
    await review.focus(at);
    await review.keys('Alt+KeyA');
    expect(await linesOf(review, at)).toContain('AuthKit');
    await review.keys('Alt+KeyR');
    expect(await linesOf(review, at)).toBe(cueAt(at).text);
  });
});

describe('find and replace', () => {
  reviewing('one, all, by case and by whole words', async (review) => {
    const count = async (word: string) => (await review.srt()).split(word).length - 1;
    await review.keys('Control+KeyH');
    await review.page.keyboard.type('code');
    const all = await count('code');
    expect(await review.read('.find-count')).toBe(`1 of ${all}`);
    await review.press('Whole words');
    expect(await review.read('.find-count')).toBe(`1 of ${all - (await count('codes'))}`);
    await review.press('Whole words');
    await review.page.type('.find-replace input', 'CODE $&');
    await review.press('Replace');
    expect(await count('CODE $&')).toBe(1);
    await review.press('Match case');
    await review.press('Replace all');
    expect(await review.said()).toBe(`Replaced ${all - 1} times.`);
    expect([await count('CODE $&'), await count('code')]).toEqual([all, 0]);
    await review.keys('Control+KeyZ', 'Control+KeyZ');
    expect(await review.srt()).toBe(theRun().srt);
    await review.press('Regular expression');
    await review.fill('.find-bar input', '(c)(o)de');
    await review.fill('.find-replace input', '$2$1');
    await shows(review.page, ` of ${await count('code')}`);
    await review.press('Replace all');
    expect([await count('code'), (await count('oc')) >= all - 1]).toEqual([0, true]);
    await review.keys('Control+KeyZ');
    await review.fill('.find-bar input', '(');
    expect(await review.read('.find-count')).toBe('Not a valid expression');
    // This search would take forever; the page does not wait for it.
    await review.fill('.find-bar input', '^(?:[^!]+ ?)+!$');
    expect(await review.read('.find-count')).toBe('Searching…');
    await shows(review.page, 'This expression takes too long.');
    await review.fill('.find-bar input', '\\bcode\\b');
    await shows(review.page, ' of ');
    await review.press('Regular expression');
    await review.keys('Control+KeyF');
    await review.page.keyboard.type('nowhere');
    expect(await review.read('.find-count')).toBe('Not found');
    await review.keys('Escape');
    expect(await review.count('.find-bar')).toBe(0);
  });
});

describe('looking', () => {
  reviewing('at what was changed', async (review) => {
    await review.press('Compare');
    expect(await review.read('dialog')).toContain('No changes.');
    await review.keys('Escape');
    await review.focus(1);
    await review.keys('Control+KeyA');
    await review.page.keyboard.type(cueAt(1).text.replace('night', 'evening').replace('\n', ' '));
    await review.press('Compare');
    expect(await review.readAll('dialog del')).toEqual(['night']);
    expect(await review.readAll('dialog ins')).toEqual(['evening']);
  });

  reviewing('at the keys, by a key', async (review) => {
    await review.press('Keys');
    // The dialog is loaded when it is first opened.
    await review.page.waitForSelector('dialog[open]');
    expect(await review.read('dialog')).toContain('Alt+Enter');
    await review.keys('Escape');
    expect(await review.count('dialog')).toBe(0);
    await review.page.$eval('#content', (main) => (main as HTMLElement).focus());
    await review.page.keyboard.type('?');
    await review.page.waitForSelector('dialog[open]');
    expect(await review.count('dialog[open]')).toBe(1);
  });

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

  reviewing('the SRT goes into the clipboard as well', async (review) => {
    const { origin } = new URL(review.page.url());
    await review.page
      .browserContext()
      .overridePermissions(origin, [
        'clipboard-read',
        'clipboard-write',
        'clipboard-sanitized-write',
      ]);
    await review.page.bringToFront();
    await review.choose('Download as another format', 'Copy SRT');
    const said = 'SRT copied to the clipboard.';
    await shows(review.page, said);
    expect(await review.said()).toBe(said);
    expect(await review.page.evaluate(() => navigator.clipboard.readText())).toBe(theRun().srt);
  });
});
