/** The first screen: a recording, a line about it, and off. */
import { Select, TextField } from '../components/fields.tsx';
import { Notice } from '../components/notice.tsx';
import { hrefOf } from '../route.ts';
import { currentJob, isUnderWay, startJob } from '../run/job.ts';
import { text } from '../strings.ts';
import { chosenFile, fileRemark } from './chosen-file.ts';
import { draft } from './draft.ts';
import { keepDraft } from './keep-draft.ts';
import { DropZone } from './drop-zone.tsx';
import { languages } from './languages.ts';
import { Options } from './options.tsx';

const spoken = languages();
keepDraft();

/** The form. Nothing but the recording is needed. */
export const StartScreen = () => (
  <form
    class="start"
    noValidate
    onSubmit={(event) => {
      event.preventDefault();
      const file = chosenFile.value;
      if (file) startJob(file);
      else fileRemark.value = text.start.nothing;
    }}
  >
    <h1 class="visually-hidden">{text.start.title}</h1>
    <UnderWay />
    <DropZone />
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

/** The way back to a recording that is not uploaded yet. */
function UnderWay() {
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
