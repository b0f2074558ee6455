/**
 * The next steps after a failed run: the one that is most likely to help, then the others. The service’s suggestions
 * are written for programs that call it; here they get the app’s words.
 */
import type { CaptionerErrorSuggestion } from '../../server/contract/failure.ts';
import { runEndText } from '../texts/run-ends.ts';

/** A step after a failed run. */
export type NextStep =
  /** The recording runs again with this change of its payload. */
  | {
      readonly kind: 'again';
      readonly label: string;
      readonly hint?: string;
      readonly patch: object;
    }
  /** Another recording runs with the same settings. */
  | { readonly kind: 'other-file' }
  /** The person chooses another language or provider. */
  | { readonly kind: 'settings' };

/** The parts of a failure that decide on the steps. */
interface Failed {
  readonly code: string;
  readonly suggestions: readonly CaptionerErrorSuggestion[];
}

/** Failures that would happen again with the same recording, whatever the settings. */
const NEEDS_ANOTHER_FILE = new Set(['audio_unreadable', 'audio_too_long']);

/**
 * The steps after a failure, the best first; there is always one.
 * @param again the label for running it again as it was
 */
export function nextSteps({ code, suggestions }: Failed, again: string): NextStep[] {
  const repeat: NextStep = { kind: 'again', label: again, patch: {} };
  if (NEEDS_ANOTHER_FILE.has(code)) return [{ kind: 'other-file' }];
  if (code === 'cancelled') return [repeat];
  if (code === 'audio_not_found') return [{ ...repeat, label: runEndText.uploadAgain }];
  if (code === 'internal') return [repeat, { kind: 'settings' }, { kind: 'other-file' }];
  const changes = suggestions.flatMap(stepOf);
  // Another language is not among the suggestions, but may be the right one.
  if (code === 'language_unsupported') return [{ kind: 'settings' }, ...changes];
  return [...changes, repeat, { kind: 'settings' }];
}

/** The step of a suggestion; none if the app does it anyway, or has no use for it. */
function stepOf({ label, description, payloadPatch: patch }: CaptionerErrorSuggestion): NextStep[] {
  if (typeof patch !== 'object' || patch === null) return [];
  const [speech, audit] = [providerIn(patch, 'transcription'), providerIn(patch, 'audit')];
  const step = (of: string, hint?: string): NextStep[] => [
    { kind: 'again', label: of, ...(hint === undefined ? {} : { hint }), patch },
  ];
  if (speech !== null) {
    return step(
      speech === 'edge' ? runEndText.transcribeHere : runEndText.transcribeWith(nameOf(speech)),
    );
  }
  if (audit === 'none') return step(runEndText.auditNone, runEndText.auditNoneHint);
  if (audit !== null)
    return step(audit === 'edge' ? runEndText.auditHere : runEndText.auditWith(nameOf(audit)));
  if ('transcription' in patch || 'audit' in patch) return step(runEndText.anyModel);
  // The app keeps the recording itself, so it need not be kept on the service.
  return Object.keys(patch).every((name) => name === 'storage') ? [] : step(label, description);
}

const nameOf = (provider: string): string => runEndText.providers[provider] ?? provider;

function providerIn(patch: object, section: 'transcription' | 'audit'): string | null {
  const name: unknown = Object(Object(patch)[section])['provider'];
  return typeof name === 'string' ? name : null;
}
