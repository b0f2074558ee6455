/** The page of the queue, for recordings and caption files in each state. */
import { root } from './support/root.ts';
import { afterEach, expect, test } from 'bun:test';
import { signal } from '@preact/signals';
import { h, render } from 'preact';
import { ConversionError } from '../../../web/media/conversion-error.ts';
import { makeJob, type Step } from '../../../web/run/job.ts';
import { QueueScreen } from '../../../web/run/queue-screen.tsx';
import { captionFiles, queued, type QueuedFile } from '../../../web/run/queue-state.ts';
import { queueText as texts } from '../../../web/texts/run-ends.ts';
import { all, one } from './support/app.ts';

afterEach(() => {
  queued.value = [];
  captionFiles.value = [];
});

const NAME = 'talk.mp4';

interface State {
  conversion?: Partial<Step>;
  upload?: Partial<Step>;
  starting?: boolean;
  failure?: { error: unknown };
  runId?: string;
  run?: { state: 'queued' | 'running' | 'completed' | 'failed' | 'blocked'; progress: number };
  isSilent?: boolean;
  cancelled?: boolean;
}

function entry(state: State, id = 1): QueuedFile {
  const job = makeJob(NAME, () => {});
  job.conversion.value = { ...job.conversion.value, ...state.conversion };
  job.upload.value = { ...job.upload.value, ...state.upload };
  job.starting.value = state.starting ?? false;
  job.failure.value = state.failure ?? null;
  job.runId.value = state.runId ?? null;
  return {
    id,
    file: new File(['x'], NAME),
    job: signal(job),
    run: signal(state.run ?? null),
    isSilent: signal(state.isSilent ?? false),
    cancelled: signal(state.cancelled ?? false),
  };
}

const show = (...entries: QueuedFile[]): void => {
  queued.value = entries;
  render(h(QueueScreen, {}), root);
};
/** The first recording: its state, its action, and its progress; null if none is shown. */
const row = () => {
  const [first] = all('.queue li', root);
  const bar = first!.querySelector('progress')?.getAttribute('value');
  return [
    one('.state', first).textContent,
    first!.querySelector('.queue-action > *')?.getAttribute('aria-label') ?? null,
    bar === undefined ? null : Number(bar),
  ];
};
const failure = { error: new ConversionError('codec_unsupported', '') };
const run = (state: NonNullable<State['run']>['state'], progress = 0) => ({ state, progress });

test.each<[State, string, string | null, number | null]>([
  [{}, texts.waiting, texts.cancel(NAME), 0],
  [{ conversion: { state: 'active', fraction: 0.4 } }, texts.making, texts.cancel(NAME), 0.1],
  [{ conversion: { state: 'skipped' } }, texts.waiting, texts.cancel(NAME), 0.25],
  [
    { conversion: { state: 'done', fraction: 1 }, upload: { state: 'active', fraction: 0.5 } },
    texts.uploading,
    texts.cancel(NAME),
    0.325,
  ],
  [{ upload: { state: 'done', fraction: 1 } }, texts.waiting, texts.cancel(NAME), 0.4],
  [
    { upload: { state: 'done', fraction: 1 }, starting: true },
    texts.starting,
    texts.cancel(NAME),
    0.4,
  ],
  [{ runId: 'run_1' }, texts.queued, texts.cancel(NAME), 0.4],
  [{ runId: 'run_1', run: run('running', 0.5) }, texts.running, texts.cancel(NAME), 0.7],
  [{ runId: 'run_1', run: run('completed', 1) }, texts.completed, texts.review(NAME), null],
  [
    { runId: 'run_1', run: run('completed', 1), isSilent: true },
    texts.silent,
    texts.look(NAME),
    null,
  ],
  [{ runId: 'run_1', run: run('failed', 0.5) }, texts.failed, texts.look(NAME), null],
  [{ runId: 'run_1', run: run('blocked', 0.5) }, texts.blocked, texts.look(NAME), null],
  // The service has not said yet that it is cancelled.
  [{ runId: 'run_1', run: run('running', 0.5), cancelled: true }, texts.cancelled, null, null],
  [{ cancelled: true }, texts.cancelled, texts.again(NAME), null],
  [{ failure }, texts.failed, texts.again(NAME), null],
  [{ failure, cancelled: true }, texts.failed, texts.again(NAME), null],
])('%j', (state, words, action, progress) => {
  show(entry(state));
  expect(row()).toEqual([words, action, progress]);
});
