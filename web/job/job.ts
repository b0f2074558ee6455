/**
 * Turns a recording into a run: converts it to MP3, uploads it and starts the run. One at a time.
 */
import { signal, type Signal } from '@preact/signals';
import type { CaptionerPayload } from '../../server/contract/payload.ts';
import { loadPart } from '../api/load-part.ts';
import { retrying } from '../api/request.ts';
import { startRun } from '../api/runs.ts';
import { ConversionError } from '../media/conversion-error.ts';
import { isMp3 } from '../media/mp3.ts';
import { isVideo } from '../media/video.ts';
import { go, route } from '../tab/route.ts';
import { requireSession, SignInDismissed, withKey } from '../tab/session.ts';
import { payloadOf, takeSpeakers } from './draft.ts';
import { keepRun, keepVideo } from '../storage/runs.ts';
import { text } from '../texts/shell.ts';
import { setLocalMedia } from './local-media.ts';
import { UPLOAD } from '../../server/contract/limits.ts';

/** The state of a step. */
interface Step {
  state: 'waiting' | 'active' | 'done' | 'skipped';
  /** From 0 to 1. */
  fraction: number;
  note: string;
  startedAt: number;
}

export interface Job {
  name: string;
  conversion: Signal<Step>;
  upload: Signal<Step>;
  starting: Signal<boolean>;
  /** The error that stopped the job; `failureOf` converts it to a message for the user. */
  failure: Signal<{ readonly error: unknown } | null>;
  runId: Signal<string | null>;
  cancel(): void;
  /** Starts over with the same file. */
  again(): void;
}

/** The current job; null before the first. */
export const currentJob = signal<Job | null>(null);

const waiting = (): Step => ({ state: 'waiting', fraction: 0, note: '', startedAt: 0 });

/** Starts a job for a file with the current settings of the form, and shows its progress. */
export function startJob(file: File): void {
  begin(file, (audioKey) => payloadOf({ key: audioKey, filename: file.name }), takeSpeakers());
}

/** A job with no step done yet. */
export const makeJob = (name: string, cancel: () => void, again = () => {}): Job => ({
  name,
  conversion: signal(waiting()),
  upload: signal(waiting()),
  starting: signal(false),
  failure: signal(null),
  runId: signal(null),
  cancel,
  again,
});

/**
 * Starts a job for a file, and shows its progress.
 * @param speakers the number of speakers, if it is known
 */
export function begin(
  file: File,
  payload: (audioKey: string) => CaptionerPayload,
  speakers: string | undefined,
): void {
  const stop = new AbortController();
  const cancel = () => {
    stop.abort(new DOMException('', 'AbortError'));
    if (currentJob.peek() === job) currentJob.value = null;
    go({ screen: 'start' }, { replace: true });
  };
  const job = makeJob(file.name, cancel, () => begin(file, payload, speakers));
  currentJob.value = job;
  go({ screen: 'job' });
  const audioKey = audioKeyOf(file.name);
  const leave = askBeforeLeaving();
  const audio = { key: audioKey, payload: payload(audioKey), speakers };
  runJob(job, file, audio, stop.signal)
    .then((runId) => {
      // If the user has moved to another screen, stay there; the run is listed in the library.
      const isSeen = route.peek().screen === 'job' && currentJob.peek() === job;
      if (isSeen) go({ screen: 'run', runId }, { replace: true });
      return runId;
    })
    .catch((error: unknown) => {
      if (stop.signal.aborted) return;
      if (error instanceof SignInDismissed) job.cancel();
      else job.failure.value = { error };
    })
    .finally(leave);
}

/**
 * Makes the browser ask before the page is closed, because a recording that is not uploaded would
 * be lost. Returns a function that stops this.
 */
export function askBeforeLeaving(): () => void {
  const ask = (event: BeforeUnloadEvent) => event.preventDefault();
  addEventListener('beforeunload', ask);
  return () => removeEventListener('beforeunload', ask);
}

/** Whether a job has neither failed nor started its run. */
export const isUnderWay = ({ failure, runId }: Job): boolean =>
  failure.value === null && runId.value === null;

/**
 * Makes an MP3 from a recording, uploads it and starts its run; the job shows the progress.
 * @returns the id of the run
 * @throws {SignInDismissed} if the user does not sign in; any other error that stops the job is
 * thrown unchanged
 */
export async function runJob(
  job: Job,
  file: File,
  audio: { key: string; payload: CaptionerPayload; speakers: string | undefined },
  stop: AbortSignal,
): Promise<string> {
  // Sign-in happens while the MP3 is made.
  const signedIn = requireSession();
  signedIn.catch(() => {});
  const mp3 = await prepareMp3(job, file, stop);
  await signedIn;
  const key = await upload(job, audio.key, mp3, stop);
  const payload = { ...audio.payload, audio: { ...audio.payload.audio, key } };
  job.starting.value = true;
  const attempt = crypto.randomUUID();
  const start = { ...audio, payload };
  const runId = await retrying(stop, () => withKey((key) => startRun(key, start, attempt, stop)));
  setLocalMedia(runId, file);
  const record = { runId, name: file.name, createdAt: Date.now(), speakers: audio.speakers };
  // The run is shown even if the browser stores nothing.
  await keepRun(record, mp3).catch(() => {});
  if (isVideo(file)) void keepVideo(runId, file).catch(() => {});
  job.runId.value = runId;
  return runId;
}

/** The MP3 to upload: the file itself if it is an MP3 within the size limit. */
async function prepareMp3(job: Job, file: File, stop: AbortSignal): Promise<Blob> {
  if (file.size <= UPLOAD.maxBytes && (await loadPart(() => isMp3(file), stop))) {
    update(job.conversion, { state: 'skipped' });
    return file;
  }
  update(job.conversion, { state: 'active', startedAt: performance.now() });
  const { convertToMp3 } = await loadPart(() => import('../media/convert.ts'), stop);
  const { mp3 } = await convertToMp3(file, {
    signal: stop,
    onProgress: (fraction, done, length) =>
      update(job.conversion, { fraction, note: text.run.makingNote(done, length) }),
  });
  if (mp3.size > UPLOAD.maxBytes) throw new ConversionError('too_large', '');
  update(job.conversion, { state: 'done', fraction: 1 });
  return mp3;
}

/**
 * Uploads an MP3.
 * @returns its key; for a resumed upload, the key it was started with
 */
async function upload(job: Job, audioKey: string, mp3: Blob, stop: AbortSignal): Promise<string> {
  const startedAt = performance.now();
  const show = (sent: number) =>
    update(job.upload, {
      state: 'active',
      startedAt,
      fraction: sent / mp3.size,
      note: text.run.uploadNote(Math.min(sent, mp3.size), mp3.size),
    });
  show(0);
  const { uploadRecording } = await loadPart(() => import('../api/upload.ts'), stop);
  const stored = await retrying(stop, (reached) =>
    withKey((key) =>
      uploadRecording(audioKey, mp3, { key, signal: stop, onProgress: show, reached }),
    ),
  );
  update(job.upload, { state: 'done', fraction: 1 });
  return stored;
}

function update(step: Signal<Step>, change: Partial<Step>): void {
  step.value = { ...step.peek(), ...change };
}

/**
 * A unique key for each upload; its last part is the file's name, from which topics are guessed.
 */
export function audioKeyOf(name: string): string {
  const stem = name
    .replace(/\.[^.]*$/, '')
    .normalize('NFC')
    .replaceAll(/[^\p{L}\p{N}._-]+/gu, '-')
    .replaceAll(/^[-.]+|(?<![-.])[-.]+$/g, '');
  // Cut between characters: half a surrogate pair is not valid in a URL.
  const short = [...stem].slice(0, 80).join('');
  return `app/${crypto.randomUUID()}/${short || 'recording'}.mp3`;
}
