/** The tasks of the pool: everything that requests do to foreign texts and stored documents of any length. */
import type { Log } from '../../log.ts';
import { outcomeText } from '../mcp/run-outcome.ts';
import { readMessage } from '../mcp/mcp.ts';
import { changedReview } from '../mcp/review-tools.ts';
import { openAiAnswer } from '../openai/answers.ts';
import { writtenCaptions } from '../runs/profiled-captions.ts';
import { runFacts } from '../runs/library.ts';
import { readReview, reviewBytes, reviewOf } from '../runs/review-requests.ts';
import {
  decidedRules,
  evidenceOfTexts,
  learnedRules,
  learns,
  switched,
} from '../workspace/rule-requests.ts';
import { readPayload } from '../runs/run-representation.ts';
import {
  changedTerms,
  foundTerms,
  readPastedText,
  writtenTerms,
} from '../workspace/term-requests.ts';
import {
  learnedTranslations,
  preparedEdits,
  readCaptionsToTranslate,
  readEdits,
  writtenTranslation,
} from '../runs/translation-requests.ts';
import { hashed } from '../runs/run-texts.ts';
import { cancelledBeforeStart } from '../../runs/store/cancelled.ts';
import { withDeletion } from '../../runs/pending-deletions.ts';
import { isSamePayload } from '../../runs/service.ts';
import { readRows, readStored, storeReview } from '../stored-texts.ts';
import { createWorkPool, type WorkPool } from './pool.ts';

/** The tasks by name. */
export const TASKS = {
  cancelledBeforeStart,
  changedReview,
  changedTerms,
  decidedRules,
  evidenceOfTexts,
  foundTerms,
  hashed,
  isSamePayload,
  learnedRules,
  learnedTranslations,
  learns,
  openAiAnswer,
  outcomeText,
  preparedEdits,
  readMessage,
  readPastedText,
  readPayload,
  readReview,
  readRows,
  readStored,
  reviewBytes,
  reviewOf,
  runFacts,
  storeReview,
  readCaptionsToTranslate,
  readEdits,
  switched,
  withDeletion,
  writtenCaptions,
  writtenTerms,
  writtenTranslation,
};

/** Creates the pool of this process. */
export const openWorkPool = (log: Log): WorkPool =>
  createWorkPool({ tasks: TASKS, entry: new URL('./thread.ts', import.meta.url), log });
