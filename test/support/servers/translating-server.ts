/** A server whose recogniser hears a short talk, and whose language model translates it but for one sentence. */
import { afterAll } from 'bun:test';
import { SHORT_TALK, wordsOf } from '../browser/review.ts';
import { startChatDouble } from '../doubles/chat-double.ts';
import { startHttpDouble } from '../doubles/http-double.ts';
import { DEEPGRAM_KEY } from '../doubles/provider-keys.ts';
import { deepgramAnswer, deepgramWire } from '../doubles/speech-doubles.ts';
import { dictionaryOf } from '../doubles/translators.ts';
import type { Any } from './client.ts';
import { testServer } from './test-server.ts';

/** The model leaves this sentence in English, however often it is asked. */
export const LEFT = 'After five wrong codes the registration is over.';

/** Starts them; they end with the tests of the file. */
export async function translatingServer() {
  const model = await startChatDouble(({ asked }) => {
    const { to, sentences } = asked as Any;
    const words = dictionaryOf(to);
    // A term of the talk stays as it is.
    const translate = (text: string) =>
      words(text.replace('MCP server', 'mCP_server')).replace('mCP_server', 'MCP server');
    const translations = (sentences ?? []).map(({ id, text }: Any) => ({
      id,
      source: text,
      text: text === LEFT ? text : translate(text),
    }));
    return JSON.stringify(sentences ? { translations } : { edits: [] });
  });
  const deepgram = await startHttpDouble(deepgramWire(deepgramAnswer(wordsOf(SHORT_TALK))));
  const server = await testServer({
    env: {
      DEEPGRAM_API_KEY: DEEPGRAM_KEY,
      DEEPGRAM_BASE_URL: deepgram.origin,
      EDGE_LLM_URL: model.url,
      EDGE_LLM_MODEL: 'double-llm',
    },
  });
  afterAll(async () => {
    await Promise.all([model.close(), deepgram.close()]);
  });
  return { model, server };
}
