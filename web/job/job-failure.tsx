/** What stops a job: its message, and the command that does what the browser could not. */
import { ApiProblem } from '../api/request.ts';
import { ConversionError } from '../media/conversion-error.ts';
import { problemText } from '../texts/problems.ts';
import { progressText } from '../texts/run-progress.ts';
import { text } from '../texts/shell.ts';
import { server } from '../tab/server.ts';

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
  const message = error instanceof ApiProblem ? text.run.refused(problemText(error)) : text.wrong;
  return { message, showCommand: false, isOfFile: false };
}

/** A file name quoted for a shell. */
const quoted = (name: string): string => `'${name.replaceAll("'", `'\\''`)}'`;

/** The shell command that makes an MP3 of a file with this name, ready to copy. */
export const Mp3Command = ({ name }: { name: string }) => (
  <pre tabIndex={0}>
    <code>
      {server.ffmpegCommand
        .replace('input.mp4', () => quoted(name))
        .replace('output.mp3', () => quoted(`${name.replace(/\.[^.]*$/, '')}.mp3`))}
    </code>
  </pre>
);
