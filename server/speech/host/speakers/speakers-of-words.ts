/** Gives the words of a run the speakers that were told apart by voice. Pure. */
import type { Transcript, TranscriptWord } from '../../../contract/transcript.ts';
import type { PieceTranscript } from '../../provider.ts';
import { joinVoices, nearestTurn, type SpeakerTurn, type VoiceStretch } from './join-voices.ts';

/** How far from a word a turn may be for the word to belong to it, in seconds; beyond, it is as the word before. */
const NEAR = 2;

const stretchesOf = ({ voices }: PieceTranscript): VoiceStretch[] =>
  (voices as VoiceStretch[] | undefined) ?? [];

/**
 * The pieces of a run with a speaker for each word: that of the turn with most of the word. The same pieces where no
 * voices were told apart.
 */
export function withSpeakers(pieces: PieceTranscript[]): PieceTranscript[] {
  const turns = joinVoices(pieces.flatMap(stretchesOf));
  if (turns.length === 0) return pieces;
  return pieces.map((piece) => {
    const [first, last] = [piece.words[0]?.start ?? 0, piece.words.at(-1)?.end ?? 0];
    // A twelve-hour recording has thousands of turns, of which a piece needs a few.
    const near = turns.filter(({ start, end }) => end > first - NEAR && start < last + NEAR);
    return { ...piece, words: speakersOfWords(piece.words, near) };
  });
}

/**
 * Words with the speaker of the turn that has most of each. A word beside all turns has the speaker of the nearest
 * one, or if none is near that of the word before it.
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

/** Says in the metadata of a transcript where no speakers could be told apart. The same object if there was no failure. */
export function withSpeakerNote(
  transcript: Transcript,
  pieces: readonly PieceTranscript[],
): Transcript {
  const stretches = pieces.flatMap(stretchesOf);
  const failed = stretches.filter((stretch) => stretch.failed !== undefined);
  if (failed.length === 0) return transcript;
  const speakersNote = `Speakers could not be told apart in ${failed.length} of ${stretches.length} stretches: ${failed[0]?.failed}`;
  return { ...transcript, metadata: { ...transcript.metadata, speakersNote } };
}
