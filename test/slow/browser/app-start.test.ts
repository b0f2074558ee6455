/** The first screen and what leads on from it: a sample, caption files of one’s own, signing in, settings, the explorer of the API. */
import { describe, expect, setDefaultTimeout } from 'bun:test';
import { join } from 'node:path';
import { REGISTRATION } from '../../../server/contract/limits.ts';
import { queueText } from '../../../web/texts/run-ends.ts';
import { settingsText as says } from '../../../web/texts/settings.ts';
import {
  askForCode,
  chooseFile,
  fill,
  hides,
  makeCaptions,
  openApp,
  press,
  shows,
  showsReview,
  signInHere,
  typeInFirstCaption,
} from '../../support/browser/app.ts';
import { needsChromium, visit } from '../../support/browser/chromium.ts';
import { expectToLookWell } from '../../support/browser/look.ts';
import { rememberFiles } from '../../support/browser/review-page.ts';
import { text } from '../../support/browser/words.ts';
import { encoder, ffmpeg, needsBoth, speech } from '../../support/media-files.ts';
import { sample } from '../../support/sample.ts';
import { client, mailedCode } from '../../support/servers/client.ts';
import { appBench } from './support.ts';

setDefaultTimeout(300_000);

const { server, browser, folder, ann } = await appBench();

// First, because it erases all that its user has.
describe('settings in a real browser', () => {
  needsChromium('a key is made with the chosen scopes, shown once, and revoked', async () => {
    const { page, faults } = await openApp(browser(), server.url, { client: ann, at: '/settings' });
    await shows(page, says.current);
    await expectToLookWell(page, 'settings');
    await page.setViewport({ width: 1280, height: 900 });
    await press(page, says.create);
    await press(page, says.scopes['captioner:audio:upload']);
    await press(page, says.send);
    await page.waitForSelector('.code-boxes input:focus');
    await page.keyboard.type(await mailedCode(server.dataDir, 'ann@example.com'));
    await shows(page, says.createdHint);
    const key = await page.$eval('input[readonly]', (field) => field.value);
    const holder = client(server.url, key);
    expect((await holder.get('/terminology/terms')).status).toBe(200);
    expect((await holder.put('talk.mp3', new Blob(['x']))).status).toBe(403);
    await expectToLookWell(page, 'settings-key');
    await page.setViewport({ width: 1280, height: 900 });
    await press(page, says.done);
    // Nothing of it is left, neither in the page nor in what the browser keeps.
    const left = await page.evaluate(() => [
      document.documentElement.outerHTML,
      ...[...document.querySelectorAll('input')].map(({ value }) => value),
      JSON.stringify([localStorage, sessionStorage]),
    ]);
    expect(left.join('\n')).not.toContain(key);
    const shown = `${key.slice(0, key.lastIndexOf('_')).replace(/_[^_]*$/, '')}_`;
    await press(page, says.revokeKey(shown));
    await page.waitForSelector('dialog[open]');
    await press(page, says.revoke, 'dialog');
    await hides(page, shown);
    expect((await holder.get('/terminology/terms')).status).toBe(401);
    expect(faults).toEqual([]);
  });

  needsChromium('the shortcuts are shown and changed', async () => {
    const { page } = await openApp(browser(), server.url, { at: '/settings' });
    await shows(page, says.signIn);
    await press(page, says.shortcuts);
    await page.waitForSelector('dialog .key-group');
    await expectToLookWell(page, 'settings-keys');
    await page.close();
  });

  needsChromium('everything is erased once the word is typed', async () => {
    const { page } = await openApp(browser(), server.url, { client: ann, at: '/settings' });
    await shows(page, says.eraseHint);
    await press(page, says.erase);
    await fill(page, says.eraseType(says.eraseWord), says.eraseWord);
    await expectToLookWell(page, 'settings-erase');
    await page.setViewport({ width: 1280, height: 900 });
    await press(page, says.erase, 'dialog');
    await shows(page, says.erased(0, 0, 0));
  });
});

describe('before a run', () => {
  needsChromium('all that is needed is on the first screen, wide and narrow', async () => {
    const { page, faults } = await openApp(browser(), server.url);
    await chooseFile(page, sample);
    await shows(page, 'agent-registration.mp3');
    for (const [width, height] of [
      [1280, 800],
      [360, 740],
    ] as const) {
      await page.setViewport({ width, height });
      const bottom = await page.$eval('button[type=submit]', (button) => {
        scrollTo(0, 0);
        return button.getBoundingClientRect().bottom;
      });
      expect(bottom).toBeLessThan(height);
    }
    expect(faults).toEqual([]);
    await page.close();
  });
});

needsChromium('a sample opens for review with its sound, without a run or a key', async () => {
  const { page, faults } = await openApp(browser(), server.url);
  await press(page, text.start.sample);
  await page.waitForSelector('.cue');
  await shows(page, 'Terms (1)');
  expect(await page.$eval('h1', ({ textContent }) => textContent)).toBe('Sample talk');
  await page.waitForFunction(() => (document.querySelector('video')?.duration ?? 0) > 30);
  await page.setViewport({ width: 360, height: 800 });
  await press(page, 'Check');
  await press(page, text.review.editCaption(1));
  expect(await page.evaluate(() => document.activeElement?.className)).toBe('cue-text');
  expect(faults).toEqual([]);
  await page.close();
});

describe('a file that cannot be converted to MP3', () => {
  needsChromium('is no media', async () => {
    const path = join(folder, 'notes.mp4');
    await Bun.write(path, 'This is text.\n'.repeat(500));
    const { page, faults } = await openApp(browser(), server.url, { client: ann });
    await makeCaptions(page, path);
    await shows(page, text.run.conversion.unreadable);
    expect(await page.$('pre')).toBeNull();
    expect(faults).toEqual([]);
    // Another file in its place starts at once.
    await page.waitForFunction(() => document.querySelector('main input[type=file]'));
    await chooseFile(page, sample);
    await showsReview(page);
    await page.close();
  });

  needsBoth('is a video without sound', async () => {
    const codec = await encoder('libx264', 'libopenh264', 'mpeg4');
    const pictures = '-f lavfi -i testsrc2=size=160x90:rate=10 -t 3';
    const path = await ffmpeg(join(folder, 'mute.mp4'), pictures, codec);
    const { page, faults } = await openApp(browser(), server.url, { client: ann });
    await makeCaptions(page, path);
    await shows(page, text.run.conversion.no_audio);
    expect(faults).toEqual([]);
    await page.close();
  });

  needsBoth('has sound that this browser cannot read: a line makes the MP3', async () => {
    const path = await speech(folder, `Ann's talk.m4a`, '-c:a alac');
    const { page, faults } = await openApp(browser(), server.url, { client: ann });
    await makeCaptions(page, path);
    await shows(page, text.run.conversion.codec_unsupported);
    const line = await page.$eval('pre', (block) => block.textContent);
    // The displayed command works in a shell.
    expect(await Bun.spawn(['sh', '-c', line], { cwd: folder, stderr: 'ignore' }).exited).toBe(0);
    expect(Bun.file(join(folder, `Ann's talk.mp3`)).size).toBeGreaterThan(10_000);
    expect(faults).toEqual([]);
    await page.close();
  });
});

describe('signing in', () => {
  /** A wrong code. */
  const wrong = (code: string): string => (code === '000000' ? '111111' : '000000');

  describe('before a run', () => {
    needsChromium('after too many wrong codes the user has to request a new one', async () => {
      const { page } = await openApp(browser(), server.url);
      await press(page, text.header.signIn);
      await askForCode(page, 'many@example.com');
      const code = await mailedCode(server.dataDir, 'many@example.com');
      for (let tried = 1; tried < REGISTRATION.maxCodes; tried += 1) {
        await page.keyboard.type(wrong(code));
        await shows(page, text.signIn.problems['invalid_otp'] ?? '');
        await page.waitForSelector('.code-boxes input:first-of-type:focus');
      }
      await page.keyboard.type(wrong(code));
      await shows(page, text.signIn.problems['too_many_attempts'] ?? '');
      // The address is still there and focused: Enter sends a new code.
      await page.waitForSelector('.sign-in input[type=email]:focus');
      await page.keyboard.press('Enter');
      await page.waitForSelector('.code-boxes input:focus');
      await page.keyboard.type(await mailedCode(server.dataDir, 'many@example.com'));
      await shows(page, 'many@…');
      await page.close();
    });
  });

  describe('a key that is no longer valid', () => {
    needsChromium('is asked for again in place, and the run starts', async () => {
      const stale = client(server.url, `${ann.key.slice(0, -4)}AAAA`);
      const { page } = await openApp(browser(), server.url, { client: stale });
      await makeCaptions(page, sample);
      await shows(page, text.signIn.expired);
      await shows(page, text.run.uploading);
      await signInHere(page, server, 'renewed@example.com');
      await showsReview(page);
      await page.close();
    });
  });
});

describe('caption files of the user’s own', () => {
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
});

describe('the API explorer in a real Chromium', () => {
  needsChromium(
    'the explorer sends a request with a key that is typed, asks no other host, and forgets the key',
    async () => {
      const { page, faults } = await visit(browser(), `${server.url}/docs/try`);
      await page.waitForSelector('.opblock');
      expect(await page.$$eval('.errors', (errors) => errors.length)).toBe(0);
      await page.click('.btn.authorize');
      await page.type('.auth-container input', ann.key);
      await page.click('.auth-btn-wrapper .authorize');
      await page.click('.btn-done');
      await page.click('[id$="-listRuns"] .opblock-summary-control');
      await page.click('[id$="-listRuns"] .btn.execute');
      const status = await page.waitForSelector('.live-responses-table tbody .response-col_status');
      expect(await status!.evaluate((cell) => cell.textContent.trim())).toBe('200');
      expect(faults).toEqual([]);
      const kept = () => [
        JSON.stringify(localStorage),
        JSON.stringify(sessionStorage),
        document.cookie,
      ];
      expect(await page.evaluate(kept)).toEqual(['{}', '{}', '']);
      await page.reload();
      await page.waitForSelector('.btn.authorize.unlocked');
      await page.close();
    },
  );
});
