/** The first screen: a recording, a line about it, and off. */
import { loadPart } from '../api/load-part.ts';
import { Select, TextField } from '../components/fields.tsx';
import { Notice } from '../components/notice.tsx';
import { hrefOf } from '../route.ts';
import { currentJob, isUnderWay, startJob } from '../run/job.ts';
import { isOver, queued } from '../run/queued.ts';
import { text } from '../strings.ts';
import { chosenFiles, fileRemark } from './chosen-file.ts';
import { draft } from './draft.ts';
import { keepDraft } from './keep-draft.ts';
import { DropZone } from './drop-zone.tsx';
import { languages } from './languages.ts';
import { Options } from './options.tsx';
import { trySample } from './try-sample.ts';

const spoken = languages();
keepDraft();

/** The form. Nothing but the recording is needed. */
export const StartScreen = () => (
  <form
    class="start"
    noValidate
    onSubmit={(event) => {
      event.preventDefault();
      const files = chosenFiles.value;
      const [file] = files;
      if (!file) fileRemark.value = text.start.nothing;
      else if (files.length > 1 || queued.value.some((entry) => !isOver(entry))) void begin(files);
      else startJob(file);
    }}
  >
    <h1 class="visually-hidden">{text.start.title}</h1>
    <UnderWay />
    <DropZone />
    <p class="sample">
      <button type="button" class="plain" onClick={() => void sample()}>
        {text.start.sample}
      </button>{' '}
      <span class="hint">{text.start.sampleHint}</span>
    </p>
    <div class="row">
      <TextField
        label={text.start.topic}
        hint={text.start.topicHint}
        value={draft.topic}
        placeholder={text.start.topicExample}
      />
      <Select label={text.start.language} value={draft.language} options={spoken} />
    </div>
    <Options />
    <div class="actions">
      <button type="submit" class="primary">
        {text.start.make}
      </button>
    </div>
  </form>
);

/** A browser that keeps nothing cannot show it. */
const sample = (): Promise<void> =>
  trySample().catch(() => {
    fileRemark.value = text.start.keepsNothing;
  });

/** Several recordings: the queue is loaded, and takes them. */
async function begin(files: readonly File[]): Promise<void> {
  const { enqueue } = await loadPart(() => import('../run/queue.ts'));
  chosenFiles.value = [];
  enqueue(files);
}

/** The way back to the recordings that are not done yet. */
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
