/**
 * What a person can do to cues. Each edit is a pure function of the cues, a position from 0 and what
 * it needs; it gives the splice that makes it, or null where nothing would change or it cannot be.
 * Edits of times give a retiming, which also tells what held them.
 */
export { insertAfter, remove } from './edit-cues.ts';
export { moveCue, setEdge } from './edit-edges.ts';
export type { TimingMode } from './edit-edges.ts';
export { mergeMany, rebreakMany, removeMany, shiftMany } from './edit-many.ts';
export { rebreak, setText, toggleItalics } from './edit-text.ts';
export { nudge, retime, setTimes, shift, snapToNeighbour } from './edit-times.ts';
export type { Held, Retiming } from './edit-times.ts';
export { extendForReading } from './extend.ts';
export { fixFor } from './fix.ts';
export { mergeWithNext } from './merge.ts';
export { moveWord } from './move-word.ts';
export { split } from './split.ts';
export type { TimedWord } from './spoken-cut.ts';
export type { SplitRules } from './split-long.ts';
