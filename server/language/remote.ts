/** The auditors `openai` and `groq`: a language model that the run cannot do without. */
import type { Auditor } from './auditor.ts';
import { auditWithModel } from './model-auditor.ts';
import type { AskedModel } from './verdicts.ts';

/**
 * Makes the auditor of a chat service.
 * @param preset whom it asks; the model where a request names none
 */
export const createRemoteAuditor = (preset: AskedModel): Auditor => ({
  name: preset.service.provider,
  async audit(request, context) {
    const asked = { ...preset, model: request.model ?? preset.model };
    const { outcome, failure } = await auditWithModel(request, asked, context);
    if (failure) throw failure;
    return outcome;
  },
});
