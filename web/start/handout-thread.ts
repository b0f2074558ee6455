/** Finds names in files or in a text: the program of a worker, so that the page goes on answering. */
import { type HandoutLine, UnreadableHandout } from '../../server/handouts/lines.ts';
import { readHandout, type HandoutFile } from '../../server/handouts/read-handout.ts';
import { type ProposedTerm, proposeTerms } from '../../server/terminology/packs/propose-terms.ts';

/** What is found in files: null if nothing could be read. */
export interface FoundInFiles {
  proposals: readonly ProposedTerm[] | null;
  /** The files that cannot be read, and why; a sentence is missing where only that is known. */
  refusals: { name: string; why?: string }[];
}

/** Where this program is, for `new Worker`. */
export const PROGRAM = import.meta.url;

/** What is found in files or, given a text, in that. */
async function findIn(given: readonly Required<HandoutFile>[] | string): Promise<FoundInFiles> {
  return typeof given === 'string'
    ? { proposals: proposeTerms(given), refusals: [] }
    : findInFiles(given);
}

async function findInFiles(files: readonly Required<HandoutFile>[]): Promise<FoundInFiles> {
  const lines: HandoutLine[] = [];
  const refusals: FoundInFiles['refusals'] = [];
  for (const file of files) {
    try {
      for (const line of await readHandout(file)) lines.push(line);
    } catch (error) {
      const why = error instanceof UnreadableHandout ? { why: error.message } : {};
      refusals.push({ name: file.hint, ...why });
    }
  }
  const isNothing = lines.length === 0 && refusals.length > 0;
  return { proposals: isNothing ? null : proposeTerms(lines), refusals };
}

// The reader of PDFs takes the worker for its own, and sends messages too: a port has only ours.
if (typeof document === 'undefined') {
  addEventListener('message', ({ data, ports: [port] }) => {
    if (port) void findIn(data).then((found) => port.postMessage(found));
  });
}
