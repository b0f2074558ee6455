/** Shows where a review is saved: on the service, in this browser, or nowhere. */
import { session } from '../../session.ts';
import { termsText } from '../../texts/terms.ts';
import type { Desk } from '../desk/desk.ts';
import { finishing } from './save-notice.tsx';
import { saveText } from '../../texts/saving.ts';

/** The status text, with the button for finishing the review. */
export function SavedWhere({ desk: { review, service } }: { desk: Desk }) {
  const kept = review.saving.value;
  const state = service.value?.state.value ?? 'here';
  const hasChanges = review.state.value.position > 0;
  const problem = service.value?.problem.value ?? '';
  // Captions from a file belong to no workspace.
  const isAlone = service.value !== null && session.value === null;
  const says =
    kept === 'not-saved' && state !== 'saved'
      ? saveText.notStored
      : kept === 'saving' || state === 'saving'
        ? saveText.saving
        : state === 'saved'
          ? saveText.saved
          : state === 'choose'
            ? saveText.choose
            : state === 'refused'
              ? saveText.refused(problem)
              : hasChanges
                ? isAlone
                  ? saveText.alone
                  : saveText.here
                : '';
  const isWarning = says === saveText.notStored || state === 'choose' || state === 'refused';
  return (
    <>
      <span class={`saving ${isWarning ? 'not-saved' : state}`}>{says}</span>
      {session.value && service.value && (
        <button type="button" class="plain" onClick={() => (finishing.value = true)}>
          {termsText.finish}
        </button>
      )}
    </>
  );
}
