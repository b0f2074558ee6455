/** The steps before a run that happen in the page: making the MP3, and uploading it. */
import { progressText } from '../texts/run-progress.ts';
import type { Job, Step } from './job.ts';
import { ProgressLine } from './progress-line.tsx';
import { secondsLeft } from './stage-fraction.ts';

/** The progress lines of a job. */
export function JobLines({ job }: { job: Job }) {
  const conversion = job.conversion.value;
  const upload = job.upload.value;
  return (
    <>
      {conversion.state !== 'skipped' && (
        <Line step={conversion} labels={[progressText.making, progressText.made]} />
      )}
      <Line step={upload} labels={[progressText.uploading, progressText.uploaded]} />
    </>
  );
}

function Line({ step, labels: [doing, done] }: { step: Step; labels: [string, string] }) {
  const { state, fraction, note, startedAt, tookMs } = step;
  const left = secondsLeft({ fraction: 0, at: startedAt }, { fraction, at: performance.now() });
  const aside =
    state === 'done' ? progressText.took(tookMs) : left === null ? '' : progressText.left(left);
  return (
    <ProgressLine
      state={state === 'skipped' ? 'done' : state}
      label={state === 'done' ? done : doing}
      note={note}
      fraction={fraction}
      aside={aside}
    />
  );
}
