/** What leaves a review: a link for guests with their comments, and terms for the next talks. */
import { describe, expect, setDefaultTimeout } from 'bun:test';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { burnText } from '../../../web/texts/burn.ts';
import { sharing } from '../../../web/texts/sharing.ts';
import { text as shell } from '../../../web/texts/shell.ts';
import { termsText } from '../../../web/texts/terms.ts';
import {
  chooseFile,
  chooseProvider,
  fill,
  makeCaptions,
  openApp,
  press,
  shows,
} from '../../support/browser/app.ts';
import { needsChromium } from '../../support/browser/chromium.ts';
import { expectToLookWell } from '../../support/browser/look.ts';
import { soundIsSeen } from '../../support/browser/review-sound.ts';
import { reviewBench, ReviewPage, type Spoken, wordsOf } from '../../support/browser/review.ts';
import { text } from '../../support/browser/words.ts';
import { ffmpeg, needsBoth, OPUS } from '../../support/media-files.ts';
import { sample } from '../../support/sample.ts';
import { post, signUp, until } from '../../support/servers/client.ts';

setDefaultTimeout(300_000);

const bench = await reviewBench();

/** The link in the mail that the dialog has written. */
const urlIn = async (page: Page): Promise<string> => {
  const field = await page.waitForSelector('.new-mail textarea');
  const words = await field!.evaluate((one) => one.value);
  return /^https?:\S+$/m.exec(words)?.[0] ?? words;
};

needsChromium('a guest comments, the owner answers and revokes the link', async () => {
  const { browser, server, client } = bench;
  const run = await bench.run();
  const at = (part: string) => `/workflows/captioner/${run.runId}${part}`;
  const ann = await bench.open(run, { shared: true });
  await press(ann.page, text.review.share);
  await shows(ann.page, sharing.none);
  await press(ann.page, sharing.make);
  const url = await urlIn(ann.page);
  expect(url).toMatch(/\/app#\/shared\/link_[\w-]{43}$/);
  await shows(ann.page, sharing.revoke);
  await expectToLookWell(ann.page, 'share-dialog');
  await press(ann.page, text.close, 'dialog');

  // Whoever opens it has no session, and cannot change a caption.
  const asked: string[] = [];
  const visit = await openApp(browser, server.url, {
    at: new URL(url).hash.slice(1),
    before: async (page) => {
      page.on('request', (request) => void asked.push(request.url()));
    },
  });
  const guest = new ReviewPage(visit);
  await guest.page.waitForSelector('.cue');
  await shows(guest.page, sharing.asGuest.comment);
  expect(
    await guest.page.$eval(guest.field(1), (one) => (one as HTMLTextAreaElement).readOnly),
  ).toBe(true);
  expect(asked.filter((address) => address.replace(/#.*/, '').includes('link_'))).toEqual([]);

  // Translations are for those with a key.
  await guest.keys('Alt+Shift+KeyL');
  await shows(guest.page, text.review.cannot);

  // A comment at a time, under a name that is asked once.
  await guest.focus(2);
  await guest.tab('comments');
  await fill(guest.page, sharing.yourName, 'Quill');
  await fill(guest.page, 'Comment at', 'it is AuthKit');
  await press(guest.page, sharing.send, '.writing');
  await guest.page.waitForSelector('.comment');
  expect(await guest.page.$('.writing input')).toBeNull();
  await expectToLookWell(guest.page, 'guest-comments');

  // The owner sees it within five seconds, in the list, and answers it.
  const began = performance.now();
  await ann.page.bringToFront();
  await shows(ann.page, sharing.shown('Quill', 'it is AuthKit', 0));
  expect(performance.now() - began).toBeLessThan(5000);
  await press(ann.page, sharing.openLabel('Quill'));
  const linesOfTabs = await ann.page.$$eval('[role=tab]', (tabs) =>
    tabs.map((tab) => {
      const words = document.createRange();
      words.selectNodeContents(tab);
      return [tab.textContent, words.getClientRects().length];
    }),
  );
  expect(linesOfTabs.filter(([, lines]) => lines !== 1)).toEqual([]);
  await press(ann.page, sharing.answerLabel('Quill', ''));
  await fill(ann.page, sharing.answerTo('Quill'), 'Right, thank you.');
  await press(ann.page, sharing.answer, '.comment .writing');
  await shows(ann.page, 'Right, thank you.');
  await ann.type(1, ' CHANGED');

  // The guest sees the answer and the change without a reload.
  await guest.page.bringToFront();
  await shows(guest.page, 'Right, thank you.');
  await guest.page.waitForFunction(
    (selector) =>
      document.querySelector<HTMLTextAreaElement>(selector)?.value.includes(' CHANGED') ?? false,
    {},
    guest.field(1),
  );
  await press(guest.page, sharing.settleLabel('Quill', ''));
  await shows(guest.page, sharing.settled(1));
  const { comments } = await (await client.get(at('/comments'))).json();
  expect(comments).toMatchObject([{ name: 'Quill', settled: true }, { name: 'ann' }]);

  // Without a connection, a download says that it failed.
  await guest.page.setOfflineMode(true);
  await press(guest.page, sharing.csv);
  await guest.page.waitForFunction(
    (says) => document.querySelector('[role=tabpanel] [role=alert]')?.textContent === says,
    {},
    shell.offline,
  );
  await guest.page.setOfflineMode(false);

  // Revoked: the page of the guest says so, and the link opens nothing more.
  await ann.page.bringToFront();
  await press(ann.page, text.review.share);
  // The link is seen again, says who used it, and can be named.
  await shows(ann.page, 'Comments by Quill.');
  await press(ann.page, sharing.of(sharing.rename, ''));
  // The cursor is in its name.
  await ann.page.waitForSelector('.links input:focus');
  await ann.page.locator('.links input').fill('For Quill');
  await press(ann.page, sharing.saveName, '.links');
  await shows(ann.page, 'For Quill');
  await press(ann.page, sharing.of(sharing.revoke, 'For Quill'));
  await shows(ann.page, sharing.revoked);
  await guest.page.bringToFront();
  await shows(guest.page, sharing.over);
  const late = await openApp(browser, server.url, { at: new URL(url).hash.slice(1) });
  await shows(late.page, sharing.gone);
  expect(ann.faults).toEqual([]);
});

needsChromium(
  'the sound follows the run: to other browsers of the account, and to guests',
  async () => {
    const { browser, server, client } = bench;
    const ann = await openApp(browser, server.url, { client });
    await makeCaptions(ann.page, sample, 'deepgram');
    await ann.page.waitForSelector('.cue');
    const { runId } = /\/runs\/(?<runId>[\w-]+)/.exec(ann.page.url())!.groups!;
    const at = (part: string) => `/workflows/captioner/${runId}${part}`;

    const second = new ReviewPage(
      await openApp(browser, server.url, { client, at: `/runs/${runId}` }),
    );
    await second.page.waitForSelector('video');
    await second.page.waitForFunction(() => (document.querySelector('video')?.duration ?? 0) > 30);
    await soundIsSeen(second);
    await second.press(text.review.play);
    await second.page.waitForFunction(
      () => (document.querySelector('video')?.currentTime ?? 0) > 0.5,
    );
    const bob = await signUp(server, 'bob@example.org');
    expect((await bob.get(at('/sound'))).status).toBe(404);
    const stranger = await openApp(browser, server.url, { client: bob, at: `/runs/${runId}` });
    await shows(stranger.page, shell.run.notFound);

    await press(ann.page, text.review.share);
    await expectToLookWell(ann.page, 'share-dialog-with-sound');
    await press(ann.page, sharing.make);
    await shows(ann.page, sharing.made);
    const url = await urlIn(ann.page);
    const visit = await openApp(browser, server.url, { at: new URL(url).hash.slice(1) });
    const guest = new ReviewPage(visit);
    await guest.page.waitForSelector('video');
    await guest.page.waitForFunction(() => (document.querySelector('video')?.duration ?? 0) > 30);
    await soundIsSeen(guest);
    await guest.press(text.review.play);
    await guest.page.waitForFunction(
      () => (document.querySelector('video')?.currentTime ?? 0) > 0.5,
    );
    // Nothing of it is kept in the browser of the guest.
    await guest.page.reload();
    await guest.page.waitForSelector('video');

    // Finishing says what it deletes, and deletes it for all of them.
    await press(ann.page, text.close, 'dialog');
    await press(ann.page, termsText.finish);
    await shows(ann.page, termsText.finishEnds(['sound']));
    await expectToLookWell(ann.page, 'finish-with-sound');
    expect((await client.get(at('/sound'))).status).toBe(200);
    await press(ann.page, termsText.finishNow(['sound']));
    await shows(ann.page, termsText.finishEnded(['sound']));
    expect((await client.get(at('/sound'))).status).toBe(404);
    for (const { page } of [second, guest]) {
      await page.reload();
      await page.waitForSelector('.cue');
      await page.waitForSelector('.stage-note');
      expect(await page.$('video')).toBeNull();
    }
    await shows(second.page, 'No sound stays with this run');
    expect([...ann.faults, ...second.faults, ...guest.faults]).toEqual([]);
  },
);

needsChromium(
  'a recording that is deleted after its transcription is sent for a link',
  async () => {
    const { browser, server, client } = bench;
    const ann = await openApp(browser, server.url, { client });
    await chooseFile(ann.page, sample);
    await press(ann.page, shell.start.soundDelete);
    await chooseProvider(ann.page, 'deepgram');
    await press(ann.page, shell.start.make);
    await ann.page.waitForSelector('.cue');
    const { runId } = /\/runs\/(?<runId>[\w-]+)/.exec(ann.page.url())!.groups!;
    expect((await client.get(`/workflows/captioner/${runId}/sound`)).status).toBe(404);
    await press(ann.page, text.review.share);
    await shows(ann.page, sharing.noSoundStays);
    await press(ann.page, sharing.hear);
    await press(ann.page, sharing.make);
    await shows(ann.page, sharing.made);
    const links = `/workflows/captioner/${runId}/links`;
    const [link] = (await (await client.get(links)).json()).links;
    expect(link.soundBytes).toBeGreaterThan(100_000);
    await press(ann.page, sharing.of(sharing.revoke, ''));
    await shows(ann.page, sharing.revoked);
    expect((await client.get(`${links}/${link.id}/sound`)).status).toBe(404);
    expect(ann.faults).toEqual([]);
  },
);

needsBoth('the picture is found again, and a small copy of it follows the run', async () => {
  const { browser, server, client, folder } = bench;
  const film = await ffmpeg(
    join(folder, 'talk.webm'),
    `-f lavfi -i testsrc2=s=320x180:r=10:d=12 -i ${sample} -c:v libvpx -b:v 300k`,
    `-deadline realtime -cpu-used 8 ${OPUS} -t 12`,
  );
  const ann = await openApp(browser, server.url, { client });
  await makeCaptions(ann.page, film, 'deepgram');
  await ann.page.waitForSelector('.cue');
  const { runId } = /\/runs\/(?<runId>[\w-]+)/.exec(ann.page.url())!.groups!;
  const pictureIn = (page: Page): Promise<unknown> =>
    page.waitForFunction(() => (document.querySelector('video')?.videoHeight ?? 0) > 0);
  await pictureIn(ann.page);
  await ann.page.reload();
  await pictureIn(ann.page);

  // A caption is dragged to another place of the picture, and burned into it there.
  const caption = await ann.page.waitForSelector('.stage.video .overlay span');
  const { x, y, width, height } = (await caption!.boundingBox())!;
  await ann.page.mouse.move(x + width / 2, y + height / 2);
  await ann.page.mouse.down();
  const stage = (await (await ann.page.$('.stage'))!.boundingBox())!;
  await ann.page.waitForFunction(async () => {
    await new Promise((done) => setTimeout(done, 50));
    return true;
  });
  await ann.page.mouse.move(stage.x + 20, stage.y + 20, { steps: 5 });
  await ann.page.waitForSelector('.overlay.top.start');
  await ann.page.mouse.up();
  await shows(ann.page, text.review.did['place']!);
  await press(ann.page, text.review.downloadAs);
  await press(ann.page, text.review.burn);
  await expectToLookWell(ann.page, 'burn-dialog');
  await press(ann.page, burnText.start, 'dialog');
  await shows(ann.page, 'Saved ');
  await press(ann.page, shell.close, 'dialog');

  await press(ann.page, text.review.addVideo);
  await press(ann.page, sharing.addVideo, 'dialog');
  await shows(ann.page, 'Added: ');
  await shows(ann.page, sharing.see);
  await expectToLookWell(ann.page, 'share-dialog-with-video');
  await press(ann.page, sharing.make);
  await shows(ann.page, 'see the video');
  const url = await urlIn(ann.page);
  const { video } = await (await client.get(`/workflows/captioner/${runId}/media`)).json();
  expect(video.bytes).toBeLessThan((12 * 300_000) / 8);
  for (const where of [{ client, at: `/runs/${runId}` }, { at: new URL(url).hash.slice(1) }]) {
    const other = new ReviewPage(await openApp(browser, server.url, where));
    await pictureIn(other.page);
    await soundIsSeen(other);
    await other.page.evaluate(() => {
      document.querySelector('video')!.currentTime = 5;
    });
    await other.press(text.review.play);
    await other.page.waitForFunction(() => document.querySelector('video')!.currentTime > 5.5);
    expect(other.faults).toEqual([]);
    await other.close();
  }
  await press(ann.page, sharing.deleteVideo);
  await shows(ann.page, sharing.videoDeleted);
  expect((await client.get(`/workflows/captioner/${runId}/video`)).status).toBe(404);
  expect(ann.faults).toEqual([]);
});

needsChromium('a guest who may edit changes the captions, as a colleague does', async () => {
  const { browser, server, client } = bench;
  const run = await bench.run();
  const links = `${server.url}/workflows/captioner/${run.runId}/links`;
  const made = await post(links, { right: 'edit' }, { authorization: `Bearer ${client.key}` });
  const { token } = await made.json();
  const guest = new ReviewPage(
    await openApp(browser, server.url, { at: `/shared/${token}`, width: 360 }),
  );
  await guest.page.waitForSelector('.cue');
  await guest.type(1, ' EDITED');
  await until(async () =>
    (await (await client.get(`/workflows/captioner/${run.runId}/captions.srt`)).text()).includes(
      ' EDITED',
    ),
  );
});

describe('terms after a review and on their own page', () => {
  const TALK: readonly Spoken[] = [
    ['Every trace that we keep is stored in mosaic for a month.', 0.36],
    ['Nobody has to look for it anywhere else.', 0.36],
  ];

  needsChromium('a review teaches a name, and the page of terms has it', async () => {
    const { client } = bench;
    bench.hear(wordsOf(TALK));
    const run = await bench.run({ topic: 'Tracing' });
    const review = await bench.open(run, { shared: true });
    const { page } = review;
    const at = 1 + run.cues.findIndex((cue) => cue.text.includes('mosaic'));
    const place = (await review.text(at)).indexOf('mosaic');
    await review.focus(at, place + 'mosaic'.length);
    for (let key = 0; key < 'mosaic'.length; key += 1) await page.keyboard.press('Backspace');
    await page.keyboard.type('Mozaiq');
    await press(page, termsText.finish);
    await shows(page, termsText.questions(1));
    await shows(page, 'mosaic → Mozaiq');
    await expectToLookWell(page, 'review-finished');
    await press(page, termsText.ruleLabel(termsText.yes, 'mosaic → Mozaiq'));
    await shows(page, termsText.states.applied);
    const kept = await (await client.get(`/workflows/captioner/${run.runId}/review`)).json();
    expect(kept).toMatchObject({ finished: true });

    await press(page, termsText.all);
    await shows(page, termsText.heard(['mosaic']));
    await expectToLookWell(page, 'terms');
    await press(page, termsText.edit('Mozaiq'));
    await page.locator('.term-form summary').click();
    await expectToLookWell(page, 'term-form');
    expect(review.faults).toEqual([]);
    await review.close();
  });
});
