/** The auditor of a run that wants none: the transcript is not changed. */
import type { Auditor } from './auditor.ts';

/** Makes no corrections; replaces any auditor that a payload turns off. */
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
