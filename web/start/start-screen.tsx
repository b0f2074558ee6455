/** The start screen: a recording; once it is chosen, a line about it, the rarer settings, and the button that starts. */
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { useSignal, useSignalEffect } from '@preact/signals';
import { loadPart } from '../api/load-part.ts';
import { Choice, Select, TextField, NumberField, TextArea } from '../components/fields.tsx';
import { Notice } from '../components/notice.tsx';
import { go, hrefOf } from '../tab/route.ts';
import { currentJob, isUnderWay, startJob } from '../job/job.ts';
import { isOver, queued } from '../job/queue-state.ts';
import { said } from '../texts/said.ts';
import { text } from '../texts/shell.ts';
import {
  chosenFiles,
  fileRemark,
  chooseFile,
  ACCEPTED,
  listenForFiles,
  namedFiles,
  pickFiles,
} from '../job/chosen-file.ts';
import { detectsLanguage, draft, restoreDraft, hasAuditModes, providersOf } from '../job/draft.ts';
import { languages } from '../job/languages.ts';
import { Icon } from '../components/icon.tsx';
import { keyNames, megabytes } from '../texts/format.ts';
import { chordOf } from '../review/editing/chord.ts';
import { OPTION, SPEAKERS } from '../../server/contract/limits.ts';
import { OnDemand, onDemand } from '../components/on-demand.tsx';
import { server } from '../tab/server.ts';

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
    <Choice
      label={text.start.sound}
      value={draft.sound}
      options={[
        ['keep', text.start.soundKeep],
        ['delete', text.start.soundDelete],
      ]}
    />
    <Options />
  </>
);

/** What can be done without a recording; the names of a file can be ticked before there is one. */
const Unchosen = () => (
  <>
    {namedFiles.value.length > 0 && <FindTerms />}
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

function Language() {
  const spoken = languages();
  return (
    <Select
      label={text.start.language}
      value={draft.language}
      options={detectsLanguage() ? [['auto', text.start.detect], ...spoken] : spoken}
    />
  );
}

/** The address that opens the sample. */
export function SampleScreen() {
  useLayoutEffect(() => {
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
  const { enqueue } = await loadPart(() => import('../job/queue.ts'));
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
async function trySample(): Promise<void> {
  const { keepSample } = await loadPart(() => import('./sample.ts'));
  const runId = await keepSample();
  go({ screen: 'run', runId }, { replace: location.hash === hrefOf({ screen: 'sample' }) });
}

/** The drop area with its file field. */
function DropZone() {
  const input = useRef<HTMLInputElement>(null);
  const over = useSignal(false);
  useEffect(() => listenForFiles((isOver) => (over.value = isOver), chooseFile), []);
  useOpenKey();
  useSignalEffect(() => {
    // Lets the same file be chosen again: a dropped file is not in the field.
    if (chosenFiles.value.length > 0 && input.current) input.current.value = '';
  });
  const files = chosenFiles.value;
  const [file] = files;
  const isSoundOnly = file !== undefined && files.every(({ type }) => type.startsWith('audio/'));
  return (
    <div class={`drop ${over.value ? 'over' : ''} ${file ? 'chosen' : ''}`}>
      <Icon name={file ? 'wave' : 'upload'} />
      <p class="drop-title">
        {file ? (
          <>
            {files.length > 1 ? text.start.files(files.length) : file.name}{' '}
            <small>{megabytes(files.reduce((sum, { size }) => sum + size, 0))}</small>
          </>
        ) : over.value ? (
          text.start.letGo
        ) : matchMedia('(pointer: coarse)').matches ? (
          text.start.dropless
        ) : (
          text.start.drop
        )}
      </p>
      <label class={file ? 'button' : 'button primary'} title={keyNames('Ctrl+O')}>
        {file ? text.start.another : text.start.choose}
        <input
          ref={input}
          type="file"
          multiple
          accept={ACCEPTED}
          class="visually-hidden"
          aria-describedby="drop-hint"
          onChange={(event) => chooseFile([...event.currentTarget.files!])}
        />
      </label>
      {files.length > 1 && (
        <ul class="drop-files hint">
          {files.map(({ name }) => (
            <li key={name}>{name}</li>
          ))}
        </ul>
      )}
      <p class="hint" id="drop-hint">
        {isSoundOnly ? text.start.hintSound : text.start.hint}
      </p>
      <p class="remark" role="status">
        {fileRemark}
      </p>
    </div>
  );
}

/** The key that opens files in other editors. */
function useOpenKey(): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (chordOf(event) !== 'Ctrl+KeyO') return;
      event.preventDefault();
      pickFiles(chooseFile);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
}

const pasteTerms = onDemand(() => import('./paste-terms.tsx').then((part) => part.PasteTerms));
const settings = onDemand(() =>
  import('./format-settings.tsx').then((part) => part.FormatSettings),
);

/** Everything but the topic and the language, folded; the rarer groups are folded again. */
const Options = () => (
  <details class="more" open={namedFiles.value.length > 0}>
    <summary>{text.start.more}</summary>
    <div class="options">
      <TextArea
        label={text.terms.glossary}
        hint={text.terms.glossaryHint}
        value={draft.glossary}
        rows={2}
      />
      <Select
        label={text.start.speakers}
        value={draft.speakers}
        options={[
          ['', text.start.findSpeakers],
          ...Array.from(
            { length: SPEAKERS.mostTold },
            (_, at) => [`${at + 1}`, `${at + 1}`] as const,
          ),
        ]}
      />
      <FindTerms />
      <Packs />
      <Provider />
      <Format />
    </div>
  </details>
);

/** The packs, folded: the service chooses them itself. They are open if some were chosen before. */
const Packs = () => (
  <details open={draft.packs.peek().size > 0 || draft.exclude.peek() !== ''}>
    <summary>{text.terms.packs}</summary>
    <fieldset>
      <legend class="visually-hidden">{text.terms.packs}</legend>
      <p class="hint">{text.terms.packsHint}</p>
      <div class="packs">
        {server.packs.map((pack) => (
          <label class="check" key={pack.id}>
            <input
              type="checkbox"
              checked={draft.packs.value.has(pack.id)}
              onChange={(event) => choosePack(pack.id, event.currentTarget.checked)}
            />
            <span>
              {said.sentence(pack.title)} <small>{text.terms.packTerms(pack.termCount)}</small>
              <span class="hint">{said.sentence(pack.description ?? '')}</span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
    <TextArea
      label={text.terms.exclude}
      hint={text.terms.excludeHint}
      value={draft.exclude}
      rows={2}
    />
  </details>
);

/** The search for names in a text or a file, loaded when it is expanded. It is open if files with names are given. */
function FindTerms() {
  const open = useSignal(namedFiles.peek().length > 0);
  useSignalEffect(() => {
    if (namedFiles.value.length > 0) open.value = true;
  });
  return (
    <details open={open.value} onToggle={(event) => (open.value = event.currentTarget.open)}>
      <summary>{text.terms.paste}</summary>
      {open.value && <OnDemand of={pasteTerms} />}
    </details>
  );
}

function choosePack(id: string, chosen: boolean): void {
  const packs = new Set(draft.packs.value);
  if (chosen) packs.add(id);
  else packs.delete(id);
  draft.packs.value = packs;
}

const named = (name: string): readonly [string, string] => [
  name,
  text.provider.names[name] ?? name,
];

function Provider() {
  const speech = providersOf('transcription');
  const chosen = server.providers.find(
    ({ stage, name }) => stage === 'transcription' && name === draft.speech.value,
  );
  const audits = providersOf('audit').filter((name) => name !== 'none');
  return (
    <details>
      <summary>{text.provider.title}</summary>
      <Select
        label={text.provider.speech}
        hint={chosen ? text.provider.about(chosen.model, said.sentence(chosen.limits)) : ''}
        value={draft.speech}
        options={speech.map(named)}
      />
      <Select
        label={text.provider.audit}
        value={draft.audit}
        options={[
          ['', text.provider.auditAutomatic],
          ...audits.map(named),
          ['none', text.provider.auditNone],
        ]}
      />
      {hasAuditModes() && (
        <Select
          label={text.provider.mode}
          value={draft.auditMode}
          options={Object.entries(text.provider.modes)}
        />
      )}
      <NumberField
        label={text.provider.confidence}
        value={draft.minConfidence}
        {...OPTION.minConfidence}
        step={0.05}
      />
    </details>
  );
}

function Format() {
  const open = useSignal(false);
  return (
    <details
      onToggle={(event) => {
        open.value = event.currentTarget.open;
      }}
    >
      <summary>{text.format.title}</summary>
      {open.value && <OnDemand of={settings} />}
    </details>
  );
}
