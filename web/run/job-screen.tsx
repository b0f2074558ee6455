/** A recording before its run: its conversion and upload, or what stopped them. */
import { usePageTitle } from '../tab/page-title.ts';
import { Notice } from '../components/notice.tsx';
import { progressText } from '../texts/run-progress.ts';
import { text } from '../texts/shell.ts';
import { chooseFile } from '../job/chosen-file.ts';
import { runEndText as texts } from '../texts/run-ends.ts';
import { Mp3Command, failureOf } from '../job/job-failure.tsx';
import { type Job, startJob } from '../job/job.ts';
import { ProgressLine, TellWhenDone } from './progress.tsx';
import { ChooseRecording } from '../job/failed-run.tsx';
import { session } from '../tab/session.ts';
import { secondsLeft, wholeFraction } from '../job/watch-run.ts';

/** The screen. */
export function JobScreen({ job }: { job: Job }) {
  const stopped = job.failure.value;
  const failure = stopped && failureOf(stopped.error);
  usePageTitle(job.name);
  return (
    <section class="card" aria-labelledby="job-title">
      <h1 id="job-title">{text.run.title(job.name)}</h1>
      {!failure && <JobProgress job={job} />}
      {failure ? (
        <Notice kind="error" title={progressText.failed}>
          <p>{failure.message}</p>
          {failure.showCommand && <Mp3Command name={job.name} />}
        </Notice>
      ) : (
        <>
          <p class="hint">{progressText.stayHere}</p>
          <TellWhenDone name={job.name} runId={job.runId} />
        </>
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

/** What happens to the recording in the page. */
function JobProgress({ job }: { job: Job }) {
  const isUploading = job.upload.value.state !== 'waiting';
  const { state, note, fraction, startedAt } = (isUploading ? job.upload : job.conversion).value;
  const isConverted = job.conversion.value.state === 'done' || state === 'skipped';
  /** Nothing is sent before somebody has signed in. */
  const isWaiting = isConverted && !isUploading && session.value === null;
  const isStarting = job.starting.value || state === 'done' || state === 'skipped';
  const left = secondsLeft({ fraction: 0, at: startedAt }, { fraction, at: performance.now() });
  const label = isWaiting
    ? progressText.signIn
    : isStarting
      ? progressText.starting
      : isUploading
        ? progressText.uploading
        : state === 'waiting'
          ? progressText.reading
          : progressText.making;
  return (
    <ProgressLine
      label={label}
      fraction={wholeFraction(job)}
      note={isStarting ? '' : note}
      aside={state === 'active' && left !== null ? progressText.left(left) : ''}
    />
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
