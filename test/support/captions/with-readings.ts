/** The text of a caption with its ruby, as a reader that has no ruby shows it. */
import type { Caption } from '../../../server/captions/cue.ts';

/** The text of a caption, with each reading after its characters. */
export function withReadings({ lines, ruby = [] }: Partial<Caption> = {}): string {
  const plain = (lines ?? []).map((line) => line.replace(/<\/?i>/g, ''));
  for (const { line, to, reading } of ruby.toReversed()) {
    plain[line] = plain[line]!.slice(0, to) + reading + plain[line]!.slice(to);
  }
  return plain.join('\n');
}
