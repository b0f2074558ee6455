/** Reviews in a real Chromium: a run with words chosen by the test, opened in the app. */
import { afterAll, expect } from 'bun:test';
import { readFile } from 'node:fs/promises';
import type { Browser } from 'puppeteer-core';
import type { CaptionCue } from '../../../server/contract/captions.ts';
import type { TranscriptWord } from '../../../server/contract/results.ts';
import { type AppOptions, openApp } from './app.ts';
import { needsChromium } from './chromium.ts';
import { testBrowser } from './test-browser.ts';
import { type Any, type Client, ended, signUp } from '../servers/client.ts';
import { startHttpDouble } from '../doubles/http-double.ts';
import { keepFromService, rememberFiles, ReviewPage } from './review-page.ts';
import { sample } from '../sample.ts';
import type { ServerProcess } from '../servers/server-process.ts';
import { deepgramAnswer, deepgramWire } from '../doubles/speech-doubles.ts';
import { testServer } from '../servers/test-server.ts';
import { DEEPGRAM_KEY } from '../doubles/provider-keys.ts';

export { ReviewPage } from './review-page.ts';

/** The topic of the talks, which leads to corrections of misheard terms. */
const TOPIC = 'MCP Night: agent registration with AuthKit';

/** A sentence, and the duration of each of its words in seconds. */
export type Spoken = readonly [sentence: string, secondsAWord: number];

/** A talk of two minutes: calm, sometimes too fast, with misheard terms. */
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

/** Turns consecutive sentences into words with their times. */
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

/** The service, its transcription, a user and a browser, which all end with the test file. */
export interface ReviewBench {
  server: ServerProcess;
  client: Client;
  /** Only for tests that need Chromium. */
  readonly browser: Browser;
  /** A folder for files. */
  folder: string;
  /** Sets the words that the next runs recognise. */
  hear(words: readonly TranscriptWord[]): void;
  /** Captions the sample. */
  run(payload?: Any): Promise<ReviewRun>;
  /** Opens the review of a run, stored only in its browser unless it is `shared`. */
  open(run: ReviewRun, options?: AppOptions & { shared?: boolean }): Promise<ReviewPage>;
}

export interface ReviewRun {
  runId: string;
  result: Any;
  cues: CaptionCue[];
  srt: string;
}

/** Starts everything that a review needs. */
export async function reviewBench(): Promise<ReviewBench> {
  const { browser, folder } = await testBrowser();
  const deepgram = await startHttpDouble(deepgramWire(deepgramAnswer(wordsOf(SHORT_TALK))));
  const server = await testServer({
    env: { DEEPGRAM_API_KEY: DEEPGRAM_KEY, DEEPGRAM_BASE_URL: deepgram.origin },
  });
  afterAll(() => deepgram.close());
  const client = await signUp(server, 'ann@example.com');
  const recording = await readFile(sample);
  return {
    server,
    client,
    folder,
    get browser() {
      return browser();
    },
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
      const { envelope } = await ended(client, runId);
      const { result } = envelope;
      if (result.status !== 'completed') throw new Error(JSON.stringify(result));
      return { runId, result, cues: result.captions.cues, srt: result.captions.srt };
    },
    async open(run, { shared = false, ...options } = {}) {
      const visit = await openApp(browser(), server.url, {
        client,
        at: `/runs/${run.runId}`,
        ...options,
        before: async (page) => {
          await rememberFiles(page);
          if (!shared) await keepFromService(page);
          await options.before?.(page);
        },
      });
      await visit.page.waitForSelector('.cue, .notice');
      return new ReviewPage(visit);
    },
  };
}

/** Tests with a separate review each, so that they do not see each other's changes. */
export interface ReviewTests {
  reviewing(name: string, test: (review: ReviewPage) => Promise<void>): void;
  /** The run that all of them review. */
  theRun(): ReviewRun;
  /** One of its captions, unchanged. */
  cueAt(number: number): CaptionCue;
}

/** Prepares such tests; the run is created on first use. */
export function reviewTests(bench: ReviewBench): ReviewTests {
  let talk: ReviewRun | null = null;
  const theRun = (): ReviewRun => {
    if (!talk) throw new Error('there is no run');
    return talk;
  };
  return {
    theRun,
    reviewing(name, test) {
      needsChromium(name, async () => {
        // Uncertain terms are left for review, so that there is something to decide.
        talk ??= await bench.run({ audit: { minConfidence: 0.98 } });
        const review = await bench.open(talk);
        await test(review);
        expect(review.faults).toEqual([]);
        await review.close();
      });
    },
    cueAt(number) {
      const cue = theRun().cues[number - 1];
      if (!cue) throw new Error(`there is no caption ${number}`);
      return cue;
    },
  };
}

/** The text of a caption in the current file. */
export const linesOf = async (review: ReviewPage, number: number): Promise<string> =>
  (await review.cues())[number - 1]?.lines.join('\n') ?? '';
