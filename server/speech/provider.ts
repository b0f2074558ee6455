/**
 * What a transcription provider is. The registry (registry.ts) lists them all; pipeline/transcribe.ts
 * runs one. A long recording is planned into pieces, each transcribed on its own (a durable step,
 * tried again alone), then merged: a remote service that takes a whole file plans one piece.
 */
import type { Compute } from '../compute.ts';
import type { Transcript, TranscriptWord } from '../contract/transcript.ts';
import type { AudioSource } from '../mp3/audio-source.ts';
import type { KeytermLimit } from '../terminology/keyterms.ts';

/** What is asked of a provider; the same for every piece of a run. */
export interface TranscriptionRequest {
  /** BCP 47, as in the payload. */
  language: string;
  /** `transcription.model`, if given. */
  model?: string;
  /** Key terms, best first. */
  keyterms: string[];
  /** About how many bytes of MP3 a piece may have. */
  chunkBytes: number;
  includeRawResponse: boolean;
}

/** A part of a recording: plain JSON, since a plan is the output of a durable step. */
export interface Piece {
  index: number;
  /** Seconds from the start of the recording. */
  start: number;
  end: number;
  /** Whatever else the provider needs to find the piece again. */
  [detail: string]: unknown;
}

/** How a recording will be transcribed: plain JSON. */
export interface TranscriptionPlan {
  /** Length of the recording in seconds. */
  duration: number;
  pieces: Piece[];
  /** What metadata.models.transcription says: provider and model at least. */
  engine: { provider: string; model: string; [detail: string]: unknown };
}

/** What was heard in a piece; times are from the start of the recording. Plain JSON. */
export interface PieceTranscript {
  words: TranscriptWord[];
  /** Indexes of the words that begin an utterance or a paragraph, where the provider tells. */
  utterances?: number[] | undefined;
  paragraphs?: number[] | undefined;
  /** Length of the recording in seconds, where the provider tells. */
  duration?: number | undefined;
  /** What the provider tells of its work. */
  metadata?: Record<string, unknown> | undefined;
  /** The provider's own payload; only with `includeRawResponse`. */
  raw?: unknown;
  [detail: string]: unknown;
}

export interface PieceContext {
  /** Aborted when the run is cancelled or the process stops. */
  signal: AbortSignal;
  /** Called as the piece moves on, 0..1. */
  progress(fraction: number): void;
  /** Does what this process computes; absent: nobody counts it. */
  compute?: Compute;
}

/**
 * A transcription provider. Every method throws StageFailure for what it knows how to explain, and
 * rejects promptly with the signal's reason once the signal is aborted.
 */
export interface SpeechProvider {
  /** Name on the wire. */
  readonly name: string;
  /** What a model of it takes of key terms (default: everything). */
  keytermLimit?(model: string | undefined): KeytermLimit;
  /** Whether it can transcribe a language, BCP 47, as far as that is known beforehand (default: yes). */
  speaks?(language: string): boolean;
  /** Pieces of one run that may be under way at once (default: 2). */
  readonly piecesAtOnce?: number;
  plan(
    audio: AudioSource,
    request: TranscriptionRequest,
    context: PieceContext,
  ): Promise<TranscriptionPlan>;
  transcribe(
    audio: AudioSource,
    piece: Piece,
    request: TranscriptionRequest,
    context: PieceContext,
  ): Promise<PieceTranscript>;
  /** Joins the pieces, in order, into one transcript: no word lost or doubled at a seam. */
  merge(
    plan: TranscriptionPlan,
    pieces: PieceTranscript[],
    request: TranscriptionRequest,
  ): Transcript;
  /** Stops whatever still runs (child processes). */
  close?(): Promise<void>;
}
