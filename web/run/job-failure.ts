/** Messages for what stops a job. */
import { ApiProblem } from '../api/request.ts';
import { ConversionError } from '../media/conversion-error.ts';
import { progressText } from '../texts/run-progress.ts';
import { text } from '../texts/shell.ts';

/** The problem that stopped a job. */
interface JobFailure {
  message: string;
  /** Whether to show the shell command that does what this browser could not. */
  showCommand: boolean;
  /** Whether the file itself is the cause, so that trying it again cannot help. */
  isOfFile: boolean;
}

/** The message for what stopped a job. */
export function failureOf(error: unknown): JobFailure {
  if (error instanceof ConversionError) {
    const { reason } = error;
    return {
      message: progressText.conversion[reason],
      showCommand: reason === 'codec_unsupported' || reason === 'failed',
      isOfFile: reason !== 'failed',
    };
  }
  const message = error instanceof ApiProblem ? text.run.refused(error.message) : text.wrong;
  return { message, showCommand: false, isOfFile: false };
}
