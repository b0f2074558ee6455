/** The button that erases a run with all its data, and its confirmation dialog. */
import { useSignal } from '@preact/signals';
import type { WorkflowRun } from '../../server/contract/runs.ts';
import { ApiProblem } from '../api/problem.ts';
import { ask } from '../api/request.ts';
import { Dialog } from '../components/dialog.tsx';
import { Icon } from '../components/icon.tsx';
import { failureText } from '../failure-text.ts';
import { withKey } from '../session.ts';
import { forgetRun } from '../storage/runs.ts';
import { text } from '../texts/shell.ts';
import { eraseText } from '../texts/past-runs.ts';

export interface EraseRunProps {
  run: WorkflowRun;
  name: string;
  /** Called once the run is erased on the service and in this browser. */
  onErased(): void;
  /** Called with the error message. */
  onProblem(message: string): void;
}

/** The erase button of a run. */
export function EraseRun({ run, name, onErased, onProblem }: EraseRunProps) {
  const asks = useSignal(false);
  const isErasing = useSignal(false);
  const act = async () => {
    isErasing.value = true;
    try {
      await eraseRun(run.runId);
      onErased();
    } catch (error) {
      const words = failureText(error);
      if (words !== null) onProblem(words);
    } finally {
      isErasing.value = false;
    }
  };
  return (
    <>
      <button
        type="button"
        class="quiet"
        aria-label={eraseText.button(name)}
        disabled={isErasing.value}
        onClick={() => (asks.value = true)}
      >
        <Icon name="cross" />
      </button>
      {asks.value && (
        <Dialog
          title={eraseText.title}
          close={text.cancel}
          onClose={() => (asks.value = false)}
          actions={[{ label: eraseText.confirm, run: () => void act() }]}
        >
          <p>{eraseText.ask(name)}</p>
          <p class="hint">{eraseText.hint}</p>
        </Dialog>
      )}
    </>
  );
}

/** Erases a run on the service, then in this browser, even if the service no longer has it. */
async function eraseRun(runId: string): Promise<void> {
  const path = `/workflows/captioner/${encodeURIComponent(runId)}/data`;
  await withKey((key) => ask(path, { method: 'DELETE', key })).catch((error: unknown) => {
    if (!(error instanceof ApiProblem) || error.status !== 404) throw error;
  });
  // A browser that blocks storage has nothing to delete.
  await forgetRun(runId).catch(() => {});
}
