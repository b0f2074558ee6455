/** The queue page: several recordings with their progress and actions. */
import { useSignal } from '@preact/signals';
import { DropDown } from '../components/fields.tsx';
import { go, hrefOf } from '../tab/route.ts';
import { usePageTitle } from '../tab/page-title.ts';
import { formatSign } from '../texts/format.ts';
import { progressText } from '../texts/run-progress.ts';
import { queueText as texts } from '../texts/run-ends.ts';
import { loadPart } from '../api/load-part.ts';
import { type Format, DOWNLOADS } from '../review/save/download.ts';
import { failureOf, Mp3Command } from '../job/job-failure.tsx';
import { again, cancel } from '../job/queue.ts';
import {
  type CaptionFile,
  captionFiles,
  isOver,
  queued,
  type QueuedFile,
} from '../job/queue-state.ts';
import { resultOf, wholeFraction } from '../job/watch-run.ts';
import { convertAll } from '../job/caption-files.ts';

/** The queue page. */
export function QueueScreen() {
  const hasCaptions = captionFiles.value.length > 0;
  const title = queued.value.length > 0 ? texts.title : texts.captionsTitle;
  usePageTitle(title);
  return (
    <section class="card" aria-labelledby="queue-title">
      <h1 id="queue-title">{title}</h1>
      {queued.value.length > 0 && <Recordings />}
      {hasCaptions && <CaptionFilesList />}
      <div class="actions">
        <button type="button" onClick={() => go({ screen: 'start' })}>
          {queued.value.length > 0 ? texts.more : texts.another}
        </button>
      </div>
    </section>
  );
}

/** The recordings; there is at least one. */
function Recordings() {
  const all = queued.value;
  const done = all.filter(isOver).length;
  const whole = all.reduce((sum, entry) => sum + fractionOf(entry), 0) / all.length;
  const isUploaded = all.every((entry) => isOver(entry) || entry.job.value.runId.value !== null);
  return (
    <>
      <p role="status">
        {done === all.length ? texts.allDone(done) : texts.done(done, all.length)}
      </p>
      <progress class="whole" aria-label={texts.title} value={whole} max={1}>
        {progressText.percent(whole)}
      </progress>
      <ul class="queue">
        {all.map((entry) => (
          <Row key={entry.id} entry={entry} />
        ))}
      </ul>
      {all.some(({ run }) => run.value?.state === 'completed') && (
        <DownloadAll first="srt" isReady onDownload={downloadQueue} />
      )}
      {!isUploaded && <p class="hint">{texts.stay}</p>}
    </>
  );
}

function Row({ entry }: { entry: QueuedFile }) {
  const { id, file, job } = entry;
  const { failure: stopped, runId } = job.value;
  const failure = stopped.value && failureOf(stopped.value.error);
  const state = stateOf(entry);
  const fraction = fractionOf(entry);
  const { name } = file;
  const isEnded = isOver(entry) && runId.value !== null;
  const hasCaptions = state === 'completed';
  return (
    <li>
      <span class="queue-name">{name}</span>
      <span class={`state ${state}`}>{texts[state]}</span>
      <span class="queue-action">
        {isEnded && hasCaptions && (
          <a href={hrefOf({ screen: 'run', runId: runId.value! })} aria-label={texts.review(name)}>
            {texts.reviewShort}
          </a>
        )}
        {isEnded && !hasCaptions && state !== 'cancelled' && (
          <a href={hrefOf({ screen: 'run', runId: runId.value! })} aria-label={texts.look(name)}>
            {texts.lookShort}
          </a>
        )}
        {!isOver(entry) && (
          <button type="button" aria-label={texts.cancel(name)} onClick={() => cancel(id)}>
            {texts.cancelShort}
          </button>
        )}
        {isOver(entry) && runId.value === null && (
          <button type="button" aria-label={texts.again(name)} onClick={() => again(id)}>
            {texts.againShort}
          </button>
        )}
      </span>
      {!isOver(entry) && (
        <progress aria-label={name} value={fraction} max={1}>
          {progressText.percent(fraction)}
        </progress>
      )}
      {failure && (
        <div class="queue-trouble">
          <p>{failure.message}</p>
          {failure.showCommand && <Mp3Command name={name} />}
        </div>
      )}
    </li>
  );
}

type Shown =
  | 'waiting'
  | 'making'
  | 'uploading'
  | 'starting'
  | 'queued'
  | 'running'
  | 'completed'
  | 'silent'
  | 'blocked'
  | 'failed'
  | 'cancelled';

function stateOf({ job, run, isSilent, cancelled }: QueuedFile): Shown {
  const { conversion, upload, starting, failure, runId } = job.value;
  if (failure.value) return 'failed';
  // A run that was cancelled here is not requested again.
  if (cancelled.value) return 'cancelled';
  if (run.value) return isSilent.value ? 'silent' : run.value.state;
  if (runId.value !== null) return 'queued';
  if (starting.value) return 'starting';
  if (upload.value.state === 'active') return 'uploading';
  return conversion.value.state === 'active' ? 'making' : 'waiting';
}

/** The progress of a recording, from 0 to 1. */
function fractionOf(entry: QueuedFile): number {
  if (isOver(entry)) return 1;
  return wholeFraction(entry.job.value, entry.run.value?.progress);
}

/**
 * The downloads, each with the edits made in this browser so far. @returns a message about the
 * outcome
 */
async function downloadQueue(format: Format): Promise<string> {
  const { downloadSaved } = await loadPart(() => import('../review/save/caption-download.ts'));
  let made = 0;
  const without: string[] = [];
  for (const { file, job, run } of queued.peek()) {
    const runId = job.peek().runId.peek();
    if (runId === null || run.peek()?.state !== 'completed') continue;
    const result = await resultOf(runId);
    if (result?.status !== 'completed') continue;
    if (await downloadSaved(runId, file.name, result, format)) made += 1;
    else without.push(file.name);
  }
  return [texts.converted(made), ...without.map(texts.without)].join(' ');
}

/** The list. */
function CaptionFilesList() {
  const all = captionFiles.value;
  const read = all.filter(({ stored }) => stored.value !== null);
  const isRead = read.length === all.length;
  return (
    <>
      <p role="status">
        {isRead ? texts.allRead(all.length) : texts.read(read.length, all.length)}
      </p>
      <ul class="queue">
        {all.map((entry) => (
          <CaptionFileRow key={entry.id} entry={entry} />
        ))}
      </ul>
      <DownloadAll
        first="vtt"
        isReady={isRead}
        onDownload={async (format) => texts.converted(await convertAll(format))}
      />
    </>
  );
}

function CaptionFileRow({ entry: { name, stored } }: { entry: CaptionFile }) {
  const found = stored.value;
  if (found === null || typeof found === 'string') {
    return (
      <li>
        <span class="queue-name">{name}</span>
        <span class={`state ${found === null ? 'waiting' : 'failed'}`}>
          {found === null ? texts.waiting : texts.failed}
        </span>
        {found !== null && <p class="queue-trouble">{found}</p>}
      </li>
    );
  }
  const { runId, result } = found;
  const { warningCount } = result.quality.captions.summary;
  return (
    <li>
      <span class="queue-name">{name}</span>
      <span class="state completed">{texts.found(result.captions.cues.length, warningCount)}</span>
      <span class="queue-action">
        <a href={hrefOf({ screen: 'run', runId })} aria-label={texts.review(name)}>
          {texts.reviewShort}
        </a>
      </span>
    </li>
  );
}

interface DownloadAllProps {
  /** The format that is chosen at first. */
  first: Format;
  isReady: boolean;
  /** Downloads the files; returns the message about them. */
  onDownload(format: Format): Promise<string>;
}

/** The choice of a format, the button and the outcome. A click during the downloads does nothing. */
function DownloadAll({ first, isReady, onDownload }: DownloadAllProps) {
  const format = useSignal<Format>(first);
  const message = useSignal('');
  const isBusy = useSignal(false);
  const download = async () => {
    if (!isReady || isBusy.peek()) return;
    isBusy.value = true;
    try {
      message.value = await onDownload(format.peek());
    } finally {
      isBusy.value = false;
    }
  };
  return (
    <>
      <div class="actions leading">
        <label>
          {texts.format}{' '}
          <DropDown
            value={format.value}
            options={DOWNLOADS.map((each) => [each, formatSign(each)])}
            onChoose={(chosen) => (format.value = chosen as Format)}
          />
        </label>
        <button
          type="button"
          aria-disabled={!isReady || isBusy.value}
          onClick={() => void download()}
        >
          {texts.convert}
        </button>
      </div>
      <p class="hint" role="status">
        {message}
      </p>
    </>
  );
}
