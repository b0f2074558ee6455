/** The app shows transcripts, names, answers, addresses and names of files as text, whatever they contain. */
import { expect, setDefaultTimeout } from 'bun:test';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { readVtt } from '../../../server/captions/files/vtt.ts';
import { paste } from '../../../web/texts/start-parts.ts';
import {
  chooseProvider,
  fill,
  openSettings,
  press,
  shows,
  showsReview,
} from '../../support/browser/app.ts';
import { needsChromium } from '../../support/browser/chromium.ts';
import { text } from '../../support/browser/words.ts';
import { post, until, type Any } from '../../support/servers/client.ts';
import { drop, expectOnlyText, hostileApp, IMG } from './support/hostile-app.ts';
import { HOSTILE_WORDS } from './support/hostile-text.ts';

setDefaultTimeout(300000);

const app = await hostileApp();

needsChromium('a talk of hostile words is made, reviewed and found as text', async () => {
  const { page, faults, review } = await app.open('/');
  await drop(page, `${IMG}.mp3`);
  await shows(page, `${IMG}.mp3`);
  await fill(page, text.start.topic, IMG);
  await openSettings(page, text.provider.title);
  await fill(page, text.terms.glossary, `${IMG}, <b>AuthKit</b>, {{x}}`);
  await fill(page, text.provider.speech, 'edge');
  await shows(page, IMG);
  await fill(page, text.provider.speech, 'deepgram');
  await press(page, text.start.make);
  await showsReview(page);
  expect(await review.text(1)).toContain('<script>window.hacked=1</script>');
  for (const tab of ['terms', 'warnings', 'report'] as const) await review.tab(tab);
  expect(await page.title()).toContain(IMG);

  // Neither the search text nor the replacement is a pattern.
  await review.keys('Control+KeyH');
  for (const [wanted, found] of [
    ['.*', 'Not found'],
    ['[a-z]+(', 'Not found'],
    ['C:\\', '1 of 1'],
    ['${1}', '1 of 1'],
    ['<img src=x onerror=', '1 of 1'],
  ] as const) {
    await page.locator('.find-bar input[type=text]').fill(wanted);
    await review.settled();
    expect(await review.read('.find-count')).toBe(found);
  }
  await page.locator('.find-replace input').fill('$&$1<u>\\0');
  await review.press('Replace all');
  await review.press('Compare');
  await shows(page, '$&$1<u>\\0');
  await review.keys('Escape');

  // The overlay shows the caption's text exactly.
  await page.$eval('input.seek', (field) => {
    field.value = '0.1';
    field.dispatchEvent(new Event('input', { bubbles: true }));
  });
  await page.waitForSelector('.overlay span');
  const lines = await page.$$eval('.overlay span', (all) => all.map((one) => one.textContent));
  expect(lines.join('\n')).toBe(await review.text(1));
  expect(await review.count('.overlay span *')).toBe(0);
  await expectOnlyText(page, faults);

  await page.evaluate(() => {
    location.hash = '#/runs';
  });
  await shows(page, `${IMG}.mp3`);
  await expectOnlyText(page, faults);
  await review.close();
});

needsChromium("the browser's own reader of WebVTT finds text and nothing else", async () => {
  const { runId } = await app.run();
  const vtt = await (await app.ann.get(`/workflows/captioner/${runId}/captions.vtt`)).text();
  const { page, faults, review } = await app.open('/');
  const cues = await page.evaluate(async (content) => {
    const video = document.createElement('video');
    const track = document.createElement('track');
    track.src = URL.createObjectURL(new Blob([content], { type: 'text/vtt' }));
    video.append(track);
    document.body.append(video);
    const loaded = new Promise((done) => track.addEventListener('load', done));
    track.track.mode = 'showing';
    await loaded;
    const found = [...(track.track.cues ?? [])].map((cue) => {
      const html = (cue as VTTCue).getCueAsHTML();
      // An invisible word joiner keeps players from reading \n as a line break.
      const text = html.textContent.replaceAll('\\\u2060', '\\');
      return { text, elements: html.querySelectorAll('*').length };
    });
    video.remove();
    return found;
  }, vtt);
  expect(cues).toEqual(readVtt(vtt).map(({ lines }) => ({ text: lines.join('\n'), elements: 0 })));
  await expectOnlyText(page, faults);
  await review.close();
});

/** Replaces the service's responses to some paths, once the page is loaded. */
async function answering(page: Page, path: RegExp, status: number, body: string): Promise<void> {
  await page.setRequestInterception(true);
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (!path.test(pathname)) return void request.continue();
    const contentType = pathname.endsWith('/events') ? 'text/event-stream' : 'application/json';
    return void request.respond({ status, contentType, body });
  });
}

const event = (run: unknown): string => `data: ${JSON.stringify(run)}\n\n`;

needsChromium('corrections whose words and reasons are markup are shown as such', async () => {
  const run = await app.run();
  const { result } = run.envelope;
  expect(result.status).toBe('completed');
  const word = { firstWord: 0, lastWord: 0, start: 0, end: 0.4, confidence: 0.7 };
  result.audit.corrections = ['needs_review', 'accepted', 'rejected'].map((decision, at) => ({
    ...word,
    id: `${IMG}${at}`,
    before: HOSTILE_WORDS[0]?.[0],
    after: `<b onclick=hacked()>${at}</b>$&`,
    category: IMG,
    reason: `${IMG} because`,
    packHints: [IMG],
    decision,
  }));
  result.transcript.metadata = { engine: IMG, model: IMG };
  result.input.language = `en" onload="window.hacked=1`;
  const { page, faults, review } = await app.open('/', {
    before: (page) => answering(page, /\/events$/, 200, event(run)),
  });
  await page.evaluate((id) => {
    location.hash = `#/runs/${id}`;
  }, run.runId);
  await showsReview(page);
  await review.tab('terms');
  await shows(page, `${IMG} because`);
  await review.press(`Accept: ${HOSTILE_WORDS[0]?.[0]} becomes <b onclick=hacked()>0</b>$&`);
  expect(await review.text(1)).toContain('<b onclick=hacked()>0</b>$&');
  await review.tab('report');
  await shows(page, IMG);
  await expectOnlyText(page, faults);
  await review.close();
});

needsChromium(
  'the messages of failed and blocked runs and of refusals are shown as plain text',
  async () => {
    const run = await app.run({ transcription: { provider: 'assemblyai' } });
    const { result } = run.envelope;
    expect(result.status).toBe('failed');
    result.error.message = `${IMG} happened`;
    result.error.stage = `<b>${IMG}</b>`;
    result.error.suggestions = [
      { label: `Do ${IMG}`, description: `${IMG} helps`, payloadPatch: { topic: IMG } },
      { label: `javascript:hacked()`, description: '<a href="javascript:hacked()">x</a>' },
    ];
    const refusal = JSON.stringify({ error: { code: IMG, message: `${IMG} refused` } });
    for (const [status, body, words] of [
      [200, event({ ...run, audioKey: `a/${IMG}.mp3` }), `${IMG} helps`],
      [400, refusal, `${IMG} refused`],
      [400, '<script>window.hacked=1</script>', 'The service refused the request.'],
    ] as const) {
      const { page, faults, review } = await app.open('/', {
        before: (page) => answering(page, /\/events$/, status, body),
      });
      await page.evaluate((id) => {
        location.hash = `#/runs/${id}`;
      }, run.runId);
      await shows(page, words);
      await expectOnlyText(
        page,
        faults.filter((fault) => !fault.includes('status of 400')),
      );
      await review.close();
    }
  },
);

needsChromium('past runs are listed by their names, whatever those are', async () => {
  const run = await app.run();
  const runs = ['<b>', IMG, '\u202egpj', 'javascript:hacked()', '..'].map((name, at) => ({
    ...run,
    envelope: undefined,
    name: undefined,
    runId: at === 0 ? `../../${IMG}` : `${IMG}${at}`,
    audioKey: `app/x/${name}.mp3`,
  }));
  const { page, faults, review } = await app.open('/runs', {
    before: (page) =>
      answering(page, /^\/workflows\/captioner$/, 200, JSON.stringify({ runs, nextCursor: null })),
  });
  await shows(page, `${IMG}.mp3`);
  const links = await page.$$eval('.runs a', (all) => all.map((link) => link.getAttribute('href')));
  expect(links).toHaveLength(runs.length);
  for (const link of links) expect(link).toMatch(/^#\/runs\/[^/<>"]+$/);
  // The page asks whether these runs have captions; the service knows none of them.
  await expectOnlyText(
    page,
    faults.filter((fault) => !fault.includes('status of 404')),
  );
  await review.close();
});

needsChromium('names of runs and guests, and what guests write, are shown as text', async () => {
  const run = await app.run();
  const at = `/workflows/captioner/${run.runId}`;
  const by = (key: string) => ({ authorization: `Bearer ${key}` });
  const named = await fetch(`${app.ann.url}${at}/name`, {
    method: 'PUT',
    headers: { ...by(app.ann.key), 'content-type': 'application/json' },
    body: JSON.stringify({ name: `${IMG} named` }),
  });
  expect(named.status).toBe(200);
  const made = await post(`${app.ann.url}${at}/links`, { right: 'comment' }, by(app.ann.key));
  const { token } = await made.json();
  const comment = async (body: object): Promise<Any> => {
    const sent = await post(`${app.ann.url}${at}/comments`, body, by(token));
    expect(sent.status).toBe(201);
    return sent.json();
  };
  const { id } = await comment({ name: IMG, at: 0.2, text: '<svg/onload=window.hacked=1> wrote' });
  const answer = { name: '<b onclick=hacked()>Bo</b>', text: '[x](javascript:hacked()) answered' };
  await comment({ ...answer, parentId: id });

  const owner = await app.open(`/runs/${run.runId}`);
  const guest = await app.open(`/shared/${token}`, { client: undefined });
  for (const { page, faults, review } of [owner, guest]) {
    await page.waitForSelector('.cue');
    await review.tab('comments');
    await shows(page, '<svg/onload=window.hacked=1> wrote');
    for (const words of [IMG, ...Object.values(answer)]) await shows(page, words);
    await expectOnlyText(page, faults);
  }
  await owner.page.evaluate(() => void (location.hash = '#/runs'));
  await shows(owner.page, `${IMG} named`);
  await expectOnlyText(owner.page, owner.faults);
  await owner.review.close();
  await guest.review.close();
});

needsChromium('names found in a file are offered, and become terms, as text', async () => {
  const { page, faults, review } = await app.open('/');
  await drop(page, 'talk.mp3');
  await openSettings(page);
  await page.evaluate((image) => {
    const rows = [
      'Name,Company',
      `Ada ${image},<b>Quilter</b> Inc`,
      `${image},<svg/onload=hacked()>`,
    ];
    const dataTransfer = new DataTransfer();
    for (const name of ['people.csv', `${image}.csv`]) {
      dataTransfer.items.add(new File([rows.join('\n')], name, { type: 'text/csv' }));
    }
    dataTransfer.items.add(new File([new Uint8Array([0xd0, 0xcf, 0x11, 0xe0])], `${image}.pptx`));
    dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
  }, IMG);
  await shows(page, '<b>Quilter</b> Inc');
  await shows(page, `${IMG}.pptx: `);
  await expectOnlyText(page, faults);
  await press(page, paste.takeAll);
  await press(page, text.provider.title);
  await fill(page, text.provider.speech, 'deepgram');
  await press(page, text.start.make);
  await showsReview(page);
  await review.tab('terms');
  await expectOnlyText(page, faults);
  await review.close();
});

needsChromium('an address only identifies a run, whatever it contains', async () => {
  const asked: string[] = [];
  const { page, faults, review } = await app.open('/', {
    before: async (opened) =>
      void opened.on('request', (request) => asked.push(new URL(request.url()).pathname)),
  });
  for (const at of [
    `/run/${IMG}`,
    `/runs/${IMG}`,
    '/runs/%3Cimg src=x onerror=window.hacked=1%3E',
    '/runs/../../x',
    '/runs/..%2F..%2Fhealth',
    '/runs/.',
    '/runs/%',
    '/runs/%E0%A4%A',
    '/runs/%00%0d%0a',
    '/runs/javascript:hacked()',
    '/runs/__proto__',
    '//evil.example/x',
  ]) {
    await page.evaluate((hash) => void (location.hash = hash), at);
    if (at.startsWith('/runs/')) await shows(page, text.run.notFound);
    await expectOnlyText(
      page,
      faults.filter((fault) => !fault.includes('status of 404')),
    );
    await page.evaluate(() => void (location.hash = '/'));
    await page.waitForSelector('.drop');
  }
  expect(asked.filter((path) => !/^\/(app|favicon|workflows)/.test(path))).toEqual([]);
  await review.close();
});

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
    ['a\r\nSet-Cookie: b\0c\u0007.mp3', 'a_Set-Cookie_ b_c_'],
    [`${'long '.repeat(60)}.mp3`, 'long '.repeat(40).trim()],
    ['🎙️ été 字幕.mp3', '🎙️ été 字幕'],
    ['talk\u202e3pm.exe.mp3', 'talk_3pm.exe'],
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
