/** The dialogs of a shared review: a colleague's changes, with conflicts to resolve, and what to learn at its end. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Dialog } from '../../components/dialog.tsx';
import { position } from '../../texts/format.ts';
import type { Desk } from '../desk/desk.ts';
import { DiffWords } from './compare-dialog.tsx';
import { diffWords } from '../model/compare.ts';
import { withoutTags } from '../model/cue.ts';
import { saveText } from '../../texts/saving.ts';
import type { ServiceSaving } from '../save/save-to-service.ts';
import type {
  WorkspaceTerm,
  LearnedRule,
  LearnedRules,
} from '../../../server/contract/workspace-terms.ts';
import { readRules, readTerms } from '../../api/terminology.ts';
import { Notice } from '../../components/notice.tsx';
import { hrefOf } from '../../tab/route.ts';
import { RuleItem } from '../../terms/rule-item.tsx';
import { text } from '../../texts/review.ts';
import { termsText } from '../../texts/terms.ts';
import { decideInList, useAsking } from '../../terms/use-terminology.ts';

interface SaveDialogProps {
  desk: Desk;
  service: ServiceSaving;
  onClose(): void;
}

/** The dialog with what a colleague has changed. */
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
const wordsOf = (cues: Shown): string =>
  withoutTags(cues.map(({ lines }) => lines.join(' ')).join(' '));
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
  conflict: ServiceSaving['conflicts']['value'][number];
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

/**
 * Whether a term has been remembered already with what a rule proposes, such as while replacing it, and nobody has
 * rejected it.
 */
const isKnown = (
  { kind, surface, canonical, evidence }: LearnedRule,
  terms: readonly WorkspaceTerm[],
): boolean =>
  kind !== 'never' &&
  evidence.rejected === 0 &&
  terms.some(
    (term) =>
      term.canonical.toLowerCase() === canonical.toLowerCase() &&
      (surface === null ||
        (term.mishears ?? []).some((known) => known.toLowerCase() === surface.toLowerCase())),
  );

/** What ends with a review. */
type MediaPart = 'sound' | 'video';

interface FinishDialogProps {
  desk: Desk;
  service: ServiceSaving;
  onClose(): void;
}

/** What is open, with the ways there, and what finishing deletes; once the person agrees, the review is finished. */
export function FinishDialog(props: FinishDialogProps) {
  const { desk, onClose } = props;
  const left = openParts(desk);
  const isChecking = desk.check.busy.value && desk.check.violations.value === null;
  const ends = useSignal(partsThatStay(desk)).value;
  const isSure = useSignal(left.length + ends.length === 0 && !isChecking);
  if (isSure.value) return <Finished {...props} ended={ends} />;
  return (
    <Dialog
      title={left.length > 0 ? termsText.openTitle : termsText.finishAsk}
      close={left.length > 0 ? termsText.openStay : termsText.finishNotYet}
      onClose={onClose}
    >
      {left.length > 0 && (
        <>
          <p>{termsText.openHint}</p>
          <ul class="open-parts">
            {left.map(({ kind, tab, says }) => (
              <li key={kind}>
                <button
                  type="button"
                  onClick={() => {
                    onClose();
                    desk.tab.value = tab;
                    desk.part.value = 'check';
                    desk.navigation.go(1, [kind]);
                  }}
                >
                  {says}
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
      {ends.length > 0 && (
        <>
          <p>{termsText.finishEnds(ends)}</p>
          <p class="hint">{termsText.finishKeeps}</p>
        </>
      )}
      <p>
        <button type="button" class="primary" onClick={() => (isSure.value = true)}>
          {ends.length > 0 ? termsText.finishNow(ends) : termsText.openFinish}
        </button>
      </p>
    </Dialog>
  );
}

/** The kinds of what is left to check, each with its tab and its count in words. */
function openParts({ navigation }: Desk) {
  const { term, doubt, warning } = navigation.left.value;
  const parts = [
    { kind: 'term', tab: 'terms', left: term, says: text.review.leftTerms(term) },
    { kind: 'doubt', tab: 'doubts', left: doubt, says: text.review.leftDoubts(doubt) },
    { kind: 'warning', tab: 'warnings', left: warning, says: text.review.leftWarnings(warning) },
  ] as const;
  return parts.filter(({ left }) => left > 0);
}

/** What stays with the run until now. */
function partsThatStay({ recording }: Desk): MediaPart[] {
  const { sound, video } = recording.stays.peek() ?? {};
  return [...(sound ? (['sound'] as const) : []), ...(video ? (['video'] as const) : [])];
}

/** Saves the review as finished when it appears, and asks what to learn from it. */
function Finished({
  desk: { review, recording },
  service,
  ended,
  onClose,
}: FinishDialogProps & { ended: readonly MediaPart[] }) {
  const saved = useSignal<boolean | null>(null);
  const learned = useSignal<LearnedRules | null>(null);
  const asking = useAsking();
  useEffect(() => {
    const finish = async (): Promise<void> => {
      saved.value = await service.finish();
      if (!saved.value) return;
      if (ended.length > 0) void recording.askAgain();
      const { runId } = review;
      learned.value = await asking.ask(async (key) => {
        const found = await readRules(key, { state: 'proposed', runId });
        if (found.rules.length === 0) return found;
        const { terms } = await readTerms(key);
        return { ...found, rules: found.rules.filter((rule) => !isKnown(rule, terms)) };
      });
    };
    void finish();
  }, []);
  const open = learned.value?.rules.filter(({ state }) => state === 'proposed').length ?? 0;
  const rules = learned.value?.rules ?? [];
  return (
    <Dialog title={termsText.finishTitle} onClose={onClose}>
      <p role="status">
        {saved.value === null
          ? termsText.saving
          : saved.value
            ? [
                termsText.finished,
                ...(ended.length > 0 ? [termsText.finishEnded(ended)] : []),
              ].join(' ')
            : service.conflicts.value.length > 0
              ? termsText.conflict
              : termsText.notYet}
      </p>
      {asking.problem.value !== '' && (
        <Notice kind="error">
          <p>{asking.problem}</p>
        </Notice>
      )}
      {rules.length > 0 && (
        <>
          <h3>{termsText.questions(open)}</h3>
          <p class="hint">{termsText.questionsHint}</p>
          <ul class="rules">
            {rules.map((rule) => (
              <RuleItem
                key={rule.id}
                rule={rule}
                decide={(patch) => void decideInList(learned, asking, rule, patch)}
              />
            ))}
          </ul>
        </>
      )}
      {learned.value && rules.length === 0 && <p>{termsText.noQuestions}</p>}
      <p>
        <a href={hrefOf({ screen: 'terms' })}>{termsText.all}</a>
      </p>
    </Dialog>
  );
}
