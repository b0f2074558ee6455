/** A text over another, word by word. */
import { diffWords } from './model/word-diff.ts';

/** What stayed, went and came. */
export const DiffWords = ({ from, to }: { from: string; to: string }) => (
  <>
    {diffWords(from, to).map(({ kind, text: words }, at) =>
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
