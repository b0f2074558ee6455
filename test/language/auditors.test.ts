/** The suite, on every auditor there is. */
import { afterAll } from 'bun:test';
import { createAuditorRegistry } from '../../server/language/registry.ts';
import { startChatDouble } from '../support/chat-double.ts';
import { auditorSuite } from './auditor-suite.ts';

const double = await startChatDouble();
afterAll(() => double.close());

const { url: baseUrl } = double;
const registry = createAuditorRegistry({
  openai: { baseUrl },
  groq: { baseUrl },
  edge: { baseUrl, model: 'local' },
});
for (const name of registry.configured) auditorSuite(registry.auditor(name)!);
auditorSuite(createAuditorRegistry().auditor('edge')!);
