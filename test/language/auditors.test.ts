/** Runs the common suite on every auditor. */
import { afterAll, expect, setDefaultTimeout } from 'bun:test';
import { createAuditorRegistry } from '../../server/language/registry.ts';
import { completion, everyCandidate, startChatDouble } from '../support/doubles/chat-double.ts';
import type { Any } from '../support/servers/client.ts';
import { startHttpDouble } from '../support/doubles/http-double.ts';
import { workersAiWire } from '../support/doubles/speech-doubles.ts';
import { auditorSuite } from './auditor-suite.ts';
import { CLOUDFLARE_TOKEN, GROQ_KEY, OPENAI_KEY } from '../support/doubles/provider-keys.ts';

setDefaultTimeout(300_000);

const double = await startChatDouble();
afterAll(() => double.close());

const { url: baseUrl } = double;
const registry = createAuditorRegistry({
  services: {
    openai: { baseUrl, apiKey: OPENAI_KEY },
    groq: { baseUrl, apiKey: GROQ_KEY },
  },
  edge: { baseUrl, model: 'local' },
});
const workersAi = await startHttpDouble(
  workersAiWire({
    '@cf/meta/llama-3.3-70b-instruct-fp8-fast': ({ body }) => {
      const { messages, response_format } = JSON.parse(body.toString());
      expect(response_format.json_schema.required).toEqual(['edits']);
      const asked = JSON.parse(messages[1].content);
      // JSON mode returns a value instead of its text.
      return { response: JSON.parse(everyCandidate()({ asked } as Any)) };
    },
  }),
);
afterAll(() => workersAi.close());
/** Workers AI's newer models answer in the chat-completions format. */
const newer = await startHttpDouble(
  workersAiWire({
    '@cf/meta/llama-3.3-70b-instruct-fp8-fast': ({ body }) => {
      const asked = JSON.parse(JSON.parse(body.toString()).messages[1].content);
      return completion(everyCandidate()({ asked } as Any));
    },
  }),
);
afterAll(() => newer.close());
const account = { accountId: 'acc', apiToken: CLOUDFLARE_TOKEN, baseUrl: workersAi.origin };
auditorSuite(createAuditorRegistry({ workersAi: account }).auditor('edge')!);
auditorSuite(
  createAuditorRegistry({ workersAi: { ...account, baseUrl: newer.origin } }).auditor('edge')!,
);

for (const name of registry.configured) auditorSuite(registry.auditor(name)!);
auditorSuite(createAuditorRegistry().auditor('edge')!);
