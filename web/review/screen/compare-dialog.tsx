/** The dialog that shows changes from the original captions, word by word. */
import { Dialog } from '../../components/dialog.tsx';
import { position } from '../../texts/format.ts';
import { compare, type DiffPart } from '../model/compare.ts';
import type { Desk } from '../desk/desk.ts';
import type { ReviewCue } from '../model/cue.ts';
import { compare as compareText } from '../../texts/desk-parts.ts';

/** The comparison with the current captions. */
export function CompareDialog({ desk: { review }, onClose }: { desk: Desk; onClose(): void }) {
  return (
    <Dialog title={compareText.compareTitle} onClose={onClose}>
      <Differences original={review.original} now={review.cues.value} />
    </Dialog>
  );
}

interface DifferencesProps {
  original: readonly ReviewCue[];
  now: readonly ReviewCue[];
}

/** The places in which captions differ, word by word. */
export function Differences({ original: before, now: after }: DifferencesProps) {
  const differences = compare(before, after);
  return (
    <>
      <p>
        {differences.length === 0
          ? compareText.compareNone
          : compareText.compareCount(differences.length)}
      </p>
      <ol class="differences">
        {differences.map(({ original, now, parts, timesChanged, italicsChanged }) => {
          const [first] = now.length > 0 ? now : original;
          return (
            <li key={`${first?.id} ${first?.start}`}>
              <span class="hint">
                {position(first?.start ?? 0)}
                {timesChanged && ` · ${compareText.compareTimes}`}
                {italicsChanged && ` · ${compareText.compareItalics}`}
              </span>
              <p>
                <DiffWords parts={parts} />
              </p>
            </li>
          );
        })}
      </ol>
    </>
  );
}

/** The parts, with removed and added words marked. */
export const DiffWords = ({ parts }: { parts: DiffPart[] }) => (
  <>
    {parts.map(({ kind, text: words }, at) =>
      kind === 'same' ? (
        <span key={at}>{words}</span>
      ) : kind === 'removed' ? (
        <del key={at}>{words}</del>
      ) : (
        <ins key={at}>{words}</ins>
      ),
    )}
  </>
);
