/** The dialog with a colleague's changes: conflicts to resolve, and changes that were merged. */
import { Dialog } from '../../components/dialog.tsx';
import { position } from '../../format.ts';
import type { Desk } from '../desk/desk.ts';
import { DiffWords } from '../desk/compare-dialog.tsx';
import { diffWords } from '../model/compare.ts';
import type { Conflict } from './save-merge.ts';
import { saveText } from '../../texts/saving.ts';
import type { ServiceSaving } from './save-to-service.ts';

interface SaveDialogProps {
  desk: Desk;
  service: ServiceSaving;
  onClose(): void;
}

/** The dialog. */
export function SaveDialog({ desk: { review }, service, onClose }: SaveDialogProps) {
  const conflicts = service.conflicts.value;
  const news = service.news.value;
  return (
    <Dialog title={saveText.dialogTitle} onClose={onClose}>
      {conflicts.length > 0 && (
        <>
          <p>{saveText.conflictHint}</p>
          <ol class="differences">
            {conflicts.map((conflict) => (
              <Choice
                key={conflict.key}
                conflict={conflict}
                language={review.language}
                choose={(side) => void service.choose(conflict.key, side)}
              />
            ))}
          </ol>
        </>
      )}
      {news.length > 0 && (
        <>
          <p>{saveText.newsHint}</p>
          <ol class="differences">
            {news.map(({ before, after }, at) => (
              <li key={at}>
                <span class="hint">{timeOf([...after, ...before])}</span>
                <Words from={before} to={after} language={review.language} />
              </li>
            ))}
          </ol>
        </>
      )}
      {conflicts.length + news.length === 0 && <p role="status">{saveText.nothingLeft}</p>}
    </Dialog>
  );
}

type Shown = readonly {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
  readonly speakers?: readonly string[];
  readonly speaker?: string | undefined;
}[];

const timeOf = (cues: Shown): string => position(cues[0]?.start ?? 0);
const wordsOf = (cues: Shown): string => cues.map(({ lines }) => lines.join(' ')).join(' ');
const speakersOf = (cues: Shown): string =>
  cues.map(({ speakers, speaker = '' }) => (speakers ?? speaker.split('\n')).join(', ')).join(' ');
const timesOf = (cues: Shown): string =>
  cues.map(({ start, end }) => `${position(start)}–${position(end)}`).join(', ');

/** The changes from one text to another, word by word. */
function Words({ from, to, language }: { from: Shown; to: Shown; language: string }) {
  const isOfSpeakers = speakersOf(from) !== speakersOf(to);
  const [before = '', after = ''] = [from, to].map((cues) => {
    const speakers = isOfSpeakers ? speakersOf(cues) : '';
    return speakers === '' ? wordsOf(cues) : `${speakers}: ${wordsOf(cues)}`;
  });
  return (
    <p lang={language}>
      {before + after === '' ? saveText.noCaption : <DiffWords parts={diffWords(before, after)} />}
    </p>
  );
}

interface ChoiceProps {
  conflict: Conflict;
  language: string;
  choose(side: 'mine' | 'theirs'): void;
}

function Choice({ conflict: { mine, theirs }, language, choose }: ChoiceProps) {
  const time = timeOf([...mine, ...theirs]);
  return (
    <li>
      <span class="hint">{time}</span>
      <dl class="two-versions">
        {[[saveText.mine, mine] as const, [saveText.theirs, theirs] as const].map(
          ([name, cues]) => (
            <div key={name}>
              <dt>
                {name} <span class="hint">{timesOf(cues)}</span>
              </dt>
              <dd>
                <Words from={mine} to={cues} language={language} />
              </dd>
            </div>
          ),
        )}
      </dl>
      <p class="actions">
        <button type="button" aria-label={saveText.keepLabel(time)} onClick={() => choose('mine')}>
          {saveText.keepMine}
        </button>
        <button
          type="button"
          aria-label={saveText.takeLabel(time)}
          onClick={() => choose('theirs')}
        >
          {saveText.takeTheirs}
        </button>
      </p>
    </li>
  );
}
