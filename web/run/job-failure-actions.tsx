/** The actions after a recording could not be converted, uploaded or started. */
import { chooseFile } from '../start/chosen-file.ts';
import { ChooseRecording } from './choose-recording.tsx';
import { startJob, type Job } from './job.ts';
import { runEndText as texts } from '../texts/run-ends.ts';

/** One step: the same file again where that can help, otherwise another file. */
export const JobFailureActions = ({ job, isOfFile }: { job: Job; isOfFile: boolean }) => (
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
