/** A recording before its run: its conversion and upload, or what stopped them. */
import { usePageTitle } from '../page-title.ts';
import { OnDemand, onDemand } from '../components/on-demand.tsx';
import { Mp3Command } from './mp3-command.tsx';
import { Notice } from '../components/notice.tsx';
import { text } from '../words/shell.ts';
import type { Job } from './job.ts';
import { JobLines } from './job-lines.tsx';
import { ProgressLine } from './progress-line.tsx';

const jobTrouble = onDemand(() => import('./job-trouble.tsx').then((part) => part.JobTrouble));

/** The screen. */
export function JobScreen({ job }: { job: Job }) {
  const trouble = job.trouble.value;
  usePageTitle(job.name);
  return (
    <section class="card" aria-labelledby="job-title">
      <h1 id="job-title">{text.run.title(job.name)}</h1>
      {!trouble && (
        <ol class="steps">
          <JobLines job={job} />
          {job.starting.value && (
            <ProgressLine state="active" label={text.run.starting} fraction={null} />
          )}
        </ol>
      )}
      {trouble ? (
        <Notice kind="error" title={text.run.failed}>
          <p>{trouble.message}</p>
          {trouble.showCommand && <Mp3Command name={job.name} />}
        </Notice>
      ) : (
        <p class="hint">{text.run.stayHere}</p>
      )}
      {trouble ? (
        <OnDemand of={jobTrouble} job={job} />
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
