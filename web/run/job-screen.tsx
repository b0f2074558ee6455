/** A recording before its run: its conversion and upload, or what stopped them. */
import { usePageTitle } from '../page-title.ts';
import { OnDemand, onDemand } from '../components/on-demand.tsx';
import { Mp3Command } from './mp3-command.tsx';
import { Notice } from '../components/notice.tsx';
import { text } from '../texts/shell.ts';
import type { Job } from './job.ts';
import { JobLines } from './job-lines.tsx';
import { ProgressLine } from './progress-line.tsx';

const jobFailureActions = onDemand(() =>
  import('./job-failure-actions.tsx').then((part) => part.JobFailureActions),
);

/** The screen. */
export function JobScreen({ job }: { job: Job }) {
  const failure = job.failure.value;
  usePageTitle(job.name);
  return (
    <section class="card" aria-labelledby="job-title">
      <h1 id="job-title">{text.run.title(job.name)}</h1>
      {!failure && (
        <ol class="steps">
          <JobLines job={job} />
          {job.starting.value && (
            <ProgressLine state="active" label={text.run.starting} fraction={null} />
          )}
        </ol>
      )}
      {failure ? (
        <Notice kind="error" title={text.run.failed}>
          <p>{failure.message}</p>
          {failure.showCommand && <Mp3Command name={job.name} />}
        </Notice>
      ) : (
        <p class="hint">{text.run.stayHere}</p>
      )}
      {failure ? (
        <OnDemand of={jobFailureActions} job={job} />
      ) : (
        <div class="actions">
          <button type="button" onClick={job.cancel}>
            {text.run.cancel}
          </button>
        </div>
      )}
    </section>
  );
}
