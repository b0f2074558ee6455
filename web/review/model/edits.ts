/**
 * The edits of cues. Each edit is a pure function of the cues, a position from 0 and its
 * parameters. It returns the splice to apply, or null if nothing would change or the edit is not
 * possible. Edits of times return a retiming, which also says what limited them.
 */
export { insertAfter, insertAtEnd, insertIn, remove } from './edit-cues.ts';
export { moveCue, setEdge } from './edit-edges.ts';
export type { TimingMode } from './edit-edges.ts';
export { mergeMany, rebreakMany, removeMany, shiftMany } from './edit-many.ts';
export { rebreak, setText, toggleItalics } from './edit-text.ts';
export { nudge, retime, setTimes, shift, snapToNeighbour } from './edit-times.ts';
export type { MoveLimit, Retiming } from './edit-times.ts';
export { extendForReading } from './extend.ts';
export { mergeWithNext } from './merge.ts';
export { moveWord } from './move-word.ts';
export { split } from './split.ts';
export type { TimedWord } from './spoken-cut.ts';
export type { SplitRules } from './split-long.ts';
