/** Converting a 20-minute film to MP3: in the page, and with ffmpeg. */
import { join } from 'node:path';
import type { Browser } from 'puppeteer-core';
import { chooseFile, openApp, press, shows } from '../../../test/support/browser/app.ts';
import type { Client } from '../../../test/support/servers/client.ts';
import { progressText } from '../../../web/texts/run-progress.ts';
import { text } from '../../../web/texts/shell.ts';
import { ffmpeg } from '../../ffmpeg.ts';
import { inTurn, row, timed } from '../../measure.ts';
import { recordingOfSeconds } from '../../recording.ts';
import type { Bench } from '../../section.ts';
import { folderOf } from '../../service.ts';

const MINUTES = 20;
const ROUNDS = 2;

/** Makes the film with ffmpeg; without it, adds a note and measures nothing. */
export async function conversion(bench: Bench, browser: Browser, client: Client): Promise<void> {
  if (!Bun.which('ffmpeg')) {
    bench.note('there is no ffmpeg here to make a film with');
    return;
  }
  const folder = await folderOf(bench);
  const [mp3, mp4] = [join(folder, 'talk.mp3'), join(folder, 'talk.mp4')];
  await Bun.write(mp3, recordingOfSeconds(MINUTES * 60));
  const video = '-f lavfi -i testsrc=size=640x360:rate=5'.split(' ');
  const codecs = '-shortest -c:v libx264 -preset ultrafast -c:a aac'.split(' ');
  ffmpeg(...video, '-i', mp3, ...codecs, mp4);
  const speech = '-vn -ac 1 -ar 16000 -c:a libmp3lame -b:a 32k -y'.split(' ');
  const { page, command } = await inTurn(ROUNDS, {
    page: () => inPage(browser, client, mp4),
    command: timed(() => ffmpeg('-i', mp4, ...speech, join(folder, 'speech.mp3'))),
  });
  const what = `MP4 of ${MINUTES} min to MP3, in the page`;
  bench.rows(
    row(what, 'ffmpeg to the same MP3', 'ms', page, command),
    row(what, 'real time', 'ms', page, [MINUTES * 60_000]),
  );
}

async function inPage(browser: Browser, client: Client, path: string): Promise<number> {
  const { page } = await openApp(browser, client.url, { client });
  page.setDefaultTimeout(300_000);
  await chooseFile(page, path);
  const took = await timed(async () => {
    await press(page, text.start.make);
    await shows(page, progressText.uploading);
  })();
  await page.browserContext().close();
  return took;
}
