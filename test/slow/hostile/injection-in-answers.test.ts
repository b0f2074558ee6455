/** The app shows responses and addresses as text, whatever they contain. */
import { expect, setDefaultTimeout } from 'bun:test';
import type { Page } from 'puppeteer-core';
import { text } from '../../support/browser/words.ts';
import { shows, showsReview } from '../../support/browser/app.ts';
import { needsChromium } from '../../support/browser/chromium.ts';
import { expectOnlyText, hostileApp, IMG } from './support/hostile-app.ts';
import { HOSTILE_WORDS } from './support/hostile-text.ts';

setDefaultTimeout(300_000);

const app = await hostileApp();

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

needsChromium('an address only identifies a run, whatever it contains', async () => {
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
    const asked: string[] = [];
    const { page, faults, review } = await app.open(at, {
      before: async (page) =>
        void page.on('request', (request) => asked.push(new URL(request.url()).pathname)),
    });
    if (at.startsWith('/runs/')) await shows(page, text.run.notFound);
    else await page.waitForSelector('.drop');
    const own = faults.filter((fault) => !fault.includes('status of 404'));
    await expectOnlyText(page, own);
    expect(asked.filter((path) => !/^\/(app|favicon|workflows)/.test(path))).toEqual([]);
    await review.close();
  }
});
