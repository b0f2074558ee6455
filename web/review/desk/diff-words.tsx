/** Renders the differences between two texts. */
import type { DiffPart } from '../model/compare.ts';

/** The parts, with removed and added words marked. */
export const DiffWords = ({ parts }: { parts: readonly DiffPart[] }) => (
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
