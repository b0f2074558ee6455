/**
 * Progress of a recording: one bar, one line with what happens now, how far it is and the time left, and a
 * notification at the end.
 */
import { effect, type ReadonlySignal, signal, untracked, useSignal } from '@preact/signals';

import { fileName } from '../texts/format.ts';
import { go } from '../tab/route.ts';
import { watchRun } from '../job/watch-run.ts';
import { progressText } from '../texts/run-progress.ts';

interface ProgressLineProps {
  label: string;
  note?: string;
  /** Of the whole, from 0 to 1; null if unknown. */
  fraction: number | null;
  aside?: string;
}

/** The bar and its line. */
export const ProgressLine = ({ label, note, fraction, aside }: ProgressLineProps) => (
  <div class="step">
    <progress aria-label={label} {...(fraction === null ? {} : { value: fraction })} max={1}>
      {fraction === null ? '' : progressText.percent(fraction)}
    </progress>
    <p>
      <span class="step-label">{label}</span>
      <span class="step-note">{note}</span>
      <span class="step-aside">{aside}</span>
    </p>
  </div>
);

/** The runs, or future runs, whose end is told, with the name of each recording. */
const told = signal<ReadonlyMap<ReadonlySignal<string | null>, string>>(new Map());

interface TellWhenDoneProps {
  /** The file name of the recording. */
  name: string;
  /** The id of the run; null until it has started. */
  runId: ReadonlySignal<string | null>;
}

/** The button, which asks the browser for its permission; nothing where pages cannot notify. */
export function TellWhenDone({ name, runId }: TellWhenDoneProps) {
  const isRefused = useSignal(false);
  // Phones have notifications for installed apps only.
  if (!('Notification' in globalThis) || matchMedia('(hover: none)').matches) return null;
  if (told.value.has(runId)) {
    return (
      <p class="hint" role="status">
        {progressText.telling}
      </p>
    );
  }
  if (isRefused.value || Notification.permission === 'denied') {
    return (
      <p class="hint" role="status">
        {progressText.tellRefused}
      </p>
    );
  }
  const ask = async () => {
    if ((await Notification.requestPermission()) !== 'granted') isRefused.value = true;
    else tell(runId, name);
  };
  return (
    <button type="button" class="plain" onClick={() => void ask()}>
      {progressText.tell}
    </button>
  );
}

/** Follows a run on its own, because its page may be left. */
function tell(runId: ReadonlySignal<string | null>, name: string): void {
  told.value = new Map([...told.peek(), [runId, name]]);
  let isFollowed = false;
  effect(() => {
    const id = runId.value;
    if (id === null || isFollowed) return;
    isFollowed = true;
    untracked(() => follow(id, name));
  });
}

function follow(runId: string, name: string): void {
  const stop = new AbortController();
  const { run } = watchRun(runId, stop.signal);
  let isTold = false;
  effect(() => {
    if (!run.value?.finishedAt || isTold) return;
    isTold = true;
    const isDone = run.value.state === 'completed';
    const shown = new Notification(progressText.told(name || fileName(run.value.audioKey)), {
      body: isDone ? progressText.toldDone : progressText.toldOther,
      tag: runId,
    });
    shown.addEventListener('click', () => {
      focus();
      go({ screen: 'run', runId });
    });
    stop.abort();
  });
}
