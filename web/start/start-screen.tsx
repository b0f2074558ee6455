/** The start screen: a recording; once it is chosen, a line about it and the button that starts. */
import { useEffect } from 'preact/hooks';
import { loadPart } from '../api/load-part.ts';
import { Select, TextField } from '../components/fields.tsx';
import { Notice } from '../components/notice.tsx';
import { go, hrefOf } from '../route.ts';
import { currentJob, isUnderWay, startJob } from '../run/job.ts';
import { isOver, queued } from '../run/queue-state.ts';
import { text } from '../texts/shell.ts';
import { setLocalMedia } from '../run/local-media.ts';
import { keepResult, keepRun, newOwnRunId } from '../storage/runs.ts';
import { chosenFiles, fileRemark } from './chosen-file.ts';
import { detectsLanguage, draft, restoreDraft } from './draft.ts';
import { DropZone } from './drop-zone.tsx';
import { languages } from './languages.ts';
import { Options } from './options.tsx';

const spoken = languages();
restoreDraft();

/** The form. Only the recording is required. */
export function StartScreen() {
  const files = chosenFiles.value;
  const isChosen = files.length > 0;
  return (
    <form
      class="start"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        const [file] = files;
        if (!file) return;
        if (files.length > 1 || queued.value.some((entry) => !isOver(entry))) void begin(files);
        else startJob(file);
      }}
    >
      <div class="start-head">
        <h1>{text.start.title}</h1>
        {!isChosen && <p class="lead">{text.start.lead}</p>}
      </div>
      <UnderWay />
      {/* The field for files keeps the focus while the rest of the page changes around it. */}
      <div class={isChosen ? 'card chosen-card' : 'unchosen'}>
        <DropZone />
        {isChosen ? <Chosen /> : <Unchosen />}
      </div>
    </form>
  );
}

/** The fields of a recording, and the button. */
const Chosen = () => (
  <>
    <div class="row">
      <TextField
        label={text.start.topic}
        hint={text.start.topicHint}
        value={draft.topic}
        placeholder={text.start.topicExample}
      />
      <Language />
    </div>
    <div class="actions">
      <button type="submit" class="primary">
        {text.start.make}
      </button>
    </div>
    <Options />
  </>
);

/** What can be done without a recording. */
const Unchosen = () => (
  <>
    <p class="sample">
      <button type="button" onClick={() => void sample()}>
        {text.start.sample}
      </button>
      <span class="hint">{text.start.sampleHint}</span>
    </p>
    <details>
      <summary>{text.start.own}</summary>
      <p class="hint">{text.start.ownHint}</p>
      <Language />
    </details>
  </>
);

const Language = () => (
  <Select
    label={text.start.language}
    value={draft.language}
    options={detectsLanguage() ? [['auto', text.start.detect], ...spoken] : spoken}
  />
);

/** The address that opens the sample. */
export function SampleScreen() {
  useEffect(() => {
    const open = async () => {
      await sample();
      if (fileRemark.peek() !== '') go({ screen: 'start' }, { replace: true });
    };
    void open();
  }, []);
  return <p class="loading">{text.loading}</p>;
}

/** Opens the sample, which a browser that blocks storage cannot show. */
const sample = (): Promise<void> =>
  trySample().catch(() => {
    fileRemark.value = text.start.keepsNothing;
  });

/** Loads the queue and adds several recordings to it. */
async function begin(files: readonly File[]): Promise<void> {
  const { enqueue } = await loadPart(() => import('../run/queue.ts'));
  chosenFiles.value = [];
  enqueue(files);
}

/** The link back to recordings that are still in progress. */
function UnderWay() {
  const left = queued.value.filter((entry) => !isOver(entry)).length;
  if (left > 0) {
    return (
      <Notice kind="info">
        <p>
          <a href={hrefOf({ screen: 'queue' })}>{text.start.queueUnderWay(left)}</a>
        </p>
      </Notice>
    );
  }
  const job = currentJob.value;
  if (!job || !isUnderWay(job)) return null;
  return (
    <Notice kind="info">
      <p>
        <a href={hrefOf({ screen: 'job' })}>{text.start.underWay(job.name)}</a>
      </p>
    </Notice>
  );
}

/** Opens the sample with its recording, or without it if the recording cannot be loaded. */
export async function trySample(): Promise<void> {
  const { sampleResult, sampleRecording } = await loadPart(() => import('./sample.ts'));
  const recording = await sampleRecording().catch(() => null);
  const runId = newOwnRunId();
  if (recording) setLocalMedia(runId, recording);
  const name = recording?.name ?? text.start.sampleName;
  await keepRun({ runId, name, createdAt: Date.now() }, recording);
  await keepResult(runId, sampleResult());
  go({ screen: 'run', runId }, { replace: location.hash === hrefOf({ screen: 'sample' }) });
}
