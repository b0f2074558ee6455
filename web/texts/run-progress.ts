/** The texts of a recording on its way to the service, and of a run in progress. */
import { count, duration } from './format.ts';
import { inLanguage, keyed } from './language.ts';
import { UPLOAD } from '../../server/contract/limits.ts';

/** What happens now, how far it is, and the words recognised so far. */
export const progressText = inLanguage('progressText', {
  making: 'Making a small MP3',
  uploading: 'Uploading',
  starting: 'Starting',
  reading: 'Reading the file',
  signIn: 'Ready to upload: waiting for you to sign in',
  percent: (part: number) => `${Math.floor(part * 100)}%`,
  left: (s: number) => `${s < 60 ? `${s} s` : `${Math.round(s / 60)} min`} left`,
  soFar: (s: number) => `${duration(s)} so far`,
  stayHere: 'Keep this page open until the upload is done.',
  tell: 'Tell me when it is done',
  telling: 'Your browser will tell you when it is done.',
  tellRefused: 'Your browser does not allow notifications from this page.',
  told: (name: string) => `Captions for ${name}`,
  toldDone: 'They are ready to check.',
  toldOther: 'There are no captions. Open the page to see why.',
  cancel: 'Cancel',
  failed: 'Captioning failed',
  queued: 'Waiting',
  queuedBehind: (runs: number) =>
    runs === 0 ? 'it is next' : `${count(runs, 'run of yours is', 'runs of yours are')} ahead`,
  loading: 'Loading the speech model',
  stages: keyed({
    payload: 'Preparing',
    storage: 'Preparing the recogniser',
    transcription: 'Transcribing',
    moderation: 'Checking what is said',
    terminology_audit: 'Correcting names and terms',
    correction: 'Correcting names and terms',
    captioning: 'Dividing into captions',
    workflow: 'Finishing',
  }),
  heardTitle: 'Transcript so far',
  heardNote: 'A preview. Terms are corrected later, in the captions.',
  heardFirst: 'The first words have been transcribed.',
  heardUntil: (s: number) => `Transcribed so far: ${duration(s)}.`,
  canClose: 'You can close this page. The captions will be in the library.',
  cancelling: 'Cancelling…',
  conversion: {
    no_audio: 'This file has no audio. Choose another.',
    unreadable:
      'This file cannot be read as video or audio. It may be damaged, or a different kind of file.',
    codec_unsupported:
      'This browser cannot read the audio of this file. Convert it to MP3 with this command, then drop the MP3 here:',
    failed:
      'The MP3 could not be made. Try again, or make it with this command and drop the MP3 here:',
    too_large: `As an MP3 this recording is larger than the limit of ${UPLOAD.maxSize}. Split it into parts and drop them all at once.`,
  },
});
