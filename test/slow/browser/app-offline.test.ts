/** The app without a connection or without the service: it reports this, waits, and continues automatically. */
import { describe, setDefaultTimeout } from 'bun:test';
import { text } from '../../support/browser/words.ts';
import {
  goOffline,
  hides,
  makeCaptions,
  openApp,
  press,
  shows,
  showsReview,
} from '../../support/browser/app.ts';
import { needsChromium } from '../../support/browser/chromium.ts';
import { ended, signUp } from '../../support/servers/client.ts';
import { sample } from '../../support/sample.ts';
import { removeFolder, startServerProcess } from '../../support/servers/server-process.ts';
import { needsBoth, speech } from '../../support/media-files.ts';
import { appBench, startRun } from './support.ts';

setDefaultTimeout(300_000);

const { env, server, browser, folder, ann, openRunning } = await appBench();

describe('without a connection', () => {
  needsChromium('an upload waits with a message, and continues by itself', async () => {
    const { page } = await openApp(browser(), server.url, { client: ann });
    await goOffline(page);
    await makeCaptions(page, sample);
    await shows(page, text.offline);
    await shows(page, text.run.uploading);
    await page.setOfflineMode(false);
    await showsReview(page);
    await hides(page, text.offline);
    await page.close();
  });

  needsChromium('an upload whose connection breaks is repeated', async () => {
    const { page } = await openApp(browser(), server.url, { client: ann });
    const slow = { upload: 20_000, download: 1e7, latency: 0 };
    await page.emulateNetworkConditions(slow);
    await makeCaptions(page, sample);
    await page.waitForFunction(() => {
      const bar = document.querySelector('progress');
      return bar !== null && bar.value > 0;
    });
    await page.setOfflineMode(true);
    await shows(page, text.offline);
    await page.emulateNetworkConditions(null);
    await page.setOfflineMode(false);
    await showsReview(page);
    await page.close();
  });

  needsBoth('the converter is loaded once there is a connection', async () => {
    const path = await speech(folder, 'talk.m4a', '-c:a aac');
    const { page } = await openApp(browser(), server.url, { client: ann });
    await goOffline(page);
    const failed = new Promise((resolve) => page.once('requestfailed', resolve));
    await makeCaptions(page, path);
    await failed;
    await shows(page, text.offline);
    await shows(page, text.run.making);
    await page.setOfflineMode(false);
    await showsReview(page);
    await page.close();
  });

  needsChromium('so is the review', async () => {
    const runId = await startRun(ann, 'offline.mp3');
    await ended(ann, runId);
    const { page } = await openApp(browser(), server.url, { client: ann, at: '/runs' });
    await shows(page, 'offline.mp3');
    // The run itself is available, but the code that shows it is not.
    await page.setRequestInterception(true);
    let isAway = true;
    page.on('request', (request) => {
      const isPart = request.resourceType() === 'script' || request.url().endsWith('/health');
      void (isAway && isPart ? request.abort('internetdisconnected') : request.continue());
    });
    const failed = new Promise((resolve) => page.once('requestfailed', resolve));
    await press(page, 'offline.mp3');
    await failed;
    await shows(page, text.offline);
    isAway = false;
    await showsReview(page);
    await hides(page, text.offline);
    await page.close();
  });

  needsChromium('a page whose scripts do not load shows a message', async () => {
    const { page } = await openApp(browser(), server.url, {
      before: async (opened) => {
        await opened.setRequestInterception(true);
        opened.on('request', (request) => {
          void (request.resourceType() === 'script' ? request.abort() : request.continue());
        });
      },
    });
    await shows(page, 'If this message stays, reload the page.');
    await page.close();
  });

  needsChromium('a run is followed again, and the notice goes away before its end', async () => {
    const { page, release } = await openRunning();
    await page.setOfflineMode(true);
    await shows(page, text.offline);
    await page.setOfflineMode(false);
    await hides(page, text.offline);
    await shows(page, text.run.stages['transcription'] ?? '');
    release();
    await showsReview(page);
    await page.close();
  });

  needsChromium('a service that stops and starts again is waited for', async () => {
    const first = await startServerProcess({ env });
    const bob = await signUp(first, 'bob@example.com');
    const { page, release } = await openRunning(bob);
    await first.kill();
    await shows(page, text.offline);
    const again = await startServerProcess({
      dataDir: first.dataDir,
      env: { ...env, PORT: new URL(first.url).port },
    });
    await hides(page, text.offline);
    await shows(page, text.run.stages['transcription'] ?? '');
    release();
    await showsReview(page);
    await page.close();
    await again.stop();
    await removeFolder(first.dataDir);
  });
});
