/**
 * The language models behind a key that can audit, in the order in which documents list them. Each service has the
 * chat-completions interface with strict JSON Schema, so a description of it is enough. The end-of-life dates of models
 * are in docs/providers.md.
 */
import type { ServiceDescription } from '../remote/call.ts';

/** The descriptions of all services. */
export const AUDIT_SERVICES = [
  {
    name: 'openai',
    environment: 'OPENAI',
    baseUrl: 'https://api.openai.com/v1',
    model: 'gpt-6.1-sol',
    limits: '',
    page: 'https://developers.openai.com/api/docs/models/gpt-6.1-sol',
  },
  {
    name: 'groq',
    environment: 'GROQ',
    baseUrl: 'https://api.groq.com/openai/v1',
    model: 'openai/gpt-oss-120b',
    limits: '',
    page: 'https://console.groq.com/docs/model/openai/gpt-oss-120b',
  },
] as const satisfies readonly ServiceDescription[];
