/**
 * The interface of transcription providers. The registry (registry.ts) lists them all, and pipeline/transcribe.ts runs
 * one. A long recording is planned in pieces, each of which is transcribed separately (a durable step with its own
 * retries), and then merged. A remote service that accepts a whole file plans a single piece.
 */
import type { Stretch } from '../contract/unheard.ts';
import type { Compute } from '../base/compute.ts';
import type { Transcript, TranscriptWord } from '../contract/results.ts';
import type { AudioSource } from '../mp3/frames.ts';
import type { KnownSpeaker } from '../voices/known-speakers.ts';
import type { RunVoices } from '../voices/voiceprints.ts';
import type { KeytermLimit } from '../terminology/packs/keyterms.ts';

/** The request to a provider, the same for every piece of a run. */
export interface TranscriptionRequest {
  /** BCP 47, as in the payload. */
  language: string;
  /** `transcription.model`, if given. */
  model?: string;
  /** The key terms, the best first. */
  keyterms: string[];
  /** The pronunciations that packs list ("pixie" for PKCE). */
  pronunciations?: Readonly<Record<string, string>>;
  /** The words that often occur near some of them, as packs list them. */
  near?: Readonly<Record<string, readonly string[]>>;
  /** The number of speakers, if it is known. */
  speakers?: number;
  /** Whether the voices of speakers are kept who are not distinguished by voice. */
  keepsVoices?: boolean;
  /** The approximate number of MP3 bytes per piece. */
  chunkBytes: number;
  includeRawResponse: boolean;
}

/** A part of a recording. Plain JSON, since a plan is the output of a durable step. */
export interface Piece {
  index: number;
  /** In seconds from the start of the recording. */
  start: number;
  end: number;
  /** Any other details with which the provider finds the piece again. */
  [detail: string]: unknown;
}

/** The plan for transcribing a recording. Plain JSON. */
export interface TranscriptionPlan {
  /** The length of the recording in seconds. */
  duration: number;
  pieces: Piece[];
  /** The entry in metadata.models.transcription: at least provider and model. */
  engine: { provider: string; model: string; [detail: string]: unknown };
  /** The place where `planMore` continues; absent if the plan is complete. Plain JSON. */
  next?: unknown;
}

/** A further portion of a plan. Plain JSON. */
type PlanPortion = Pick<TranscriptionPlan, 'pieces' | 'next'>;

/** The transcript of a piece, with times from the start of the recording. Plain JSON. */
export interface PieceTranscript {
  words: TranscriptWord[];
  /** The indexes of the words that begin an utterance or a paragraph, if the provider reports them. */
  utterances?: number[] | undefined;
  paragraphs?: number[] | undefined;
  /** The length of the recording in seconds, if the provider reports it. */
  duration?: number | undefined;
  /** Where people speak, with or without words, in seconds of the recording; absent if the provider does not know. */
  speech?: Stretch[] | undefined;
  /** Whether these were found by a model of voices, instead of by loudness. */
  speechIsVoice?: boolean | undefined;
  /** The provider's own metadata. */
  metadata?: Record<string, unknown> | undefined;
  /** The provider's raw payload, only with `includeRawResponse`. */
  raw?: unknown;
  [detail: string]: unknown;
}

export interface PieceContext {
  /** Aborted when the run is cancelled or the process stops. */
  signal: AbortSignal;
  /** Called as the piece progresses, 0..1; while a model is downloaded for a plan, with its size in bytes. */
  progress(fraction: number, loadingBytes?: number): void;
  /**
   * Called with words of the piece as soon as they are final, in order of time. They are only a preview: the transcript
   * of the piece is what counts.
   */
  heard?(words: TranscriptWord[]): void;
  /** Runs the computations of this process; if absent, they are not counted. */
  compute?: Compute;
}

/**
 * A transcription provider. Every method throws StageFailure for errors that it can explain, and rejects promptly with
 * the signal's reason once the signal is aborted.
 */
export interface SpeechProvider {
  /** The name in the contract. */
  readonly name: string;
  /** The key term limits of a model (default: none). */
  keytermLimit?(model: string | undefined): KeytermLimit;
  /** Whether it can transcribe a language (BCP 47), as far as known in advance (default: yes). */
  speaks?(language: string): boolean;
  /** The number of pieces of one run in progress at once (default: 2). */
  readonly piecesAtOnce?: number;
  plan(
    audio: AudioSource,
    request: TranscriptionRequest,
    context: PieceContext,
  ): Promise<TranscriptionPlan>;
  /**
   * Continues a plan that has a `next`. A provider that takes long to plan returns its first pieces early, so that the
   * first words of a long recording appear soon.
   */
  planMore?(
    audio: AudioSource,
    plan: TranscriptionPlan,
    request: TranscriptionRequest,
    context: PieceContext,
  ): Promise<PlanPortion>;
  transcribe(
    audio: AudioSource,
    piece: Piece,
    request: TranscriptionRequest,
    context: PieceContext,
  ): Promise<PieceTranscript>;
  /** Joins the pieces, in order, into one transcript without losing or repeating words at the seams. */
  merge(
    plan: TranscriptionPlan,
    pieces: PieceTranscript[],
    request: TranscriptionRequest,
  ): Transcript;
  /**
   * The voices of the speakers whom the merged transcript distinguishes; null if they are not known.
   * @param pieces those that were merged
   */
  voices?(
    plan: TranscriptionPlan,
    pieces: PieceTranscript[],
    request: TranscriptionRequest,
  ): RunVoices | null;
  /**
   * The speakers whose voices are known: the names of some of those whom the merged transcript distinguishes by voice,
   * or of its only voice under ''. In doubt a speaker has no name.
   */
  nameSpeakers?(
    plan: TranscriptionPlan,
    pieces: PieceTranscript[],
    asked: { known: readonly KnownSpeaker[]; request: TranscriptionRequest },
    context: Pick<PieceContext, 'signal' | 'compute'>,
  ): Promise<Record<string, string>>;
  /**
   * Finds where people speak in a whole recording, in seconds; null if that is not possible now. Whichever provider
   * transcribes, this tells what it left out.
   */
  findSpeech?(
    audio: AudioSource,
    context: Pick<PieceContext, 'signal' | 'compute'>,
  ): Promise<Stretch[] | null>;
  /** Stops everything that is still running, such as child processes. */
  close?(): void;
}
