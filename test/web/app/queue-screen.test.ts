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

test('the whole queue counts what is over, and can be left once all is uploaded', () => {
  show(entry({ failure }), entry({ runId: 'run_1', run: run('running') }, 2));
  expect(one('[role=status]:not(.hint)', root).textContent).toBe(texts.done(1, 2));
  expect(Number(one('.whole', root).getAttribute('value'))).toBeCloseTo(0.7, 6);
  expect(root.textContent).not.toContain(texts.stay);
  // Nothing is there to download.
  expect(root.querySelector('select')).toBeNull();
  show(entry({ cancelled: true }), entry({ upload: { state: 'active', fraction: 0 } }, 2));
  expect(root.textContent).toContain(texts.stay);
  show(entry({ runId: 'run_1', run: run('completed', 1) }), entry({ failure }, 2));
  expect(one('[role=status]:not(.hint)', root).textContent).toBe(texts.allDone(2));
  expect(root.querySelector('select')).not.toBeNull();
});

test('recordings and caption files share the page, which is named after the recordings', () => {
  captionFiles.value = [{ id: 0, name: 'talk.srt', stored: signal(null) }];
  show(entry({}));
  expect([one('h1', root).textContent, all('.queue', root).length]).toEqual([texts.title, 2]);
  expect(all('.actions button', root).at(-1)!.textContent).toBe(texts.more);
  show();
  expect([one('h1', root).textContent, all('.queue', root).length]).toEqual([
    texts.captionsTitle,
    1,
  ]);
  expect(all('.actions button', root).at(-1)!.textContent).toBe(texts.another);
});

test('a caption file that cannot be read says so, and counts as read', () => {
  captionFiles.value = [
    { id: 0, name: 'talk.srt', stored: signal('Not captions.') },
    { id: 1, name: 'later.srt', stored: signal(null) },
  ];
  show();
  expect(one('[role=status]:not(.hint)', root).textContent).toBe(texts.read(1, 2));
  expect(all('.queue li', root).map(({ textContent }) => textContent)).toEqual([
    `talk.srt${texts.failed}Not captions.`,
    `later.srt${texts.waiting}`,
  ]);
});
