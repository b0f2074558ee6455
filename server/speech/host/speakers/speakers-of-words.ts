/** Assigns the words of a run to the speakers distinguished by voice. */
import type { Transcript, TranscriptWord } from '../../../contract/transcript.ts';
import type { PieceTranscript } from '../../provider.ts';
import { joinVoices, nearestTurn, type SpeakerTurn, type VoiceStretch } from './join-voices.ts';

/**
 * The distance, in seconds, up to which a word belongs to the nearest turn; beyond it, a word has the speaker of the
 * one before.
 */
const NEAR = 2;

const stretchesOf = ({ voices }: PieceTranscript): VoiceStretch[] =>
  (voices as VoiceStretch[] | undefined) ?? [];

/**
 * The pieces of a run with a speaker for each word, that of the turn that overlaps it most. Returns the same pieces if
 * no voices were distinguished.
 */
export function withSpeakers(pieces: PieceTranscript[]): PieceTranscript[] {
  const turns = joinVoices(pieces.flatMap(stretchesOf));
  if (turns.length === 0) return pieces;
  return pieces.map((piece) => {
    const [first, last] = [piece.words[0]?.start ?? 0, piece.words.at(-1)?.end ?? 0];
    // A piece needs only a few turns, and a twelve-hour recording has thousands.
    const near = turns.filter(({ start, end }) => end > first - NEAR && start < last + NEAR);
    return { ...piece, words: speakersOfWords(piece.words, near) };
  });
}

/**
 * Words with the speaker of the turn that overlaps each of them most. A word outside all turns has the speaker of the
 * nearest one or, if none is near, that of the word before it.
 * @param turns in order of time
 */
export function speakersOfWords(
  words: readonly TranscriptWord[],
  turns: readonly SpeakerTurn[],
): TranscriptWord[] {
  let before: string | undefined;
  return words.map((word) => {
    const turn = nearestTurn(turns, word.start, word.end);
    const isNear = turn && turn.start - word.end < NEAR && word.start - turn.end < NEAR;
    before = isNear ? turn.speaker : (before ?? turn?.speaker);
    return before === undefined ? word : { ...word, speaker: before };
  });
}

/**
 * Notes in the metadata of a transcript where speakers could not be distinguished. Returns the same object if there was
 * no failure.
 */
export function withSpeakerNote(
  transcript: Transcript,
  pieces: readonly PieceTranscript[],
): Transcript {
  const stretches = pieces.flatMap(stretchesOf);
  const failed = stretches.filter((stretch) => stretch.failed !== undefined);
  if (failed.length === 0) return transcript;
  const speakersNote = `Speakers could not be distinguished in ${failed.length} of ${stretches.length} stretches: ${failed[0]?.failed}`;
  return { ...transcript, metadata: { ...transcript.metadata, speakersNote } };
}
