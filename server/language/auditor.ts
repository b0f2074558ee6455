/**
 * What an auditor is: it reads a transcript against the terms of a run and says what should read
 * otherwise. The registry (registry.ts) lists them all; applying what it says is terminology/correct.ts.
 */
import type { Compute } from '../compute.ts';
import type { TermCorrection, TermObservation } from '../contract/terminology.ts';
import type { TranscriptWord } from '../contract/transcript.ts';
import type { ActiveTerm } from '../terminology/compile.ts';

export interface AuditRequest {
  words: readonly TranscriptWord[];
  /** BCP 47. */
  language: string;
  /** The terms of the run, in rank order. */
  terms: readonly ActiveTerm[];
  /** Least confidence at which an edit is made, 0..1. */
  minConfidence: number;
  /** A model of the auditor's; absent: its default. */
  model?: string;
}

export interface AuditContext {
  /** Aborted when the run is cancelled or the process stops. */
  signal: AbortSignal;
  /** Called as the audit moves on, 0..1. */
  progress(fraction: number): void;
  /** Does what this process computes; absent: nobody counts it. */
  compute?: Compute;
}

/** What asking a language model took; all zero where none was asked. */
export interface AuditUsage {
  calls: number;
  tokens: number;
  /** Answers that were known already. */
  cached: number;
}

/** Plain JSON: the output of a durable step. */
export interface AuditOutcome {
  provider: string;
  model: string;
  /** Every decision, in order of place, with the ids c1, c2, … */
  corrections: TermCorrection[];
  /** One for each correction, pointing to it. */
  observations: TermObservation[];
  usage: AuditUsage;
  /** What a reader of the result should know of this audit. */
  note?: string;
}

/**
 * Audits transcripts. Throws StageFailure for what it knows how to explain, and rejects with the
 * signal's reason once the signal is aborted.
 */
export interface Auditor {
  /** Name on the wire. */
  readonly name: string;
  audit(request: AuditRequest, context: AuditContext): Promise<AuditOutcome>;
}
