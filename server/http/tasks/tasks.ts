/** The tasks of the pool: everything that requests do to foreign texts and stored documents of any length. */
import type { Log } from '../../base/log.ts';
import { outcomeText } from '../mcp/run-outcome.ts';
import { readMessage } from '../mcp/mcp.ts';
import { changedReview } from '../mcp/review-tools.ts';
import { openAiAnswer } from '../openai/answers.ts';
import { mp3Beginning, spokenLanguageOf } from '../openai/asr.ts';
import { convertedFile } from '../runs/conversions.ts';
import { writtenCaptions } from '../runs/profiled-captions.ts';
import { runFacts } from '../runs/library.ts';
import { readPayload } from '../runs/run-representation.ts';
import { withoutRaw } from '../runs/run-streams.ts';
import { hashed } from '../runs/run-texts.ts';
import { cancelledBeforeStart } from '../../runs/store/cancelled.ts';
import { withDeletion } from '../../runs/pending-deletions.ts';
import { isSamePayload } from '../../runs/service.ts';
import { passagesOf } from '../../search/passages.ts';
import { createWorkPool, type WorkPool } from '../work/pool.ts';
import {
  decidedRules,
  evidenceOfTexts,
  learnedRules,
  switchedLearning,
  workspaceLearns,
} from '../workspace/rule-requests.ts';
import { changedTerms, foundTerms, writtenTerms } from '../workspace/term-requests.ts';
import {
  learnedTranslations,
  preparedEdits,
  readCaptionFileToTranslate,
  readCaptionsToTranslate,
  readTranslationEdits,
  readTranslationMemory,
  writtenTranslation,
} from '../runs/translation-requests.ts';
import { similarTo } from '../../translation/similar.ts';
import { readRows, readStoredText, storeReview } from '../work/stored-texts.ts';
import { measuredCaptions } from '../reviews/measurements.ts';
import { reportHtml } from '../reviews/report-page.ts';
import { reportPdf } from '../reviews/report-pdf.ts';
import { reportFacts, sessionChanges, signReport } from '../reviews/reports.ts';
import { statementHtml } from '../reviews/statement.ts';
import { listedSpeakers, namedReview, namedVoices, refusedProposals } from '../reviews/speakers.ts';
import { readReview, reviewBytes, reviewOf } from '../reviews/review-requests.ts';

/** The tasks by name. */
export const TASKS = {
  cancelledBeforeStart,
  convertedFile,
  changedReview,
  evidenceOfTexts,
  workspaceLearns,
  switchedLearning,
  listedSpeakers,
  namedReview,
  namedVoices,
  refusedProposals,
  learnedRules,
  decidedRules,
  hashed,
  isSamePayload,
  openAiAnswer,
  passagesOf,
  mp3Beginning,
  spokenLanguageOf,
  outcomeText,
  measuredCaptions,
  reportFacts,
  sessionChanges,
  signReport,
  reportHtml,
  reportPdf,
  statementHtml,
  preparedEdits,
  learnedTranslations,
  readCaptionFileToTranslate,
  readCaptionsToTranslate,
  readTranslationEdits,
  readTranslationMemory,
  writtenTranslation,
  readMessage,
  readPayload,
  readReview,
  reviewOf,
  reviewBytes,
  readRows,
  readStoredText,
  storeReview,
  runFacts,
  similarTo,
  withDeletion,
  withoutRaw,
  writtenCaptions,
  writtenTerms,
  changedTerms,
  foundTerms,
};

/** Creates the pool of this process. */
export const openWorkPool = (log: Log): WorkPool =>
  createWorkPool({ tasks: TASKS, entry: new URL('./thread.ts', import.meta.url), log });
