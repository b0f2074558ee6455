/** The texts of a run in progress. */
import { count, duration } from '../format.ts';

/** Texts of the queue, the stages, and the words recognised so far. */
export const progressText = {
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
};
