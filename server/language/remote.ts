/** The auditors `openai` and `groq`: a language model that the run cannot do without. */
import type { AnswerCache } from './answer-cache.ts';
import type { Auditor } from './auditor.ts';
import type { ChatService } from './chat.ts';
import { auditWithModel } from './model-auditor.ts';

/**
 * Makes the auditor of a chat service.
 * @param defaultModel where a request names none
 */
export const createRemoteAuditor = (
  service: ChatService,
  defaultModel: string,
  cache: AnswerCache,
): Auditor => ({
  name: service.provider,
  async audit(request, context) {
    const asked = { service, model: request.model ?? defaultModel, cache };
    const { outcome, failure } = await auditWithModel(request, asked, context);
    if (failure) throw failure;
    return outcome;
  },
});
