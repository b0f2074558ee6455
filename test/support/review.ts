/** Reviews in a real Chromium: a run whose words a test chooses, opened in the app, and hands to edit it. */
import { afterAll } from 'bun:test';
import { readFile } from 'node:fs/promises';
import type { Browser, KeyInput, Page } from 'puppeteer-core';
import type { ReadCue } from '../../server/captions/cue-blocks.ts';
import { readSrt } from '../../server/captions/srt.ts';
import type { CaptionCue } from '../../server/contract/captions.ts';
import type { TranscriptWord } from '../../server/contract/transcript.ts';
import { openApp, press, type AppOptions } from './app.ts';
import { startChromium, type Visit } from './chromium.ts';
import { ended, signUp, type Any, type Client } from './client.ts';
import { startHttpDouble } from './http-double.ts';
import { sample } from './sample.ts';
import type { ServerProcess } from './server-process.ts';
import { deepgramAnswer, deepgramWire } from './speech-doubles.ts';
import { testServer } from './test-server.ts';

/** What the talks of these tests are about: it makes corrections of what was misheard. */
const TOPIC = 'MCP Night: agent registration with AuthKit';

/** A sentence and how long each of its words lasts, in seconds. */
export type Spoken = readonly [sentence: string, secondsAWord: number];

/** A talk of two minutes: calm, too fast at times, with terms that were misheard. */
export const SHORT_TALK: readonly Spoken[] = [
  ['Welcome back to the night where agents meet people.', 0.36],
  ['Tonight we look at how off kit lets an agent register.', 0.34],
  ['It reads one page and then it asks the person for a code.', 0.34],
  ['Nobody copies a secret from one window to another any more.', 0.36],
  ['The team shipped an m c p server for everybody last night.', 0.36],
  ['Every request is signed, so off kit knows who is asking for what and why.', 0.33],
  [
    'Honestly the hardest part was naming things and then renaming them twice before breakfast.',
    0.1,
  ],
  [
    'Somebody counted seventeen different words for registration throughout these specifications.',
    0.1,
  ],
  [
    'Everybody remembered another document describing everything completely differently afterwards.',
    0.1,
  ],
  ['Let us see what happens when the code is wrong.', 0.38],
  ['The agent is told so, plainly, and it asks the person again.', 0.35],
  ['After five wrong codes the registration is over.', 0.4],
  ['You can watch all of that in the log that off kit keeps.', 0.35],
  ['Thank you, and good night.', 0.42],
];

/** Sentences, one after the other, as words with their times. */
export function wordsOf(spoken: readonly Spoken[], pause = 0.6): TranscriptWord[] {
  let at = 0.5;
  return spoken.flatMap(([sentence, each]) => {
    const words = sentence.split(' ').map((text, index) => ({
      text,
      start: wholeMs(at + index * each),
      end: wholeMs(at + (index + 0.9) * each),
      confidence: 0.9,
    }));
    at += words.length * each + pause;
    return words;
  });
}

const wholeMs = (seconds: number): number => Math.round(seconds * 1000) / 1000;

/** The service, what it hears, who uses it, and a browser; all of it ends with the file. */
export interface ReviewBench {
  server: ServerProcess;
  client: Client;
  browser: Browser;
  /** What the next runs hear. */
  hear(words: readonly TranscriptWord[]): void;
  /** Captions the sample. */
  run(payload?: Any): Promise<ReviewRun>;
  /** Opens the review of a run. */
  open(run: ReviewRun, options?: AppOptions): Promise<ReviewPage>;
}

export interface ReviewRun {
  runId: string;
  result: Any;
  cues: CaptionCue[];
  srt: string;
}

/** Starts all that a review needs; null where there is no Chromium. */
export async function reviewBench(): Promise<ReviewBench | null> {
  const browser = await startChromium();
  if (!browser) return null;
  const deepgram = await startHttpDouble(deepgramWire(deepgramAnswer(wordsOf(SHORT_TALK))));
  const server = await testServer({
    env: { DEEPGRAM_API_KEY: 'deepgram-key', DEEPGRAM_BASE_URL: deepgram.origin },
  });
  afterAll(async () => {
    await browser.close();
    await deepgram.close();
  });
  const client = await signUp(server, 'ann@example.com');
  const recording = await readFile(sample);
  return {
    server,
    client,
    browser,
    hear: (words) => deepgram.behave(deepgramWire(deepgramAnswer(words))),
    async run(payload = {}) {
      await client.put('talk.mp3', recording);
      const started = await client.start({
        audio: { key: 'talk.mp3', filename: 'talk.mp3' },
        topic: TOPIC,
        transcription: { provider: 'deepgram' },
        ...payload,
      });
      const { runId } = await started.json();
      const { envelope } = await ended(client, runId, 120_000);
      const { result } = envelope;
      if (result.status !== 'completed') throw new Error(JSON.stringify(result));
      return { runId, result, cues: result.captions.cues, srt: result.captions.srt };
    },
    async open(run, options = {}) {
      const visit = await openApp(browser, server.url, {
        client,
        at: `/runs/${run.runId}`,
        ...options,
        before: async (page) => {
          await rememberFiles(page);
          await options.before?.(page);
        },
      });
      await visit.page.waitForSelector('.cue, .notice');
      return new ReviewPage(visit);
    },
  };
}

/** The files that the page hands out, as texts, the last one at the end. */
const rememberFiles = (page: Page): Promise<unknown> =>
  page.evaluateOnNewDocument(() => {
    const made: Blob[] = [];
    Object.assign(globalThis, { filesMade: made });
    const createObjectUrl = URL.createObjectURL.bind(URL);
    URL.createObjectURL = (of: Blob | MediaSource) => {
      if (of instanceof Blob) made.push(of);
      return createObjectUrl(of);
    };
  });

/** A review as its people handle it. Captions are numbered from 1. */
export class ReviewPage {
  readonly page: Page;
  readonly faults: string[];

  constructor({ page, faults }: Visit) {
    this.page = page;
    this.faults = faults;
  }

  /** Until what was done is in the page: a few frames. */
  async settled(): Promise<void> {
    await this.page.evaluate(async () => {
      for (let frame = 0; frame < 4; frame += 1) {
        await new Promise((done) => requestAnimationFrame(done));
      }
    });
  }

  /** Keys as the sheet writes them, with the names of codes: `Alt+Enter`, `Control+Shift+KeyZ`. */
  async keys(...chords: readonly string[]): Promise<void> {
    const { keyboard } = this.page;
    for (const chord of chords) {
      const parts = chord.split('+') as KeyInput[];
      for (const part of parts.slice(0, -1)) await keyboard.down(part);
      await keyboard.press(parts.at(-1) ?? 'Enter');
      for (const part of parts.slice(0, -1).toReversed()) await keyboard.up(part);
      await this.settled();
    }
  }

  /** Presses what has a name, within the row of a caption where one is told. */
  async press(name: string, caption?: number): Promise<void> {
    await press(this.page, name, caption === undefined ? '' : `[aria-posinset="${caption}"]`);
    await this.settled();
  }

  field = (caption: number): string => `[aria-posinset="${caption}"] textarea`;
  start = (caption: number): string => `[aria-label="Start of caption ${caption}"]`;
  end = (caption: number): string => `[aria-label="End of caption ${caption}"]`;

  /** Puts the cursor into a caption: at an offset, else at the end. */
  async focus(caption: number, offset?: number): Promise<void> {
    await this.show(caption);
    await this.page.$eval(
      this.field(caption),
      (found, at) => {
        const field = found as HTMLTextAreaElement;
        field.focus();
        field.setSelectionRange(at ?? field.value.length, at ?? field.value.length);
      },
      offset ?? null,
    );
    await this.settled();
  }

  /** Scrolls the list until a caption is in the page. */
  async show(caption: number): Promise<void> {
    for (let tries = 0; tries < 200; tries += 1) {
      const there = await this.page.evaluate((wanted) => {
        if (document.querySelector(`[aria-posinset="${wanted}"]`)) return true;
        const list = document.querySelector('.cue-list');
        if (!list) return false;
        // The row that is typed in may be far from the others.
        const { top } = list.getBoundingClientRect();
        const rows = [...document.querySelectorAll('[aria-posinset]')];
        const first = rows.find((row) => row.getBoundingClientRect().bottom > top);
        list.scrollTop += (wanted - Number(first?.getAttribute('aria-posinset') ?? 1)) * 60;
        return false;
      }, caption);
      if (there) return;
      await this.settled();
    }
    throw new Error(`caption ${caption} does not come into the page`);
  }

  /** Types at the end of a caption, or at an offset. */
  async type(caption: number, text: string, offset?: number): Promise<void> {
    await this.focus(caption, offset);
    await this.page.keyboard.type(text);
    await this.settled();
  }

  /** Puts another value into a field and leaves it. */
  async fill(selector: string, value: string): Promise<void> {
    await this.page.$eval(selector, (field) => {
      (field as HTMLInputElement).focus();
      (field as HTMLInputElement).select();
    });
    await this.page.keyboard.type(value);
    await this.page.keyboard.press('Enter');
    await this.settled();
  }

  /** What the text of a caption is, as it stands in the page. */
  async text(caption: number): Promise<string> {
    await this.show(caption);
    return this.page.$eval(this.field(caption), (field) => (field as HTMLTextAreaElement).value);
  }

  /** The start and the end, as the page shows them. */
  async times(caption: number): Promise<[string, string]> {
    const valueOf = (selector: string) =>
      this.page.$eval(selector, (field) => (field as HTMLInputElement).value);
    return [await valueOf(this.start(caption)), await valueOf(this.end(caption))];
  }

  /** What the page says was done last. */
  said = (): Promise<string> => this.read('.said');

  /** The text of the first element that is meant. */
  read = (selector: string): Promise<string> =>
    this.page.$eval(selector, (found) => (found as HTMLElement).innerText.trim());

  /** The texts of all elements that are meant. */
  readAll = (selector: string): Promise<string[]> =>
    this.page.$$eval(selector, (all) =>
      all.map((found) => (found as HTMLElement).innerText.trim()),
    );

  count = (selector: string): Promise<number> => this.page.$$eval(selector, (all) => all.length);

  /** Which caption is current, and whether its text has the focus. */
  current = (): Promise<{ caption: number; typing: boolean; cursor: number | null }> =>
    this.page.evaluate(() => {
      const row = document.querySelector('.cue.current');
      const active = document.activeElement;
      return {
        caption: Number(row?.getAttribute('aria-posinset') ?? 0),
        typing: active instanceof HTMLTextAreaElement && row?.contains(active) === true,
        cursor: active instanceof HTMLTextAreaElement ? active.selectionStart : null,
      };
    });

  /** The SRT of the captions as they are now. */
  async srt(): Promise<string> {
    await this.keys('Control+KeyS');
    return this.lastFile();
  }

  /** The captions as they are now, by their file. */
  async cues(): Promise<ReadCue[]> {
    return readSrt(await this.srt());
  }

  /** The file that the page made last. */
  lastFile = (): Promise<string> =>
    this.page.evaluate(async () => {
      const { filesMade } = globalThis as unknown as { filesMade: Blob[] };
      const texts = filesMade.filter(({ type }) => /subrip|text|json/.test(type));
      return (await texts.at(-1)?.text()) ?? '';
    });

  /** Shows one of the tabs. */
  tab = (name: 'terms' | 'warnings' | 'report'): Promise<void> =>
    this.page
      .locator(`[data-tab=${name}]`)
      .click()
      .then(() => this.settled());

  /** Presses an entry of a menu. */
  async choose(menu: string, entry: string): Promise<void> {
    await this.press(menu);
    await press(this.page, entry, '.menu-items');
    await this.settled();
  }

  close = (): Promise<void> => this.page.browserContext().close();
}
