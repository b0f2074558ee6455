/** The auditor of a run without an audit; it leaves the transcript unchanged. */
import type { Auditor } from './auditor.ts';

/** Makes no corrections. Used if a payload turns the audit off. */
export const noAuditor: Auditor = {
  name: 'none',
  async audit(_request, { signal, progress }) {
    signal.throwIfAborted();
    progress(1);
    return {
      provider: 'none',
      model: 'none',
      corrections: [],
      observations: [],
      usage: { calls: 0, tokens: 0, cached: 0 },
    };
  },
};
