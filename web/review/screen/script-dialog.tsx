/**
 * The dialog for aligning a script: paste the script, check the differences, then use its words.
 */
import { useSignal, type Signal } from '@preact/signals';
import { decodeText } from '../../../server/captions/files/encodings.ts';
import { Dialog } from '../../components/dialog.tsx';
import { FileButton } from '../../components/file-button.tsx';
import { Check, TextArea } from '../../components/fields.tsx';
import { position } from '../../texts/format.ts';
import { text } from '../../texts/shell.ts';
import type { Desk } from '../desk/desk.ts';
import { type ReviewCue, textOf } from '../model/cue.ts';
import type { DecisionChange } from '../model/history.ts';
import { replaceByScript, wordsOfCues, alignScript, type AlignedScript } from '../model/rebuild.ts';
import { lettersOf } from '../model/spoken-cut.ts';
import type { Splice } from '../model/splice.ts';
import { editAll } from '../desk/edit-all.ts';
import { scriptText as texts } from '../../texts/profiles-and-rebuilding.ts';

/** The most differences listed; further ones are only counted. */
const SHOWN = 200;
/** Below this agreement, the script is probably of another recording. */
const UNLIKE = 0.4;
/** The largest script file, in bytes. */
const MOST = 5_000_000;

/** The dialog. */
export function ScriptDialog({ desk, onClose }: { desk: Desk; onClose(): void }) {
  const { review } = desk;
  const script = useSignal('');
  const wrong = useSignal('');
  const aligned = useSignal<AlignedScript | null>(null);
  const whole = useSignal(false);
  const align = () => {
    wrong.value = script.value.trim() === '' ? texts.empty : '';
    if (wrong.value !== '') return;
    const cues = review.cues.peek();
    // Caption files have no recognised words: take their own words, at the times of the captions.
    const heard = review.words.length > 0 ? review.words : wordsOfCues(cues, []);
    aligned.value = alignScript(script.value, heard, { start: 0, end: desk.lengthOf() });
    whole.value = false;
  };
  const use = ({ words, part }: AlignedScript) => {
    const splice = replaceByScript(review.cues.peek(), words, whole.peek() ? null : part, {
      rules: { settings: review.settings },
      language: review.language,
      words: review.words,
      nextId: review.state.peek().nextId,
      length: desk.playback.length.peek(),
    });
    if (!splice) review.message.value = texts.asBefore;
    else editAll(desk, 'script', [splice], texts.done, scriptDecisions(desk, splice.inserted));
  };
  const found = aligned.value;
  return (
    <Dialog
      title={texts.title}
      onClose={onClose}
      close={text.cancel}
      actions={found ? [{ label: texts.use, run: () => use(found) }] : []}
    >
      {found ? (
        <Differences found={found} cues={review.cues.peek()} whole={whole} />
      ) : (
        <>
          <TextArea label={texts.label} hint={texts.hint} value={script} rows={10} />
          <p class="remark" role="status">
            {wrong}
          </p>
        </>
      )}
      <div class="actions leading">
        {found ? (
          <button type="button" onClick={() => (aligned.value = null)}>
            {texts.again}
          </button>
        ) : (
          <>
            <button type="button" class="primary" onClick={align}>
              {texts.align}
            </button>
            <FileButton
              label={texts.file}
              accept=".txt,text/plain"
              onFiles={([file]) => {
                wrong.value = file.size > MOST ? texts.tooLarge : '';
                if (wrong.value === '') void read(file).then((read) => (script.value = read));
              }}
            />
          </>
        )}
      </div>
    </Dialog>
  );
}

const read = async (file: File): Promise<string> =>
  (await decodeText(new Uint8Array(await file.arrayBuffer()))).text;

/** The number of recognised words that the script leaves out, and that using it would delete. */
const wordsLeftOut = (differences: AlignedScript['differences']): number =>
  differences.reduce(
    (sum, { heard, script }) => sum + (script === '' ? heard.split(' ').length : 0),
    0,
  );

/** The differences between the script and the recognised words, place by place. */
const Differences = ({
  found: { agreement, differences, part },
  cues,
  whole,
}: {
  found: AlignedScript;
  cues: readonly ReviewCue[];
  whole: Signal<boolean>;
}) => (
  <>
    {part && (
      <>
        <p>{texts.part(position(part.start), position(part.end))}</p>
        <Check
          label={texts.whole}
          hint={texts.deletes(
            cues.filter(({ start, end }) => end <= part.start || start >= part.end).length,
          )}
          value={whole}
        />
      </>
    )}
    <p role="status">
      {differences.length === 0
        ? texts.same
        : `${texts.agreement(agreement)} ${texts.leavesOut(wordsLeftOut(differences))} ${texts.differences(differences.length)}`}
    </p>
    {agreement < UNLIKE && <p class="remark">{texts.unlike}</p>}
    <ol class="differences">
      {differences.slice(0, SHOWN).map(({ start, heard, script }) => (
        <li key={`${start} ${heard} ${script}`}>
          <span class="hint">{position(start)}</span>
          <p>
            {heard !== '' && <del>{heard}</del>} {script !== '' && <ins>{script}</ins>}
          </p>
        </li>
      ))}
    </ol>
    {differences.length > SHOWN && <p class="hint">{texts.more(differences.length - SHOWN)}</p>}
  </>
);

/**
 * The decisions that follow from a script: an open term where it was used is accepted if the script
 * has it near its time, and rejected otherwise.
 */
function scriptDecisions({ navigation }: Desk, inserted: Splice['inserted']): DecisionChange[] {
  const [first, last] = [inserted[0]?.start ?? 0, inserted.at(-1)?.end ?? 0];
  const touched = navigation.openTerms
    .peek()
    .filter(({ start, end }) => end > first && start < last);
  return touched.map(({ id, start, end, after }) => {
    const near = inserted.filter((cue) => cue.end > start - 1 && cue.start < end + 1);
    const isThere = lettersOf(near.map(textOf).join(' ')).includes(lettersOf(after));
    return {
      id,
      before: 'open',
      after: isThere ? 'accepted' : 'rejected',
    };
  });
}
