/** The auditors `openai` and `groq`, for runs that require one of their language models. */
import type { Auditor } from './auditor.ts';
import { auditWithModel } from './model-auditor.ts';
import type { ChosenModel } from './verdicts.ts';

/**
 * Creates the auditor of a chat service.
 * @param preset the service, and the model used if a request names none
 */
export const createRemoteAuditor = (preset: ChosenModel): Auditor => ({
  name: preset.service.provider,
  async audit(request, context) {
    const asked = { ...preset, model: request.model ?? preset.model };
    const { outcome, failure } = await auditWithModel(request, asked, context);
    if (failure) throw failure;
    return outcome;
  },
});
