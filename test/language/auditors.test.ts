/** The suite, on every auditor there is. */
import { afterAll } from 'bun:test';
import { createEdgeAuditor } from '../../server/language/edge.ts';
import { noCache } from '../../server/language/answer-cache.ts';
import { noAuditor } from '../../server/language/none.ts';
import { createRemoteAuditor } from '../../server/language/remote.ts';
import { startChatDouble } from '../support/chat-double.ts';
import { auditorSuite } from './auditor-suite.ts';

const double = await startChatDouble();
afterAll(() => double.close());

auditorSuite(noAuditor);
auditorSuite(createEdgeAuditor());
auditorSuite(createEdgeAuditor({ model: { baseUrl: double.url, model: 'local' } }));
auditorSuite(createRemoteAuditor({ provider: 'openai', baseUrl: double.url }, 'gpt-5.1', noCache));
auditorSuite(createRemoteAuditor({ provider: 'groq', baseUrl: double.url }, 'llama', noCache));
