/** The interface of auditors, which compare a transcript with the terms of a run and propose corrections. */
import type { Compute } from '../base/compute.ts';
import type { TermCorrection, TermObservation } from '../contract/terminology.ts';
import type { TranscriptWord } from '../contract/results.ts';
import type { ActiveTerm } from '../terminology/active-term.ts';
import { type Draft, observe } from '../terminology/decide/decide.ts';

export interface AuditRequest {
  words: readonly TranscriptWord[];
  /** BCP 47. */
  language: string;
  /** The terms of the run, in rank order. */
  terms: readonly ActiveTerm[];
  /** The lowest confidence at which an edit is applied, 0..1. */
  minConfidence: number;
  /** One of the auditor's models; if absent, its default. */
  model?: string;
}

export interface AuditContext {
  /** The run with which answers are stored. */
  runId?: string;
  /** Aborted when the run is cancelled or the process stops. */
  signal: AbortSignal;
  /** Called as the audit progresses, 0..1. */
  progress(fraction: number): void;
  /** Runs the computations of this process; if absent, they are not counted. */
  compute?: Compute;
}

/** The usage of a language model; all zero if none was used. */
export interface AuditUsage {
  calls: number;
  tokens: number;
  /** Answers taken from the cache. */
  cached: number;
}

/** The outcome of an audit. Plain JSON, as the output of a durable step. */
export interface AuditOutcome {
  provider: string;
  model: string;
  /** All decisions in order of place, with the ids c1, c2, … */
  corrections: TermCorrection[];
  /** One observation for each correction, referring to it. */
  observations: TermObservation[];
  usage: AuditUsage;
  /** A note about this audit for readers of the result. */
  note?: string;
}

/**
 * Audits transcripts. Throws StageFailure for errors that it can explain, and rejects with the signal's reason once the
 * signal is aborted.
 */
export interface Auditor {
  /** The name in the contract. */
  readonly name: string;
  audit(request: AuditRequest, context: AuditContext): Promise<AuditOutcome>;
}

/** Numbers the decisions c1, c2, … and adds an observation for each. */
export const outcomeOf = (
  drafts: readonly Draft[],
  totals: Omit<AuditOutcome, 'corrections' | 'observations'>,
): AuditOutcome => ({
  ...totals,
  corrections: drafts.map(({ correction }, at) => ({ id: `c${at + 1}`, ...correction })),
  observations: drafts.map((draft, at) => observe(draft, `c${at + 1}`)),
});
