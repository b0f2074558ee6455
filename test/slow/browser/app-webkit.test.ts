/** The app in WebKit: from a recording to a file of captions, and the desk with the user's own captions. */
import { afterAll, expect, setDefaultTimeout } from 'bun:test';
import { join } from 'node:path';
import { needsWebKit, openWebKit } from '../../support/browser/webkit.ts';
import { deepgramServer } from '../../support/servers/deepgram-server.ts';
import { sample } from '../../support/sample.ts';
import { signUp } from '../../support/servers/client.ts';
import { removeFolder, temporaryFolder } from '../../support/servers/server-process.ts';
import { text } from '../../support/browser/words.ts';

setDefaultTimeout(300_000);

const webkit = await openWebKit();
const folder = await temporaryFolder();
const server = await deepgramServer();
afterAll(async () => {
  await webkit?.close();
  await removeFolder(folder);
});

/** The app in the window, from its start, with a list of the files and faults that it makes. */
async function openStart() {
  if (!webkit) throw new Error('there is no WebKit');
  await webkit.open(`${server.url}/docs`);
  await webkit.open(`${server.url}/app`);
  await webkit.evaluate(() => {
    const [made, faults]: [Blob[], string[]] = [[], []];
    Object.assign(globalThis, { made, faults });
    const createObjectUrl = URL.createObjectURL.bind(URL);
    URL.createObjectURL = (of: Blob | MediaSource) => {
      if (of instanceof Blob && /subrip|text/.test(of.type)) made.push(of);
      return createObjectUrl(of);
    };
    window.addEventListener('error', ({ message }) => faults.push(message));
    window.addEventListener('unhandledrejection', ({ reason }) => faults.push(String(reason)));
  });
  return webkit;
}
type Window = Awaited<ReturnType<typeof openStart>>;

const lastFile = (window: Window): Promise<string> =>
  window.evaluate(() =>
    // What is played is no file that somebody receives.
    (
      (globalThis as unknown as { made: Blob[] }).made.findLast(
        ({ type }) => !/^(?:audio|video)/.test(type),
      ) ?? new Blob()
    ).text(),
  );
const faults = (window: Window) =>
  window.evaluate(() => (globalThis as unknown as { faults: string[] }).faults);
/** Waits until a caption has the focus and says something. */
const isAt = (window: Window, caption: number, says: string): Promise<unknown> =>
  window.until(
    (place, words) => {
      const field = document.activeElement;
      const row = field?.closest('[aria-posinset]')?.getAttribute('aria-posinset');
      return row === place && field instanceof HTMLTextAreaElement && field.value.includes(words);
    },
    String(caption),
    says,
  );
/** In the page: the length and the loudest part of the recording, once its waveform is complete. */
const measuredSound = async () => {
  const answer = <T>(request: IDBRequest<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      request.addEventListener('success', () => resolve(request.result));
      request.addEventListener('error', () => reject(request.error ?? new Error('no answer')));
    });
  const database = await answer(indexedDB.open('captioner'));
  const [peaks] = await answer(database.transaction('peaks').objectStore('peaks').getAll());
  database.close();
  return peaks && { seconds: peaks.seconds, loudest: Math.max(...peaks.values) };
};
const putCursor = (window: Window, caption: number): Promise<unknown> =>
  window.until((place) => {
    const field = document.querySelector(`[aria-posinset="${place}"] textarea`);
    if (!(field instanceof HTMLTextAreaElement)) return false;
    field.focus();
    field.setSelectionRange(field.value.length, field.value.length);
    return true;
  }, caption);

needsWebKit(
  'a recording is captioned, edited by keys, downloaded, and there after a reload',
  async () => {
    const { key } = await signUp(server, 'ann@example.com');
    await (
      await openStart()
    ).evaluate(
      (session) => {
        sessionStorage.setItem('captioner.session', session);
      },
      JSON.stringify({ key, email: 'ann@example.com' }),
    );
    const window = await openStart();
    await window.choose(sample);
    await window.press(text.start.more);
    await window.press(text.provider.title);
    await window.until(() => {
      const speech = [...document.querySelectorAll('select')].find((each) =>
        [...each.options].some(({ value }) => value === 'deepgram'),
      );
      if (!speech) return false;
      speech.value = 'deepgram';
      for (const name of ['input', 'change'])
        speech.dispatchEvent(new Event(name, { bubbles: true }));
      return true;
    });
    await window.press(text.start.make);
    await putCursor(window, 1);
    await window.type(' indeed');
    await isAt(window, 1, 'indeed');
    await window.keys('Alt+ArrowDown');
    await isAt(window, 2, 'Thank');
    await window.keys('Control+Enter');
    await window.until(() => (document.querySelector('video')?.currentTime ?? 0) > 0.3);
    // The length is known only while it plays.
    await window.until(() =>
      /\/ 00:35\.\d/.test(document.querySelector('.clock')?.textContent ?? ''),
    );
    // The page decodes MP3 itself where WebKit fails to, and knows the loudness to the end.
    const { seconds, loudest } = await window.until(measuredSound);
    expect(Math.abs(seconds - 35)).toBeLessThan(1);
    expect(loudest).toBeGreaterThan(50);
    expect(await window.evaluate(() => document.querySelector('.waveform-note')?.textContent)).toBe(
      '',
    );
    await window.keys('Alt+KeyK', 'Control+KeyK');
    await window.until(() => document.activeElement?.closest('.palette'));
    // The palette is as tall as its list.
    const [dialog = 0, list = 0] = await window.evaluate(() =>
      ['.palette', '.palette ul'].map(
        (part) => document.querySelector(part)?.getBoundingClientRect().height ?? 0,
      ),
    );
    expect(dialog - list).toBeLessThan(150);
    await window.type('vtt');
    await window.keys('Enter');
    await window.until(() => document.querySelector('.said')?.textContent?.includes('.vtt'));
    const vtt = await lastFile(window);
    expect(vtt).toStartWith('WEBVTT');
    expect(vtt).toContain('indeed');
    expect(await faults(window)).toEqual([]);

    const address = await window.evaluate(() => location.href);
    await window.open(`${server.url}/docs`);
    await window.open(address);
    await window.until(() => document.querySelector('.cue textarea'));
    expect(await window.evaluate(() => document.querySelector('textarea')?.value)).toEndWith(
      'indeed',
    );
    // The recording was stored too.
    await window.until(() => (document.querySelector('video')?.readyState ?? 0) > 0);
  },
);

needsWebKit('captions that somebody has open with their video', async () => {
  const [film, srt] = [join(folder, 'film.mp4'), join(folder, 'film.srt')];
  const made = Bun.spawnSync(
    `ffmpeg -v error -f lavfi -i testsrc=size=160x90:rate=25:duration=6 -f lavfi -i sine=duration=6 -c:v libx264 -pix_fmt yuv420p -c:a aac ${film}`.split(
      ' ',
    ),
  );
  expect(made.exitCode).toBe(0);
  await Bun.write(
    srt,
    '1\n00:00:01,000 --> 00:00:03,000\nHello there.\n\n2\n00:00:04,000 --> 00:00:05,500\nGood bye.\n',
  );
  const window = await openStart();
  await window.choose(srt, film);
  await putCursor(window, 2);
  await window.until(() => document.querySelector('video')?.videoWidth === 160);
  await window.keys('Alt+KeyP');
  await window.until(() => (document.querySelector('video')?.currentTime ?? 0) > 4.2);
  await window.keys('Alt+KeyK');
  await window.type(' Well.');
  await isAt(window, 2, 'Well.');
  await window.keys('Control+KeyS');
  await window.until(() =>
    (globalThis as unknown as { made: Blob[] }).made.some(({ type }) => /subrip/.test(type)),
  );
  expect(await lastFile(window)).toContain('Well.');
  expect(await faults(window)).toEqual([]);
});
