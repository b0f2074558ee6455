/**
 * The queue: recordings are converted and uploaded one after the other, while their runs go on in
 * parallel.
 */
import { effect, signal, untracked } from '@preact/signals';
import type { CaptionerPayload } from '../../server/contract/payload.ts';
import { cancelRun, listRuns } from '../api/runs.ts';
import { go } from '../tab/route.ts';
import { session, SignInDismissed, withKey } from '../tab/session.ts';
import { payloadOf, takeSpeakers } from './draft.ts';
import { askBeforeLeaving, audioKeyOf, makeJob, runJob } from './job.ts';
import { isOver, queued, type QueuedFile } from './queue-state.ts';
import { resultOf } from './watch-run.ts';

/** The interval between queries for the runs' states, in milliseconds. */
const LOOK_EVERY_MS = 2000;

interface Task {
  readonly entry: QueuedFile;
  readonly audio: { key: string; payload: CaptionerPayload; speakers: string };
  stop: AbortController;
}

const tasks = new Map<number, Task>();
let nextId = 1;
let isWorking = false;
let looking: ReturnType<typeof setTimeout> | undefined;

/** Adds recordings to the queue with the current settings of the form, and shows the queue. */
export function enqueue(files: readonly File[]): void {
  const speakers = takeSpeakers();
  const added = files.map((file): QueuedFile => {
    const id = nextId++;
    const entry = {
      id,
      file,
      job: signal(makeJob(file.name, () => cancel(id))),
      run: signal(null),
      isSilent: signal(false),
      cancelled: signal(false),
    };
    const key = audioKeyOf(file.name);
    const payload = payloadOf({ key, filename: file.name });
    tasks.set(id, { entry, audio: { key, payload, speakers }, stop: new AbortController() });
    return entry;
  });
  // Start a new queue once all recordings of the last one are finished.
  queued.value = [...(queued.peek().every(isOver) ? [] : queued.peek()), ...added];
  go({ screen: 'queue' });
  void workOn();
}

/** Removes a recording from the queue, or cancels its run. */
export function cancel(id: number): void {
  const task = tasks.get(id);
  if (!task) return;
  task.entry.cancelled.value = true;
  task.stop.abort(new DOMException('', 'AbortError'));
  const runId = task.entry.job.peek().runId.peek();
  if (runId !== null) void withKey((key) => cancelRun(key, runId)).catch(() => {});
}

/** Retries a recording that did not get as far as its run. */
export function again(id: number): void {
  const task = tasks.get(id);
  if (!task) return;
  task.stop = new AbortController();
  task.entry.cancelled.value = false;
  task.entry.job.value = makeJob(task.entry.file.name, () => cancel(id));
  void workOn();
}

/** Works until nothing is waiting; only one recording is converted at a time. */
async function workOn(): Promise<void> {
  if (isWorking) return;
  isWorking = true;
  const leave = askBeforeLeaving();
  try {
    for (let [entry] = waiting(); entry; [entry] = waiting()) await carryOut(entry);
  } finally {
    isWorking = false;
    leave();
  }
}

const waiting = (): QueuedFile[] =>
  queued.peek().filter((entry) => !isOver(entry) && entry.job.peek().runId.peek() === null);

async function carryOut({ id, file, job }: QueuedFile): Promise<void> {
  const task = tasks.get(id);
  if (!task) return;
  const { audio, stop } = task;
  try {
    await runJob(job.peek(), file, audio, stop.signal);
    look();
  } catch (error) {
    if (stop.signal.aborted) return;
    // If the user dismisses the sign-in, they can sign in later and retry.
    if (error instanceof SignInDismissed) for (const each of waiting()) each.cancelled.value = true;
    else job.peek().failure.value = { error };
  }
}

/** Polls the runs, all with one request, until all are finished. */
function look(): void {
  clearTimeout(looking);
  const going = queued
    .peek()
    .filter((entry) => !isOver(entry) && entry.job.peek().runId.peek() !== null);
  if (going.length === 0) return;
  const key = session.peek()?.key;
  const asked = key === undefined ? Promise.resolve(null) : listRuns(key, { limit: 100 });
  void asked
    .catch(() => null)
    .then((found) => {
      const runs = new Map(found?.runs.map((run) => [run.runId, run] as const));
      for (const entry of going) {
        const now = runs.get(entry.job.peek().runId.peek()!);
        if (!now) continue;
        entry.run.value = { state: now.state, progress: now.progress };
        if (now.state === 'completed') void noteSilence(entry, now.runId);
      }
      looking = setTimeout(look, LOOK_EVERY_MS);
      return null;
    });
}

/** The list of runs does not say whether a run has captions; the result does. */
async function noteSilence({ isSilent }: QueuedFile, runId: string): Promise<void> {
  const result = await resultOf(runId).catch(() => null);
  isSilent.value = result?.status === 'completed' && result.captions.cues.length === 0;
}

effect(() => {
  // Poll again after signing in, but not whenever a run has changed.
  if (session.value) untracked(look);
});
