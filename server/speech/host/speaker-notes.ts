/** Notes in the metadata of a transcript how sure its speakers are, and where they could not be distinguished. */
import type { Transcript, TranscriptWord } from '../../contract/results.ts';
import type { PieceTranscript } from '../provider.ts';
import { joinedStretches } from '../voices/joined-stretches.ts';
import { speechAtOnce } from '../voices/speech-at-once.ts';
import type { SpeechSegment } from './engine-messages.ts';
import { joinedVoices, type SpeakerTurn, stretchesOf } from './voices.ts';

/** The most doubtful turns that are listed. */
const MOST_DOUBTFUL = 200;
/** A pause between two pieces of one turn, in seconds. */
const PAUSE = 0.2;
/** The most stretches in which several speak that are listed. */
const MOST_AT_ONCE = 500;

/**
 * Notes in the metadata of a transcript how sure its speakers are: the share of what each says in a voice that is clearly
 * theirs, the turns in another or in none that was heard, and where several speak at once. Returns the same object if there
 * are not two speakers.
 */
export function withSpeakerConfidence(
  transcript: Transcript,
  pieces: readonly PieceTranscript[],
  count?: number,
): Transcript {
  const { turns } = joinedVoices(pieces.flatMap(stretchesOf), count);
  const seconds = new Map<string, { all: number; clear: number }>();
  for (const { speaker, start, end, isClear } of turns) {
    const own = seconds.get(speaker) ?? { all: 0, clear: 0 };
    own.all += end - start;
    own.clear += isClear ? end - start : 0;
    seconds.set(speaker, own);
  }
  if (seconds.size < 2) return transcript;
  const speakerConfidence = Object.fromEntries(
    [...seconds].map(([speaker, { all, clear }]) => [
      speaker,
      all > 0 ? Math.round((100 * clear) / all) / 100 : 0,
    ]),
  );
  const unclear = turns.filter(({ isClear }) => !isClear);
  const doubtful = [...unclear, ...saidOutside(turns, transcript.words)];
  const inOrder = doubtful.toSorted((a, b) => a.start - b.start);
  const doubtfulTurns = joinedStretches(inOrder, PAUSE).slice(0, MOST_DOUBTFUL);
  const found = {
    speakerConfidence,
    doubtfulTurns,
    speechAtOnce: speechAtOnce(turns).slice(0, MOST_AT_ONCE),
  };
  return { ...transcript, metadata: { ...transcript.metadata, ...found } };
}

/** A word so far from all turns, in seconds, is in none. */
const OUTSIDE = 0.2;
/** Words in no turn are one of their own if they take so long, and those within it follow each other. In seconds. */
const LEAST_OUTSIDE = 1;

/**
 * Where words were recognised but no voice was heard, as of somebody who is much quieter than the others. They have the
 * speaker of the nearest turn, which may be somebody else.
 * @param turns in order of their starts
 */
function saidOutside(
  turns: readonly SpeakerTurn[],
  words: readonly TranscriptWord[],
): SpeechSegment[] {
  const heard = joinedStretches(turns, 2 * OUTSIDE);
  let next = 0;
  const outside = words.filter(({ start, end }) => {
    const middle = (start + end) / 2;
    while (next < heard.length && heard[next]!.end + OUTSIDE < middle) next += 1;
    return next === heard.length || middle < heard[next]!.start - OUTSIDE;
  });
  return joinedStretches(outside, LEAST_OUTSIDE).filter(
    ({ start, end }) => end - start >= LEAST_OUTSIDE,
  );
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
