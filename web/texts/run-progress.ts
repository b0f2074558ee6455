/** The texts of a recording on its way to the service, and of a run in progress. */
import { MAX_UPLOAD_SIZE } from '../../server/contract/limits.ts';
import { count, duration, seconds } from '../format.ts';

/** Texts of the steps in the page, the queue, the stages, and the words recognised so far. */
export const progressText = {
  making: 'Making MP3',
  made: 'Made MP3',
  uploading: 'Uploading',
  uploaded: 'Uploaded',
  starting: 'Starting',
  percent: (part: number) => `${Math.floor(part * 100)}%`,
  left: (s: number) => `about ${duration(s)} left`,
  took: (ms: number) => seconds(ms / 1000),
  stayHere: 'Keep this page open until the upload is done.',
  cancel: 'Cancel',
  failed: 'Captioning failed',
  queued: 'Waiting in the queue',
  queuedBehind: (runs: number) =>
    runs === 0 ? 'It is next.' : `${count(runs, 'run of yours is', 'runs of yours are')} ahead.`,
  stages: {
    payload: 'Preparing',
    storage: 'Reading the recording',
    transcription: 'Transcribing',
    moderation: 'Moderation',
    terminology_audit: 'Terms',
    correction: 'Corrections',
    captioning: 'Captions',
    workflow: 'Finishing',
  } as Record<string, string>,
  heardTitle: 'Transcript so far',
  heardNote: 'A preview. Terms are corrected later, in the captions.',
  heardFirst: 'The first words have been transcribed.',
  heardUntil: (s: number) => `Transcribed so far: ${duration(s)}.`,
  soFar: (s: number) => `${duration(s)} so far`,
  canClose: 'You can close this page: the run continues and is listed under Past runs.',
  cancelling: 'Cancelling…',
  conversion: {
    no_audio: 'This file has no audio. Choose another.',
    unreadable:
      'This file cannot be read as video or audio. It may be damaged, or a different kind of file.',
    codec_unsupported:
      'This browser cannot read the audio of this file. Convert it to MP3 with this command, then drop the MP3 here:',
    failed:
      'The MP3 could not be made. Try again, or make it with this command and drop the MP3 here:',
    too_large: `As an MP3 this recording is larger than the limit of ${MAX_UPLOAD_SIZE}. Split it into parts and drop them all at once.`,
  },
};
