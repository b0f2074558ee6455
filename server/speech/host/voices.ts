/**
 * Joins the voices from separate stretches of a recording into speakers: voices with similar voiceprints are one
 * person.
 */
import { uncounted } from '../../base/compute.ts';
import { wholeMilliseconds, type Transcript, type TranscriptWord } from '../../contract/results.ts';
import { redactPaths } from '../../base/log.ts';
import { decodeRange } from '../../mp3/decode.ts';
import type { PieceTranscript } from '../provider.ts';
import type { SpeechSegment, VoiceTurn, DetectedVoices } from './engine-messages.ts';
import type { RecogniseRequest } from './recognise.ts';
import { groupVoices, type Voiceprint } from '../voices/group-voices.ts';
import { joinedStretches } from '../voices/joined-stretches.ts';
import { speakersApart, speechAtOnce } from '../voices/speech-at-once.ts';
import { commonPrint, similarityOf, type SpeakerVoice } from '../../voices/voiceprints.ts';

/** The voices of a stretch of a recording. Times in seconds of the recording; plain JSON. */
interface VoiceStretch extends SpeechSegment {
  turns: VoiceTurn[];
  /** A print of each voice, by its number: a vector of length 1; null if it spoke too briefly. */
  prints: (number[] | null)[];
  /** The reason why voices could not be distinguished here. */
  failed?: string;
}

/** A stretch in which one speaker speaks. Speakers are named `0`, `1` … in the order in which they first speak. */
interface SpeakerTurn extends SpeechSegment {
  speaker: string;
}

/**
 * How voices are joined, fitted on talks of one to six readers, clean, by telephone, in noise and far from the
 * microphone (bench/speaker-figures.ts): voices at least this similar (cosine) are one speaker.
 */
const ALIKE = 0.54;
/** If the number of speakers is given, only voices that are surely one are joined before the most similar of the rest. */
const SURE = 0.6;
/**
 * The least speech of a speaker, as shares of all speech and in seconds: three seconds, but less in a short recording
 * and more in a long one. Voices with less are assigned to the speaker with the most similar print.
 */
const leastSpeech = (spoken: number): number =>
  Math.max(Math.min(Math.max(0.5, spoken * 0.1), 3), Math.min(spoken * 0.02, 6));
/** The most speakers that are distinguished. */
const MAX_SPEAKERS = 40;

interface Voice extends Voiceprint {
  stretch: number;
  voice: number;
}

/** The speakers of a recording: their turns in order of time, and their voices, without those who have no print. */
interface JoinedVoices {
  turns: (SpeakerTurn & { isClear: boolean })[];
  voices: SpeakerVoice[];
}

/** A voice is clearly that of its speaker if it is so much more similar to theirs (cosine) than to anybody else's. */
const CLEAR = 0.2;
/** The most doubtful turns that are listed. */
const MOST_DOUBTFUL = 200;
/** A pause between two pieces of one turn, in seconds. */
const PAUSE = 0.2;
/** The most stretches in which several speak that are listed. */
const MOST_AT_ONCE = 500;

/**
 * Joins the voices of all stretches into speakers. A voice without a print belongs to the speaker of the nearest turn.
 * @param count the number of speakers, if it is known
 */
function joinedVoices(stretches: readonly VoiceStretch[], count?: number): JoinedVoices {
  const voices = stretches.flatMap(voicesOf);
  const spoken = voices.reduce((sum, { seconds }) => sum + seconds, 0);
  const groups = groupVoices(voices, {
    alike: count === undefined ? ALIKE : SURE,
    least: leastSpeech(spoken),
    most: count ?? MAX_SPEAKERS,
  });
  const found = new Map(
    voices.map(({ stretch, voice }, at) => [`${stretch} ${voice}`, groups[at]]),
  );
  const turns = stretches
    .flatMap(({ turns: each }, stretch) =>
      each.map(({ start, end, voice }) => ({
        start,
        end,
        voice: `${stretch} ${voice}`,
        group: found.get(`${stretch} ${voice}`),
      })),
    )
    .toSorted((a, b) => a.start - b.start || a.end - b.end);
  // Without any prints, it is known when somebody spoke, but not who.
  if (!turns.some(({ group }) => group !== undefined)) {
    const unknown = turns.map(({ start, end }) => ({ start, end, speaker: '0', isClear: false }));
    return { turns: unknown, voices: [] };
  }
  const voicesOfSpeaker = (group: number) => voices.filter((_, at) => groups[at] === group);
  const prints = new Map(
    [...new Set(groups)].map((group) => [group, commonPrint(voicesOfSpeaker(group))]),
  );
  /** How similar each voice is to each speaker. */
  const similarities = new Map(
    voices.map(({ stretch, voice, print }) => [
      `${stretch} ${voice}`,
      new Map([...prints].map(([group, common]) => [group, similarityOf(print, common)])),
    ]),
  );
  const isClearly = (voice: string, speaker: number): boolean => {
    const alike = similarities.get(voice);
    const own = alike?.get(speaker);
    if (!alike || own === undefined) return false;
    return [...alike].every(([group, other]) => group === speaker || own - other >= CLEAR);
  };
  const names = new Map<number, string>();
  const speakers = speakersApart(
    turns,
    ({ voice }, group) => similarities.get(voice)?.get(group) ?? 0,
    [...prints.keys()],
  );
  const named = turns.map(({ start, end, voice }, at) => {
    const own = speakers[at] ?? 0;
    if (!names.has(own)) names.set(own, String(names.size));
    return { start, end, speaker: names.get(own) ?? '0', isClear: isClearly(voice, own) };
  });
  return {
    turns: named,
    voices: [...names].map(([group, speaker]) => ({
      speaker,
      print: unitPrint(prints.get(group)!),
      seconds: voicesOfSpeaker(group).reduce((sum, { seconds }) => sum + seconds, 0),
    })),
  };
}

/** The turns of all stretches, each with its speaker. */
export const joinVoices = (stretches: readonly VoiceStretch[], count?: number): SpeakerTurn[] =>
  joinedVoices(stretches, count).turns.map(({ start, end, speaker }) => ({ start, end, speaker }));

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

/** Words so far from all turns, in seconds, are in none; together they are a turn if they take as long as the second. */
const [OUTSIDE, LEAST_OUTSIDE] = [0.2, 1];

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

/** A print of length 1, in four digits. */
function unitPrint(print: readonly number[]): number[] {
  const length = Math.hypot(...print) || 1;
  return print.map((value) => Math.round((value / length) * 10_000) / 10_000);
}

function voicesOf({ turns, prints }: VoiceStretch, stretch: number): Voice[] {
  const seconds = prints.map(() => 0);
  for (const { voice, start, end } of turns) seconds[voice] = (seconds[voice] ?? 0) + end - start;
  return prints.flatMap((print, voice) =>
    print && seconds[voice]! > 0 ? [{ stretch, voice, print, seconds: seconds[voice]! }] : [],
  );
}

// Finds the voices in a part of a recording, a few minutes at a time, because sherpa-onnx takes all samples at once,
// which are 230 MB for an hour.

/** The longest stretch, in seconds: 19 MB of samples. */
const LONGEST_STRETCH = 300;

/**
 * Finds the voices in the range of a request, in stretches of equal length. A stretch in which this fails has no voices
 * but a reason, because a transcript without speakers is better than none.
 * @param tell distinguishes the voices in 16 kHz mono samples, in another process
 */
export async function findVoices(
  tell: (samples: Float32Array, signal: AbortSignal) => Promise<DetectedVoices>,
  request: Pick<RecogniseRequest, 'audio' | 'index' | 'range' | 'signal' | 'compute'>,
): Promise<VoiceStretch[]> {
  const { audio, index, range, signal, compute = uncounted } = request;
  const count = Math.max(1, Math.ceil((range.end - range.start) / LONGEST_STRETCH));
  const length = (range.end - range.start) / count;
  const stretches: VoiceStretch[] = [];
  for (let at = 0; at < count; at += 1) {
    const start = range.start + at * length;
    const stretch = { start, end: at === count - 1 ? range.end : start + length };
    const samples = await compute(() => decodeRange(audio, index, stretch, signal));
    try {
      const { turns, prints } = await tell(samples, signal);
      const shifted = turns.map((turn) => ({
        ...turn,
        start: wholeMilliseconds(start + turn.start),
        end: wholeMilliseconds(start + turn.end),
      }));
      stretches.push({ ...stretch, turns: shifted, prints });
    } catch (error) {
      signal.throwIfAborted();
      const reason = error instanceof Error ? redactPaths(error.message) : 'unknown';
      stretches.push({ ...stretch, turns: [], prints: [], failed: reason });
    }
  }
  return stretches;
}

// Assigns the words of a run to the speakers distinguished by voice.

/**
 * A word at most so many seconds from the nearest turn belongs to it; beyond that, a word has the speaker of the
 * one before.
 */
const NEAR = 2;

const stretchesOf = ({ voices }: PieceTranscript): VoiceStretch[] =>
  (voices as VoiceStretch[] | undefined) ?? [];

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
 * The voices of the speakers of a run. An only voice, which has no label, is ''.
 * @param count the number of speakers, if it is known
 */
export function voicesOfSpeakers(
  pieces: readonly PieceTranscript[],
  count?: number,
): SpeakerVoice[] {
  const { voices, turns } = joinedVoices(pieces.flatMap(stretchesOf), count);
  const isOne = new Set(turns.map(({ speaker }) => speaker)).size < 2;
  return isOne ? voices.map((voice) => ({ ...voice, speaker: '' })) : voices;
}

/**
 * The voices of the channels of a recording with a speaker in each.
 * @param pieces with the voices that each channel has in them
 */
export function voicesOfChannels(pieces: readonly PieceTranscript[]): SpeakerVoice[] {
  const heard = pieces.flatMap(
    ({ channelVoices }) => (channelVoices as SpeakerVoice[] | undefined) ?? [],
  );
  const speakers = new Set(heard.map(({ speaker }) => speaker));
  return [...speakers].map((speaker) => {
    const voices = heard.filter((voice) => voice.speaker === speaker);
    return {
      speaker,
      print: unitPrint(commonPrint(voices)),
      seconds: voices.reduce((sum, { seconds }) => sum + seconds, 0),
    };
  });
}

/** The voice that speaks longest in a clip, others being heard from afar; null if nobody is heard in it. */
export function mainVoiceOfClip({
  turns,
  prints,
}: DetectedVoices): Omit<SpeakerVoice, 'speaker'> | null {
  const heard = voicesOf({ start: 0, end: 0, turns, prints }, 0);
  const [main] = heard.toSorted((a, b) => b.seconds - a.seconds);
  return main ? { print: main.print, seconds: main.seconds } : null;
}

/** The voice of everything that is said in a clip; null if nobody is heard in it. */
export function voiceOfClip({
  turns,
  prints,
}: DetectedVoices): Omit<SpeakerVoice, 'speaker'> | null {
  const heard = voicesOf({ start: 0, end: 0, turns, prints }, 0);
  if (heard.length === 0) return null;
  return {
    print: unitPrint(commonPrint(heard)),
    seconds: heard.reduce((sum, { seconds }) => sum + seconds, 0),
  };
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
