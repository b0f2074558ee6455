/** What real models answer, from the request to the result: whatever its form, nothing is lost, and nothing pretends. */
import { afterAll, expect, test } from 'bun:test';
import { createWorkspaceTerminology } from '../../server/learning/learn.ts';
import { createLog } from '../../server/base/log.ts';
import { createComputations } from '../../server/runs/threads/computing.ts';
import { createRunAttempts } from '../../server/runs/store/run-attempts.ts';
import { executeTranslation } from '../../server/runs/threads/translation-execution.ts';
import { createTranslators } from '../../server/translation/model-translator.ts';
import { profileOf } from '../../server/captions/rules/profiles/profiles.ts';
import { sentencesOf } from '../../server/translation/sentences.ts';
import { translateSentences } from '../../server/translation/translate.ts';
import { startChatDouble } from '../support/doubles/chat-double.ts';
import {
  FAULTS_MENDED,
  FAULTS_OF_FORM,
  HONEST_ENDS,
  PERMITTED,
  type ModelBehaviour,
} from '../support/doubles/model-behaviours.ts';
import { dictionaryOf, honest } from '../support/doubles/translators.ts';
import { noWaiting } from '../support/doubles/waiting.ts';
import type { Any } from '../support/servers/client.ts';
import { mountedApp } from '../support/servers/mounted.ts';

const app = await mountedApp();
const ann = await app.signUp('ann@example.com');
const model = await startChatDouble();
afterAll(() => model.close());
const { database } = app.services;
const log = createLog('silent');

const TALK = [
  'We met at the station on a cold and windy morning in March.',
  'Nobody had slept well.',
  'The guide counted us twice, because 17 people had signed up and only 16 were there.',
  'Then we walked down to the harbour, past the old market and the lanterns.',
  'Why are there so few boats?',
  'Because most of them were sold when the fishing stopped.',
  'She told us about GitHub, and how her team keeps the maps there.',
  'It rained.',
  'After an hour the rain became so heavy that we waited under a bridge and shared our bread.',
  'An old man with a dog joined us.',
  'He had worked in the lighthouse for 42 years, until they replaced him with a machine.',
  'Do you miss it?',
  'Every single night.',
  'In winter he heard the ice on the river, long before anybody in town could see it.',
  'The dog slept.',
  'We asked him which of the two roads to take to the mill, and he laughed.',
  'Neither of them.',
  'There is a path behind the church that no map has, and that is shorter by half.',
  'So we thanked him and left.',
  'The path was narrow and full of stones, but the view over the bay was worth it.',
  'Somebody sang.',
  'At noon we reached the mill, where a woman sold apples and warm milk.',
  'It cost 3 coins.',
  'Her grandmother had built the wheel with her own hands after the great flood.',
  'Nothing here is new, she said, except the telephone and the two of us.',
  'We laughed about that all the way home.',
  'My shoes were wet for three days, and I have kept the little stone from the path.',
  'Would I go again?',
  'Tomorrow, if you came along.',
  'That is the whole story.',
];
const translate = dictionaryOf('de');
const right = TALK.map(translate);
const captions = TALK.map((text, at) => ({ start: at * 9, end: at * 9 + 8.5, lines: [text] }));
const cues = captions.map(({ start, end, lines: [text = ''] }) => ({ start, end, text }));

let models = 0;

/** Lets the model behave so. @returns the requests that it had before */
function behaving(behaviour: ModelBehaviour): number {
  const before = model.requests.length;
  model.behave(({ asked, body, at }) => {
    const { sentences, to } = asked as Any;
    return behaviour({ sentences, to, body, at: at - before });
  });
  return before;
}

/** Translates the talk with a model that behaves so. */
async function translated(behaviour: ModelBehaviour, { isLate = false } = {}) {
  const before = behaving(behaviour);
  const waiting = noWaiting();
  // Each is another model, which remembers nothing of the others.
  const edge = { baseUrl: model.url, model: `gemma-${(models += 1)}` };
  const translators = createTranslators({ edge, waiting }, honest(String));
  const sent = await app.ask('/translations', {
    key: ann.key,
    json: { language: 'de', sourceLanguage: 'en', cues },
  });
  const { id } = await sent.json();
  const computations = createComputations(createRunAttempts(database), () => {}, log);
  const workspace = createWorkspaceTerminology(database, log);
  const steps = {
    run: async (_name: string, work: () => Promise<unknown>) => (await work()) as never,
  };
  const parts = { database, pipeline: { packs: [] }, workspace, translators, computations, log };
  const ticking = isLate ? setInterval(() => waiting.runOut(), 20) : undefined;
  await executeTranslation(parts, id, steps, new AbortController().signal, () => {});
  clearInterval(ticking);
  const read = await app.ask(`/translations/${id}`, { key: ann.key });
  const done: Any = await read.json();
  const sentences: Any[] = done.result?.sentences ?? [];
  const silentlyWrong = sentences.filter(
    ({ text, state }, at) => (state === 'translated' || state === 'kept') && text !== right[at],
  );
  return { done, sentences, silentlyWrong, requests: model.requests.length - before };
}

/** The same without a database: what the room of translations itself makes of it. */
async function answered(behaviour: ModelBehaviour) {
  behaving(behaviour);
  const edge = { baseUrl: model.url, model: `gemma-${(models += 1)}` };
  const translators = createTranslators({ edge, waiting: noWaiting() }, honest(String));
  const job = {
    sentences: sentencesOf(captions, 'en'),
    from: 'en',
    to: 'de',
    terms: [],
    profile: profileOf('default', 'de'),
  };
  const { signal } = new AbortController();
  return translateSentences(job, translators.choose({ provider: 'edge' }), { signal });
}

const good = await answered(FAULTS_OF_FORM['good']!);

test.each(Object.keys(FAULTS_OF_FORM))(
  'a fault of form costs no question more: %s',
  async (name) => {
    const { sentences, usage } = await answered(FAULTS_OF_FORM[name]!);
    expect(sentences.flatMap(({ faults }) => faults)).toEqual([]);
    expect(sentences.map(({ text }) => text)).toEqual(right);
    expect(usage.calls).toBeLessThanOrEqual(1.3 * good.usage.calls);
  },
);

test.each(Object.keys(FAULTS_MENDED))('everything is translated in the end: %s', async (name) => {
  const { sentences } = await answered(FAULTS_MENDED[name]!);
  expect(sentences.map(({ text }) => text)).toEqual(right);
  expect(sentences.flatMap(({ faults }) => faults)).toEqual([]);
});

test.each(Object.keys(HONEST_ENDS))('what is not translated is said: %s', async (name) => {
  const [behaviour, state, words] = HONEST_ENDS[name]!;
  const { done, silentlyWrong } = await translated(behaviour, { isLate: name === 'hang' });
  expect([done.state, silentlyWrong]).toEqual([state, []]);
  if (words) expect(done.error.message).toMatch(words);
  expect(done.progress).toBeLessThanOrEqual(1);
});

test.each(Object.keys(PERMITTED))(
  'what no check can tell is no more than it is: %s',
  async (name) => {
    const { done, sentences, silentlyWrong } = await translated(PERMITTED[name]!);
    const wrong = sentences.filter(({ text }, at) => text !== right[at]);
    // Two at most are wrong, of which the report tells none or both.
    expect([silentlyWrong.length, wrong.length <= 2]).toEqual([
      done.counts.doubts === 0 ? wrong.length : 0,
      true,
    ]);
    expect(done.counts.missing).toBe(0);
  },
);
