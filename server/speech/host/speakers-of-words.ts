/** Gives the words of a run the speakers that were distinguished by voice. */
import type { TranscriptWord } from '../../contract/results.ts';
import type { PieceTranscript } from '../provider.ts';
import type { SpeechSegment } from './engine-messages.ts';
import { joinVoices, type SpeakerTurn, stretchesOf } from './voices.ts';

/**
 * A word at most so many seconds from the nearest turn belongs to it; beyond that, a word has the speaker of the
 * one before.
 */
const NEAR = 2;

/**
 * The pieces of a run with a speaker for each word, that of the turn that overlaps it most. Returns the same pieces if
 * there are not two voices.
 * @param count the number of speakers, if it is known
 */
export function withSpeakers(pieces: PieceTranscript[], count?: number): PieceTranscript[] {
  const turns = joinVoices(pieces.flatMap(stretchesOf), count);
  // One voice stays without labels.
  if (new Set(turns.map(({ speaker }) => speaker)).size < 2) return pieces;
  return pieces.map((piece) => {
    const [first, last] = [piece.words[0]?.start ?? 0, piece.words.at(-1)?.end ?? 0];
    // A piece needs only a few turns, and a twelve-hour recording has thousands.
    const near = turns.filter(({ start, end }) => end > first - NEAR && start < last + NEAR);
    return { ...piece, words: speakersOfWords(piece.words, near) };
  });
}

/**
 * Words with the speaker of the turn that overlaps each of them most; where two speak at once, of whoever spoke before. A
 * word outside all turns has the speaker of the nearest one or, if none is near, that of the word before it.
 * @param turns in order of time
 */
export function speakersOfWords(
  words: readonly TranscriptWord[],
  turns: readonly SpeakerTurn[],
): TranscriptWord[] {
  let before: string | undefined;
  return words.map((word) => {
    const turn = nearestTurn(turns, word, before);
    const isNear = turn && turn.start - word.end < NEAR && word.start - turn.end < NEAR;
    before = isNear ? turn.speaker : (before ?? turn?.speaker);
    return before === undefined ? word : { ...word, speaker: before };
  });
}

/** The turn that overlaps a word most or, if none does, is nearest to it; of two such, that of a speaker. */
function nearestTurn(
  turns: readonly SpeakerTurn[],
  { start, end }: SpeechSegment,
  speaker: string | undefined,
): SpeakerTurn | undefined {
  let best: { turn: SpeakerTurn; overlap: number } | undefined;
  for (const turn of turns) {
    // If negative, this is the distance.
    const overlap = Math.min(end, turn.end) - Math.max(start, turn.start);
    const isAsNear = overlap === best?.overlap && turn.speaker === speaker;
    if (!best || overlap > best.overlap || isAsNear) best = { turn, overlap };
  }
  return best?.turn;
}
