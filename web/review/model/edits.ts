/**
 * The edits of cues. Each edit is a pure function of the cues, a position from 0 and its
 * parameters. It returns the splice to apply, or null if nothing would change or the edit is not
 * possible. Edits of times return a retiming, which also says what limited them.
 */
export { insertAfter, insertAtEnd, insertIn, remove } from './edit-cues.ts';
export { moveCue, setEdge } from './edit-times.ts';
export type { TimingMode } from './edit-times.ts';
export { mergeMany, rebreakMany, removeMany, shiftMany } from './edit-cues.ts';
export { rebreak, setText, toggleItalics } from './edit-text.ts';
export { nudge, retime, setTimes, shift, snapToNeighbour } from './edit-times.ts';
export type { MoveLimit, Retiming } from './edit-times.ts';
export { extendForReading } from './edit-times.ts';
export { mergeWithNext } from './edit-cues.ts';
export { moveWord } from './edit-text.ts';
export { split } from './edit-cues.ts';
export type { TimedWord } from './spoken-cut.ts';
export type { SplitRules } from './fix.ts';
