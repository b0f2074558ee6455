/** Measures how accurate the captions are: plays passages, takes what is said, and shows the figure as it grows. */
import { useComputed, useSignal } from '@preact/signals';
import { Fragment } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import type {
  Measurement,
  MeasurementFigures,
  MeasurementList,
} from '../../../server/contract/evidence.ts';
import { MEASUREMENT } from '../../../server/contract/limits.ts';
import { bareWord, classesFor, judge } from '../../../server/evidence/judgement.ts';
import {
  getMeasurement,
  judgePassage,
  listMeasurements,
  startMeasurement,
} from '../../api/measurements.ts';
import { ask } from '../../api/request.ts';
import { runPath } from '../../api/runs.ts';
import { DropDown, TextField } from '../../components/fields.tsx';
import { saveFile } from '../../components/save-file.ts';
import { isOwnRun } from '../../storage/runs.ts';
import { failureText } from '../../tab/failure-text.ts';
import { guest } from '../../tab/guest.ts';
import { session } from '../../tab/session.ts';
import { evidence } from '../../texts/evidence.ts';
import { position } from '../../texts/format.ts';
import type { Desk } from '../desk/desk.ts';
import * as editText from '../model/edit-text.ts';
import { correctedCaptions } from './correction.ts';

/** The files of a report. */
const REPORTS = [
  { name: 'report.json', type: 'application/json' },
  { name: 'report.pdf', type: 'application/pdf' },
] as const;

/** The check. */
export function AccuracyCheck({ desk }: { desk: Desk }) {
  const { runId } = desk.review;
  const key = session.value?.key;
  const list = useSignal<MeasurementList | null>(null);
  const current = useSignal<Measurement | null>(null);
  const problem = useSignal('');
  const busy = useSignal(false);
  const name = useSignal(session.peek()?.email.split('@')[0] ?? '');
  const id = useId();
  const isHere = key !== undefined && guest.value === null && !isOwnRun(runId);
  const act = async (work: (key: string) => Promise<void>): Promise<void> => {
    if (key === undefined || busy.peek()) return;
    busy.value = true;
    problem.value = '';
    await work(key).catch((error: unknown) => (problem.value = failureText(error) ?? ''));
    busy.value = false;
  };
  useEffect(() => {
    if (!isHere) return;
    void act(async (bearer) => {
      list.value = await listMeasurements(bearer, runId);
    });
  }, [isHere]);
  if (!isHere)
    return (
      <section class="accuracy" aria-labelledby={`${id}-title`}>
        <h2 id={`${id}-title`}>{evidence.title}</h2>
        <p class="hint">{evidence.signIn}</p>
      </section>
    );
  const isHeard = desk.recording.media.value !== null;
  const open = current.value;
  const last = list.value?.measurements.at(-1);
  const agreement = list.value?.agreement;
  return (
    <section class="accuracy" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{evidence.title}</h2>
      {problem.value !== '' && <p role="alert">{problem}</p>}
      {!isHeard && <p class="hint">{evidence.noSound}</p>}
      {open && isHeard ? (
        <Passages
          key={open.id}
          desk={desk}
          measurement={open}
          act={act}
          onMore={async (bearer) => {
            current.value = await getMeasurement(bearer, runId, open.id);
          }}
          onEnd={async (bearer) => {
            list.value = await listMeasurements(bearer, runId);
            current.value = null;
          }}
        />
      ) : (
        <>
          {last ? <Figures figures={last.figures} goal={last.goal} /> : <p>{evidence.about}</p>}
          {agreement && (
            <p>
              {evidence.agreement(agreement.people.join(', '), agreement.share, agreement.kappa)}
            </p>
          )}
          {last && last.figures.next > 0 && (
            <button
              type="button"
              disabled={!isHeard}
              onClick={() =>
                void act(async (bearer) => {
                  current.value = await getMeasurement(bearer, runId, last.id);
                })
              }
            >
              {evidence.goOn}
            </button>
          )}
          <form
            onSubmit={(event) => {
              event.preventDefault();
              void act(async (bearer) => {
                current.value = await startMeasurement(bearer, runId, name.peek());
              });
            }}
          >
            <TextField
              label={evidence.name}
              hint={evidence.nameHint}
              value={name}
              required
              autocomplete="name"
              maxLength={MEASUREMENT.maxNameChars}
            />
            <button type="submit" disabled={busy.value || !isHeard}>
              {last ? evidence.again : evidence.start}
            </button>{' '}
            {REPORTS.map(({ name, type }) => (
              <Fragment key={name}>
                <button
                  type="button"
                  class="plain"
                  onClick={() =>
                    void act(async (bearer) => {
                      const report = await ask(runPath(runId, `/${name}`), { key: bearer });
                      saveFile(await report.blob(), name, type);
                    })
                  }
                >
                  {evidence.reports[name]}
                </button>{' '}
              </Fragment>
            ))}
          </form>
        </>
      )}
    </section>
  );
}

interface PassagesProps {
  desk: Desk;
  measurement: Measurement;
  act(work: (key: string) => Promise<void>): Promise<void>;
  /** More passages are due. */
  onMore(key: string): Promise<void>;
  onEnd(key: string): Promise<void>;
}

/** The passages one after the other. */
function Passages({ desk, measurement, act, onMore, onEnd }: PassagesProps) {
  const { sample } = measurement;
  const begin = sample.findIndex(({ judgedAt }) => judgedAt === null);
  const at = useSignal(Math.max(0, begin));
  const figures = useSignal(measurement.figures);
  const passage = sample[at.value];
  const text = useSignal('');
  const late = useSignal(false);
  const names = useSignal<ReadonlySet<string>>(new Set());
  const note = useSignal('');
  const field = useRef<HTMLTextAreaElement>(null);
  const id = useId();
  const play = () => {
    if (!passage) return;
    desk.playback.playStretch({ from: passage.playFrom, to: passage.playTo, loop: false });
  };
  useEffect(() => {
    text.value = passage?.said ?? passage?.shown ?? '';
    late.value = passage?.errors.some((error) => error.class === 'time') ?? false;
    names.value = new Set();
    field.current?.focus();
    play();
  }, [at.value, measurement]);
  const found = useComputed(() =>
    passage ? judge(passage.shown, text.value, (word) => names.value.has(word)).errors : [],
  );
  if (!passage) return <Figures figures={figures.value} goal={measurement.goal} />;
  const correct = (before: string, after: string): void => {
    if (before === after) return;
    const { cues, edit } = desk.review;
    const changed = correctedCaptions(cues.peek(), { ...passage, shown: before }, after);
    note.value = changed || before === '' ? '' : evidence.byHand;
    for (const [cue, words] of changed ?? []) {
      edit('text', editText.setText(cues.peek(), cue, words));
    }
  };
  const send = () =>
    act(async (key) => {
      const said = text.peek().trim();
      const body = { text: said, late: late.peek(), names: [...names.peek()] };
      const judged = await judgePassage(key, measurement, passage.number, body);
      correct(passage.said ?? passage.shown, said);
      figures.value = judged.figures;
      sample[at.peek()] = judged.passage;
      if (judged.figures.next === 0) await onEnd(key);
      else {
        if (at.peek() + 1 === sample.length) await onMore(key);
        at.value += 1;
      }
    });
  return (
    <>
      <p>
        {position(passage.start)} {evidence.passage(passage.number, figures.value.next)}
      </p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <div class="field">
          <label for={`${id}-text`}>{evidence.heard}</label>
          <textarea
            id={`${id}-text`}
            ref={field}
            rows={2}
            maxLength={MEASUREMENT.maxTextChars}
            value={text}
            onInput={(event) => (text.value = event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || event.shiftKey) return;
              event.preventDefault();
              void send();
            }}
          />
        </div>
        {passage.shown === '' && <p class="hint">{evidence.silent}</p>}
        {found.value.length === 0 ? (
          <p class="hint">{evidence.noErrors}</p>
        ) : (
          <ul aria-label={evidence.errors}>
            {found.value.map((error, number) => (
              <li key={number}>
                {evidence.error(error.shown, error.said)}{' '}
                {error.said !== null && classesFor(error).length > 1 ? (
                  <DropDown
                    label={evidence.errors}
                    value={error.class}
                    options={classesFor(error).map((one) => [one, evidence.classes[one]])}
                    onChoose={(chosen) => {
                      const changed = new Set(names.peek());
                      if (chosen === 'name') changed.add(bareWord(error.said!));
                      else changed.delete(bareWord(error.said!));
                      names.value = changed;
                    }}
                  />
                ) : (
                  evidence.classes[error.class]
                )}
              </li>
            ))}
          </ul>
        )}
        <label>
          <input
            type="checkbox"
            checked={late}
            onChange={(event) => (late.value = event.currentTarget.checked)}
          />{' '}
          {evidence.late}
        </label>
        <p>
          <button type="submit">{evidence.next}</button>{' '}
          <button type="button" class="plain" onClick={play}>
            {evidence.play}
          </button>{' '}
          {at.value > 0 && (
            <button type="button" class="plain" onClick={() => (at.value -= 1)}>
              {evidence.back}
            </button>
          )}
        </p>
      </form>
      {note.value !== '' && <p role="status">{note}</p>}
      <Figures figures={figures.value} goal={measurement.goal} />
    </>
  );
}

/** The figures so far. */
function Figures({ figures, goal }: { figures: MeasurementFigures; goal: number }) {
  const { accuracy, soFar, words, state, wordsNeeded } = figures;
  return (
    <div role="status">
      {accuracy && (
        <p>
          <strong>{evidence.counts(accuracy)}</strong> {evidence.goal(goal)}{' '}
          {evidence.states[state]}{' '}
          {state === 'open' && wordsNeeded !== null && evidence.needed(wordsNeeded)}
        </p>
      )}
      {soFar && state === 'open' && <p class="hint">{evidence.soFar(soFar, words)}</p>}
    </div>
  );
}
