/** What is told above a review: what a colleague has changed, where it is saved, and that another tab edits it. */
import { signal, useSignal } from '@preact/signals';
import { Notice } from '../../components/notice.tsx';
import { OnDemand, onDemand } from '../../components/on-demand.tsx';
import type { Desk } from '../desk/desk.ts';
import { isOwnRun } from '../../storage/runs.ts';
import { FileNotice } from './file-notice.tsx';
import { saveText } from '../../texts/saving.ts';
import { guest, isReadOnly } from '../../tab/guest.ts';
import { session } from '../../tab/session.ts';
import { termsText } from '../../texts/terms.ts';

const dialog = onDemand(() => import('./save-dialog.tsx').then((part) => part.SaveDialog));

const finish = onDemand(() => import('./save-dialog.tsx').then((part) => part.FinishDialog));

/** Whether the dialog for finishing the review is open. */
export const finishing = signal(false);

/** The notice; nothing if there is nothing to report. */
export function SaveNotice({ desk }: { desk: Desk }) {
  const open = useSignal(false);
  const service = desk.service.value;
  if (isOwnRun(desk.review.runId)) return <FileNotice desk={desk} />;
  if (!service || desk.review.role.value !== 'writing') return null;
  const conflicts = service.conflicts.value.length;
  const news = service.news.value.length;
  if (finishing.value) {
    return (
      <OnDemand
        of={finish}
        desk={desk}
        service={service}
        onClose={() => {
          finishing.value = false;
        }}
      />
    );
  }
  if (conflicts + news === 0 && !open.value) return null;
  const show = () => {
    open.value = true;
  };
  const dismiss = () => {
    service.news.value = [];
  };
  return (
    <div class="tab-notice">
      {conflicts > 0 ? (
        <Notice kind="warning">
          <p>{saveText.conflict(conflicts)}</p>
          <button type="button" onClick={show}>
            {saveText.compare}
          </button>
        </Notice>
      ) : (
        news > 0 && (
          <Notice kind="info">
            <p>{saveText.news(news)}</p>
            <span class="actions">
              <button type="button" onClick={show}>
                {saveText.show}
              </button>
              <button type="button" class="quiet" onClick={dismiss}>
                {saveText.dismiss}
              </button>
            </span>
          </Notice>
        )
      )}
      {open.value && (
        <OnDemand
          of={dialog}
          desk={desk}
          service={service}
          onClose={() => {
            open.value = false;
            dismiss();
          }}
        />
      )}
    </div>
  );
}

/** The status text. */
export function SavedWhere({ desk: { review, service } }: { desk: Desk }) {
  if (isReadOnly()) return null;
  const kept = review.saving.value;
  const state = service.value?.state.value ?? 'here';
  const hasChanges = review.state.value.position > 0;
  const problem = service.value?.problem.value ?? '';
  // Captions from a file belong to no workspace.
  const isAlone = service.value !== null && session.value === null && !guest.value;
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
  const isHere = says === saveText.here || says === saveText.alone;
  return (
    <span
      class={`saving ${isWarning ? 'not-saved' : state}`}
      title={isHere ? saveText.hereHint : says}
    >
      {says}
    </span>
  );
}

/** The button for finishing the review; nothing where it is not saved on the service. */
export const FinishButton = ({ desk: { service } }: { desk: Desk }) =>
  session.value && service.value && !guest.value ? (
    <button type="button" title={termsText.finishHint} onClick={() => (finishing.value = true)}>
      {termsText.finish}
    </button>
  ) : null;

/** The notice that another tab is editing this review, with a button to edit here. */
export function TabNotice({ lock }: Pick<Desk, 'lock'>) {
  const asking = lock.asking.value;
  return (
    <div class="tab-notice" role="status">
      <Notice kind="info">
        <p>
          {saveText.otherTab}
          {asking && ` ${saveText.asking[asking]}`}
        </p>
        <button type="button" aria-disabled={asking === 'asked'} onClick={lock.take}>
          {saveText.editHere}
        </button>
      </Notice>
    </div>
  );
}
