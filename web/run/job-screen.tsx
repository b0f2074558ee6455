/** A recording before its run: its conversion and upload, or what stopped them. */
import { usePageTitle } from '../page-title.ts';
import { Notice } from '../components/notice.tsx';
import { progressText } from '../texts/run-progress.ts';
import { text } from '../texts/shell.ts';
import { chooseFile } from '../start/chosen-file.ts';
import { runEndText as texts } from '../texts/run-ends.ts';
import { Mp3Command } from './mp3-command.tsx';
import { type Job, startJob } from './job.ts';
import { failureOf } from './job-failure.ts';
import { JobLines } from './job-lines.tsx';
import { ProgressLine } from './progress-line.tsx';
import { ChooseRecording } from './choose-recording.tsx';

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

/** One step: the same file again where that can help, otherwise another file. */
const JobFailureActions = ({ job, isOfFile }: { job: Job; isOfFile: boolean }) => (
  <div class="actions">
    <button type="button" onClick={job.cancel}>
      {texts.back}
    </button>
    {isOfFile ? (
      <ChooseRecording
        label={texts.otherFile}
        isPrimary
        onFile={(file) => {
          chooseFile([file]);
          startJob(file);
        }}
      />
    ) : (
      <button type="button" class="primary" onClick={job.again}>
        {texts.tryAgain}
      </button>
    )}
  </div>
);
