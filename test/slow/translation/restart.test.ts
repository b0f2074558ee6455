/** A translation in a process of its own, which is killed in the middle. */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { buildCues } from '../../../server/captions/build/build.ts';
import { startChatDouble } from '../../support/doubles/chat-double.ts';
import { dictionaryOf } from '../../support/doubles/translators.ts';
import { type Any, post, signUp, until } from '../../support/servers/client.ts';
import {
  removeFolder,
  startServerProcess,
  temporaryFolder,
} from '../../support/servers/server-process.ts';
import { randomly, talk } from '../../support/translated-talk.ts';
import { DEFAULT_CAPTION_SETTINGS } from '../../../server/contract/caption-defaults.ts';

setDefaultTimeout(300_000);
const dataDir = await temporaryFolder();
const translate = dictionaryOf('de');
const model = await startChatDouble(async ({ asked }) => {
  await Bun.sleep(150);
  const { sentences } = asked as Any;
  const translations = sentences.map(({ id, text }: Any) => ({
    id,
    source: text,
    text: translate(text),
  }));
  return JSON.stringify({ translations });
});
afterAll(async () => {
  await model.close();
  await removeFolder(dataDir);
});

test('a translation continues after kill -9, and is complete', async () => {
  const env = { EDGE_LLM_URL: model.url };
  const first = await startServerProcess({ dataDir, env });
  const ann = await signUp(first, 'ann@example.com');
  const authorization = { authorization: `Bearer ${ann.key}` };
  const cues = buildCues(talk(6000, randomly(2)), DEFAULT_CAPTION_SETTINGS).map(
    ({ start, end, lines }) => ({ start, end, lines }),
  );
  const body = { language: 'de', sourceLanguage: 'en', cues };
  const sent = await post(`${first.url}/translations`, body, authorization);
  expect(sent.status).toBe(202);
  const { id } = await sent.json();
  const read = async (url: string): Promise<Any> =>
    (await fetch(`${url}/translations/${id}`, { headers: authorization })).json();
  const { progress } = await until(async () => {
    const seen = await read(first.url);
    return seen.progress > 0.2 && seen;
  });
  expect(progress).toBeLessThan(0.9);
  await first.kill();
  const asked = model.requests.length;

  const second = await startServerProcess({ dataDir, env });
  expect((await read(second.url)).progress).toBeGreaterThan(0.2);
  const done = await until(async () => {
    const seen = await read(second.url);
    return seen.finishedAt && seen;
  }, 120_000);
  expect([done.state, done.error, done.counts.doubts]).toEqual(['completed', undefined, 0]);
  expect(done.result.sentences.map(({ text }: Any) => text)).toEqual(
    done.result.sentences.map(({ source, kind }: Any) =>
      kind === 'as_is' ? source : translate(source),
    ),
  );
  // What was answered before is not asked again, except for what was in progress.
  const questions = new Set(model.requests.map(({ body: { messages } }) => messages[1].content));
  expect(model.requests.length - questions.size).toBeLessThanOrEqual(8);
  expect(model.requests.length).toBeGreaterThan(asked);
  const srt = await fetch(`${second.url}/translations/${id}/captions.srt?profile=netflix`, {
    headers: authorization,
  });
  expect(await srt.text()).toContain(' --> ');
  expect(await second.stop()).toBe(0);
});
