/** Names of downloaded files, which come from the names of recordings. */
import { expect, setDefaultTimeout } from 'bun:test';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from '../../support/browser/words.ts';
import { chooseProvider, press, showsReview } from '../../support/browser/app.ts';
import { needsChromium } from '../../support/browser/chromium.ts';
import { until } from '../../support/servers/client.ts';
import { drop, expectOnlyText, hostileApp, IMG } from './support/hostile-app.ts';

setDefaultTimeout(300_000);

const app = await hostileApp();

needsChromium('files are named after the recording, but never by a path or a trick', async () => {
  const { page, faults, review } = await app.open('/');
  const session = await page.createCDPSession();
  const suggested: string[] = [];
  session.on('Browser.downloadWillBegin', ({ suggestedFilename }) =>
    suggested.push(suggestedFilename),
  );
  const { id } = page.browserContext();
  await session.send('Browser.setDownloadBehavior', {
    behavior: 'allow',
    downloadPath: app.folder,
    eventsEnabled: true,
    ...(id ? { browserContextId: id } : {}),
  });
  for (const [name, stem] of [
    [`${IMG}.mp3`, '_img src=x onerror=window.hacked=1_'],
    ['../../x.mp3', '_.._x'],
    ['..\\..\\x.mp3', '_.._x'],
    ['/etc/x.mp3', '_etc_x'],
    ['a\r\nSet-Cookie: b\0c\u0007.mp3', 'a_Set-Cookie_ b_c_'],
    [`${'long '.repeat(60)}.mp3`, 'long '.repeat(40).trim()],
    [`a${'𠮷'.repeat(150)}.mp3`, `a${'𠮷'.repeat(49)}`],
    ['🎙️ été 字幕.mp3', '🎙️ été 字幕'],
    ['talk\u202e3pm.exe.mp3', 'talk_3pm.exe'],
    ['.mp3', 'captions'],
    ['...mp3', 'captions'],
    ['half\ud83d.mp3', 'half\ufffd'],
  ] as const) {
    await page.evaluate(() => {
      location.hash = '#/';
    });
    await page.waitForFunction(() => !document.querySelector('.cue'));
    await drop(page, name);
    await chooseProvider(page, 'deepgram');
    await press(page, text.start.make);
    await showsReview(page);
    suggested.length = 0;
    for (const format of ['VTT', 'TXT', 'JSON']) {
      await review.choose('Download as another format', `Download ${format}`);
    }
    await review.keys('Control+KeyS');
    await until(async () => suggested.length === 4);
    const names = ['vtt', 'txt', 'json', 'srt'].map((format) => `${stem}.${format}`);
    expect(suggested).toEqual(names);
    await until(async () => (await review.said()) === `Downloaded ${names[3]}.`);
    await until(async () => (await readdir(app.folder)).includes(names[3] ?? ''));
  }
  expect(await readdir(join(app.folder, '..'))).not.toContain('x.srt');
  await expectOnlyText(page, faults);
  await review.close();
});
