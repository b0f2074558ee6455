/** The first screen and what leads on from it: a sample, sound that cannot be read, keys, the explorer of the API. */
import { expect, setDefaultTimeout } from 'bun:test';
import { join } from 'node:path';
import { settingsText as says } from '../../../web/texts/settings.ts';
import {
  chooseFile,
  hides,
  makeCaptions,
  openApp,
  press,
  shows,
} from '../../support/browser/app.ts';
import { needsChromium, visit } from '../../support/browser/chromium.ts';
import { expectToLookWell } from '../../support/browser/look.ts';
import { text } from '../../support/browser/words.ts';
import { encoder, ffmpeg, needsBoth, speech } from '../../support/media-files.ts';
import { sample } from '../../support/sample.ts';
import { client, mailedCode } from '../../support/servers/client.ts';
import { appBench } from './support.ts';

setDefaultTimeout(300_000);

const { server, browser, folder, ann } = await appBench();

needsChromium('a key is made with the chosen scopes, shown once, and revoked', async () => {
  const { page, faults } = await openApp(browser(), server.url, { client: ann, at: '/settings' });
  await shows(page, says.current);
  await expectToLookWell(page, 'settings');
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

needsChromium('a sample opens for review with its video, without a run or a key', async () => {
  const { page, faults } = await openApp(browser(), server.url);
  await press(page, text.start.sample);
  await page.waitForSelector('.cue');
  // The term is written that the front page says it writes.
  await shows(page, 'Terms (0)');
  expect(await page.$eval('h1', ({ textContent }) => textContent)).toBe('Sample talk');
  await page.waitForFunction(() => (document.querySelector('video')?.duration ?? 0) > 30);
  await page.waitForFunction(() => document.querySelector('video')!.videoWidth > 0);
  await page.setViewport({ width: 360, height: 800 });
  await press(page, 'Check');
  await press(page, text.review.editCaption(1));
  expect(await page.evaluate(() => document.activeElement?.className)).toBe('cue-text');
  expect(faults).toEqual([]);
  await page.close();
});

needsBoth('a video without sound is named as such', async () => {
  const codec = await encoder('libx264', 'libopenh264', 'mpeg4');
  const pictures = '-f lavfi -i testsrc2=size=160x90:rate=10 -t 3';
  const path = await ffmpeg(join(folder, 'mute.mp4'), pictures, codec);
  const { page, faults } = await openApp(browser(), server.url, { client: ann });
  await makeCaptions(page, path);
  await shows(page, text.run.conversion.no_audio);
  expect(faults).toEqual([]);
  await page.close();
});

needsBoth('a file has sound that this browser cannot read: a line makes the MP3', async () => {
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
    // Of so many operations, only those in view are drawn.
    await page.setViewport({ width: 1280, height: 16_000 });
    const summary = await page.waitForSelector('[id$="-listRuns"] .opblock-summary-control');
    await summary!.click();
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
    await page.close();
  },
);
