/** A recording before its run: its conversion and upload, or what stopped them. */
import { usePageTitle } from '../page-title.ts';
import { Mp3Command } from './mp3-command.tsx';
import { Notice } from '../components/notice.tsx';
import { progressText } from '../texts/run-progress.ts';
import { text } from '../texts/shell.ts';
import type { Job } from './job.ts';
import { JobFailureActions } from './job-failure-actions.tsx';
import { failureOf } from './job-failure.ts';
import { JobLines } from './job-lines.tsx';
import { ProgressLine } from './progress-line.tsx';

/** The screen. */
export function JobScreen({ job }: { job: Job }) {
  const stopped = job.failure.value;
  const failure = stopped && failureOf(stopped.error);
  usePageTitle(job.name);
  return (
    <section class="card" aria-labelledby="job-title">
      <h1 id="job-title">{text.run.title(job.name)}</h1>
      {!failure && (
        <ol class="steps">
          <JobLines job={job} />
          {job.starting.value && (
            <ProgressLine state="active" label={progressText.starting} fraction={null} />
          )}
        </ol>
      )}
      {failure ? (
        <Notice kind="error" title={progressText.failed}>
          <p>{failure.message}</p>
          {failure.showCommand && <Mp3Command name={job.name} />}
        </Notice>
      ) : (
        <p class="hint">{progressText.stayHere}</p>
      )}
      {failure ? (
        <JobFailureActions job={job} isOfFile={failure.isOfFile} />
      ) : (
        <div class="actions">
          <button type="button" onClick={job.cancel}>
            {progressText.cancel}
          </button>
        </div>
      )}
    </section>
  );
}
