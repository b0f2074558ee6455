/** The words of a caption with marks and italics, which stand under the transparent field in which they are typed. */
import { Fragment } from 'preact';

/** A range of a text and how it is marked. */
export interface Mark {
  from: number;
  to: number;
  look: string;
}

/** Whether a text has tags of italics. */
export const hasItalics = (text: string): boolean => /<\/?i>/i.test(text);

/** A text with its marks; tags of italics are set apart, so that they can be hidden. */
export function MarkedWords({ words: whole, marks }: { words: string; marks: readonly Mark[] }) {
  const tags = [...whole.matchAll(/<\/?i>/gi)].map(({ 0: tag, index: from }) => ({
    from,
    to: from + tag.length,
    opens: tag.length === 3,
  }));
  return (
    <>
      {parts(whole, marks, tags).map(({ words, look, style }, at) => {
        const shown = look === '' ? words : <mark class={look}>{words}</mark>;
        if (style === 'tag') return <s key={at}>{shown}</s>;
        return style === 'italic' ? <i key={at}>{shown}</i> : <Fragment key={at}>{shown}</Fragment>;
      })}
    </>
  );
}

interface Part {
  words: string;
  look: string;
  style: 'plain' | 'italic' | 'tag';
}

/** Divides a text at its marks and tags; where marks overlap, the first wins. */
function parts(
  words: string,
  marks: readonly Mark[],
  tags: readonly { from: number; to: number; opens: boolean }[],
): Part[] {
  const edges = [0, words.length, ...[...marks, ...tags].flatMap(({ from, to }) => [from, to])];
  const places = [...new Set(edges)].filter((at) => at <= words.length).toSorted((a, b) => a - b);
  return places.slice(0, -1).map((from, at) => {
    const to = places[at + 1]!;
    const look = marks.find((mark) => mark.from <= from && mark.to >= to)?.look ?? '';
    const tag = tags.findLast((each) => each.from <= from);
    const style = tag && tag.to >= to ? 'tag' : tag?.opens ? 'italic' : 'plain';
    return { words: words.slice(from, to), look, style };
  });
}
