/** Highlights under the text of a caption: doubtful words and search matches. */
import type { Desk } from './desk.ts';
import { textOf, type ReviewCue } from '../model/cue.ts';

interface Mark {
  from: number;
  to: number;
  look: string;
}

/** The marks; nothing if there are none. */
export function CueMarks({ desk, cue, index }: { desk: Desk; cue: ReviewCue; index: number }) {
  const { doubts, finder } = desk;
  const found = finder.open.value === 'closed' ? undefined : finder.byCue.value.get(index);
  const marks: Mark[] = [
    ...(found ?? []).map(({ from, to, isMeant }) => ({
      from,
      to,
      look: isMeant ? 'meant' : 'found',
    })),
    ...doubts.of(cue).map(({ from, to }) => ({ from, to, look: 'doubt' })),
  ];
  if (marks.length === 0) return null;
  return (
    <div class="cue-marks" aria-hidden="true" lang={desk.review.language}>
      {parts(textOf(cue), marks).map(({ words, look }, at) =>
        look === '' ? (
          words
        ) : (
          <mark key={at} class={look}>
            {words}
          </mark>
        ),
      )}
    </div>
  );
}

/** Divides a text at its marks; where marks overlap, the first wins. */
function parts(words: string, marks: readonly Mark[]): { words: string; look: string }[] {
  const edges = [0, words.length, ...marks.flatMap(({ from, to }) => [from, to])];
  const places = [...new Set(edges)].filter((at) => at <= words.length).toSorted((a, b) => a - b);
  return places.slice(0, -1).map((from, at) => {
    const to = places[at + 1]!;
    const look = marks.find((mark) => mark.from <= from && mark.to >= to)?.look ?? '';
    return { words: words.slice(from, to), look };
  });
}
