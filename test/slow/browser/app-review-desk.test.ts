/** Tools for a whole review: publishers' rules, rebuilding captions, scripts and speakers. */
import { afterAll, describe, expect, setDefaultTimeout } from 'bun:test';
import { join } from 'node:path';
import type { ElementHandle } from 'puppeteer-core';
import { house } from '../../../web/texts/profiles-and-rebuilding.ts';
import { fill, press } from '../../support/browser/app.ts';
import { linesOf, type ReviewPage, reviewTests } from '../../support/browser/review.ts';
import { removeFolder, temporaryFolder } from '../../support/servers/server-process.ts';

setDefaultTimeout(300_000);

const { reviewing, theRun } = await reviewTests();
const folder = await temporaryFolder();
afterAll(() => removeFolder(folder));

/** Checks against a profile, and waits for the result. */
async function checkBy(review: ReviewPage, profile: string): Promise<void> {
  await review.tab('warnings');
  await review.page.waitForSelector('.profile-choice select');
  await review.page.select('.profile-choice select', profile);
  await review.page.waitForSelector('.rule');
  await review.settled();
}

/** The number of warnings shown on the tab. */
const warnings = async (review: ReviewPage): Promise<number> =>
  Number(/\d+/.exec(await review.read('[data-tab=warnings]'))?.[0]);

describe('the rules of a publisher', () => {
  reviewing('are checked, named with their source, and fixed in one step', async (review) => {
    const before = await warnings(review);
    await checkBy(review, 'netflix');
    const found = await warnings(review);
    expect(found).toBeGreaterThan(before);
    const group = '.rule[aria-label="Frames"]';
    expect(await review.read(group)).toContain('Subtitles begin and end on frames.');
    expect(await review.page.$eval(`${group} a`, (link) => link.href)).toStartWith(
      'https://partnerhelp.netflixstudios.com/',
    );
    // The rows and the navigation show the same warnings.
    await review.focus(1);
    await review.keys('F8');
    expect(await review.count('.cue.current .cue-warnings li')).toBeGreaterThan(0);
    const [fixAll] = await review.readAll('.side-panel .actions button:not(:has(kbd))');
    await review.press(fixAll ?? '');
    expect(await review.said()).toMatch(/^Fixed \d+ captions\.$/);
    const left = await warnings(review);
    expect(left).toBeLessThan(found);
    expect(await review.count('.rule .fix')).toBe(0);
    await review.keys('Control+KeyZ');
    expect(await warnings(review)).toBe(found);
    expect(await review.srt()).toBe(theRun().srt);
    await review.page.select('.profile-choice select', '');
    await review.settled();
    expect(await warnings(review)).toBe(before);
  });
});

/** Chooses a file in the open dialog. */
async function openFile(review: ReviewPage, path: string): Promise<void> {
  const input = await review.page.$('dialog input[type=file]');
  await (input as ElementHandle<HTMLInputElement>).uploadFile(path);
  await review.settled();
}

describe('a custom profile', () => {
  reviewing(
    'is derived, kept, checked and built by, saved as a file and opened',
    async (review) => {
      await checkBy(review, 'bbc');
      await review.press('Your own profiles…');
      await review.page.waitForSelector('dialog #house-which');
      expect(
        await review.page.$eval('#house-base', (field) => (field as HTMLSelectElement).value),
      ).toBe('bbc');
      await review.press('Save', undefined);
      expect(await review.read('dialog [role=status]')).toBe('Give the profile a name first.');
      await fill(review.page, 'Name', 'Channel 9');
      await fill(review.page, house.maxLineChars, '20');
      await review.press('Save as a file');
      const file = await review.lastFile();
      expect(JSON.parse(file)).toEqual({
        format: 'captioner-profile-1',
        name: 'Channel 9',
        base: 'bbc',
        maxLineChars: 20,
      });
      await review.press('Close');
      await checkBy(review, 'house:Channel 9');
      const rule = '.rule[aria-label="Line length"]';
      expect(await review.read(rule)).toContain(
        'A line has at most 20 characters. Source: Channel 9.',
      );
      await review.page.reload();
      await review.page.waitForSelector('.cue textarea');
      await review.tab('warnings');
      await review.page.waitForSelector('.rule');
      expect(await review.read(rule)).toContain('Channel 9');
      await review.choose('More', 'Rebuild captions…');
      await review.page.waitForSelector('dialog select');
      await review.page.waitForFunction(() =>
        /become \d+/.test(document.querySelector('dialog [role=status]')?.textContent ?? ''),
      );
      await review.press('Rebuild');
      const lines = (await review.cues()).flatMap((cue) => cue.lines);
      expect(lines.filter((line) => line.length > 20 && line.includes(' '))).toEqual([]);

      await review.press('Your own profiles…');
      await review.page.waitForSelector('dialog #house-which');
      await press(review.page, 'Delete', 'dialog');
      await review.settled();
      expect(await review.count('#house-which option')).toBe(1);
      await Bun.write(join(folder, 'channel.json'), file.replace('20', '200'));
      await openFile(review, join(folder, 'channel.json'));
      expect(await review.read('dialog [role=status]')).toContain(
        'maxLineChars must be a whole number from 8 to 80',
      );
      await Bun.write(join(folder, 'channel.json'), file);
      await openFile(review, join(folder, 'channel.json'));
      expect(await review.readAll('#house-which option')).toEqual(['A new profile', 'Channel 9']);
    },
  );
});

/** All words of the captions, in order. */
const wordsOf = async (review: ReviewPage): Promise<string> =>
  (await review.cues()).flatMap(({ lines }) => lines).join(' ');

describe('all captions at once', () => {
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

  reviewing('take the words of a script; what was heard otherwise is shown', async (review) => {
    const heard = await wordsOf(review);
    const script = heard.replace('off kit', 'AuthKit').replace('Thank you, and', 'Many thanks and');
    await review.choose('More', 'Align a script…');
    await review.page.waitForSelector('dialog textarea');
    await review.page.$eval(
      'dialog textarea',
      (field, value) => {
        field.value = value;
        field.dispatchEvent(new Event('input', { bubbles: true }));
      },
      script,
    );
    await review.press('Align');
    const differences = await review.readAll('dialog .differences ins');
    expect(differences).toContain('AuthKit');
    expect(differences).toContain('Many thanks');
    await review.press('Use these words');
    expect(await wordsOf(review)).toBe(script);
    expect(await review.read('.desk-title')).not.toContain('terms');
    const [first] = await review.cues();
    expect(first?.start).toBe(theRun().cues[0]?.start ?? -1);
    await review.keys('Control+KeyZ');
    expect(await review.srt()).toBe(theRun().srt);
  });
});

describe('speakers', () => {
  reviewing(
    'are added, given to lines, shown in the rows, and written as voices',
    async (review) => {
      await review.focus(1);
      await review.tab('speakers');
      await review.page.waitForSelector('.new-speaker input');
      await review.fill('.new-speaker input', 'Ada');
      expect(await review.read('.cue.current .cue-speakers')).toBe('Ada');
      await review.focus(2);
      await review.fill('.new-speaker input', 'Ben');
      await review.focus(1);
      await review.page.select('.speaker-lines label:nth-of-type(2) select', 'Ben');
      await review.settled();
      expect((await linesOf(review, 1)).split('\n').every((line) => line.startsWith('-'))).toBe(
        true,
      );
      await review.fill('[aria-label="Name of Ben"]', 'Grace');
      await review.focus(3);
      await review.keys('Alt+Shift+Digit2');
      expect(await review.read('.cue.current .cue-speakers')).toBe('Grace');
      await review.choose('Download as another format', 'Download VTT');
      const vtt = await review.lastFile();
      expect(vtt).toContain('<v Ada>-');
      expect(vtt).toContain('<v Grace>');
      expect(vtt).not.toContain('Ben');
      await review.page.reload();
      await review.page.waitForSelector('.cue-speakers');
      expect(await review.readAll('.cue-speakers')).toEqual(['Ada\nGrace', 'Grace', 'Grace']);
    },
  );
});
