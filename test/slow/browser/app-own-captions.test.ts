/** Caption files of the user's own: one in the editor, several on a page of their own. */
import { describe, expect, setDefaultTimeout } from 'bun:test';
import { join } from 'node:path';
import { queueText } from '../../../web/texts/run-ends.ts';
import { text } from '../../support/browser/words.ts';
import { openApp, press, shows, typeInFirstCaption } from '../../support/browser/app.ts';
import { needsChromium } from '../../support/browser/chromium.ts';
import { expectToLookWell } from '../../support/browser/look.ts';
import { rememberFiles } from '../../support/browser/review-page.ts';
import { testBrowser } from '../../support/browser/test-browser.ts';
import { testServer } from '../../support/servers/test-server.ts';

setDefaultTimeout(300_000);

const server = await testServer();
const { browser, folder } = await testBrowser();

describe('existing caption files', () => {
  needsChromium('several share a page: read in turn, reviewed, and converted there', async () => {
    const srt = (words: string) => `1\n00:00:01,000 --> 00:00:03,000\n${words}\n`;
    const paths = ['One.srt', 'Two.vtt', 'None.ass', 'Three.srt', 'Four.srt'].map((name) =>
      join(folder, name),
    );
    const [one = '', two = '', none = '', three = '', four = ''] = paths;
    await Bun.write(one, srt('Hello there.'));
    await Bun.write(two, 'WEBVTT\n\n00:01.000 --> 00:03.000\nHello again.\n');
    await Bun.write(none, 'no captions');
    await Bun.write(
      three,
      srt('A line that is much longer than any line of a caption may ever be.'),
    );
    await Bun.write(four, srt('Good bye.'));
    const { page, faults } = await openApp(browser(), server.url, {
      before: async (opened) => void (await rememberFiles(opened)),
    });
    const input = await page.waitForSelector('input[type=file]');
    await input?.uploadFile(...paths);
    await shows(page, queueText.allRead(5));
    expect(
      await page.$$eval('.queue .state', (all) => all.map(({ textContent }) => textContent)),
    ).toEqual([
      queueText.found(1, 0),
      queueText.found(1, 0),
      queueText.failed,
      queueText.found(1, 2),
      queueText.found(1, 0),
    ]);
    await shows(page, text.start.noCaptions('None.ass'));
    await expectToLookWell(page, 'caption-files');
    await page.setViewport({ width: 1280, height: 900 });
    // What is edited in one of them is in its file.
    await press(page, queueText.review('Two.vtt'));
    await typeInFirstCaption(page, 'So: ');
    await page.goBack();
    await press(page, queueText.convert);
    await shows(page, queueText.converted(4));
    const made = await page.evaluate(() => {
      const { filesMade } = globalThis as unknown as { filesMade: Blob[] };
      return Promise.all(filesMade.map((file) => file.text()));
    });
    expect(made).toHaveLength(4);
    expect(made.every((file) => file.startsWith('WEBVTT'))).toBe(true);
    expect(made[1]).toContain('So:');
    expect(faults).toEqual([]);
    await page.close();
  });
});
