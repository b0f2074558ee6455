/** The app shows transcripts, names and search terms as text, whatever they contain. */
import { expect, setDefaultTimeout } from 'bun:test';
import { readVtt } from '../../../server/captions/files/vtt.ts';
import { text } from '../../support/browser/words.ts';
import { fill, openSettings, press, shows, showsReview } from '../../support/browser/app.ts';
import { needsChromium } from '../../support/browser/chromium.ts';
import { drop, expectOnlyText, hostileApp, IMG } from './support/hostile-app.ts';

setDefaultTimeout(300_000);

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
