/** The app in a real Chromium, signed in, with a transcription provider that tests can pause. */
import { afterAll } from 'bun:test';
import type { Page } from 'puppeteer-core';
import { text } from '../../support/browser/words.ts';
import { makeCaptions, openApp, shownRun, shows } from '../../support/browser/app.ts';
import { type Client, signUp } from '../../support/servers/client.ts';
import { type HttpDouble, startHttpDouble } from '../../support/doubles/http-double.ts';
import { sample } from '../../support/sample.ts';
import type { ServerProcess } from '../../support/servers/server-process.ts';
import { deepgramAnswer, deepgramWire, TALK } from '../../support/doubles/speech-doubles.ts';
import { testBrowser, type TestBrowser } from '../../support/browser/test-browser.ts';
import { testServer } from '../../support/servers/test-server.ts';
import { tinyModelEnvironment } from '../../support/doubles/tiny-model-environment.ts';
import { DEEPGRAM_KEY } from '../../support/doubles/provider-keys.ts';

/** A page with a running run. */
export interface RunningPage {
  page: Page;
  runId: string;
  /** Lets the provider answer. */
  release(): void;
}

/** The app and everything it needs, which all end with the test file. */
export interface AppBench extends TestBrowser {
  /** The provider. */
  deepgram: HttpDouble;
  /** The environment of the service. */
  env: Record<string, string>;
  server: ServerProcess;
  ann: Client;
  /** Pauses the provider until the returned function is called. */
  hold(): () => void;
  /** A page of a signed-in user (default: Ann) with one of their running runs. */
  openRunning(at?: Client): Promise<RunningPage>;
}

/** Starts the service, the provider and the browser, and signs up Ann. */
export async function appBench(): Promise<AppBench> {
  const deepgram = await startHttpDouble(deepgramWire(deepgramAnswer(TALK)));
  const { env: tinyModel } = await tinyModelEnvironment();
  const env = {
    ...tinyModel,
    DEEPGRAM_API_KEY: DEEPGRAM_KEY,
    DEEPGRAM_BASE_URL: deepgram.origin,
    REGISTRATIONS_PER_IP: '1000',
    // The provider is paused for as long as a screen is looked at.
    PROVIDER_TIMEOUT: '3600',
  };
  const server = await testServer({ env });
  const { browser, folder } = await testBrowser();
  afterAll(() => deepgram.close());
  const ann = await signUp(server, 'ann@example.com');
  const hold = (): (() => void) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    deepgram.behave(async () => {
      await promise;
      return Response.json(deepgramAnswer(TALK));
    });
    return () => {
      deepgram.behave(null);
      resolve();
    };
  };
  return {
    deepgram,
    env,
    server,
    browser,
    folder,
    ann,
    hold,
    async openRunning(at = ann) {
      const release = hold();
      const { page } = await openApp(browser(), at.url, { client: at });
      await makeCaptions(page, sample, 'deepgram');
      const runId = await shownRun(page);
      await shows(page, text.run.stages['transcription'] ?? '');
      return { page, runId, release };
    },
  };
}

/** Uploads a recording and starts its run through the API. */
export async function startRun(of: Client, name: string): Promise<string> {
  const key = `talks/${crypto.randomUUID()}/${name}`;
  await of.put(key, Bun.file(sample));
  const transcription = { provider: 'deepgram' };
  const response = await of.start({ audio: { key }, transcription });
  const { runId } = (await response.json()) as { runId: string };
  return runId;
}
