/**
 * Joins the voices from separate stretches of a recording into speakers: voices with similar voiceprints are one
 * person.
 */
import type { PieceTranscript } from '../provider.ts';
import type { SpeechSegment, VoiceTurn, DetectedVoices } from './engine-messages.ts';
import { groupVoices, type Voiceprint } from '../voices/group-voices.ts';
import { speakersApart } from '../voices/speech-at-once.ts';
import { commonPrint, similarityOf, type SpeakerVoice } from '../../voices/voiceprints.ts';

/** The voices of a stretch of a recording. Times in seconds of the recording; plain JSON. */
export interface VoiceStretch extends SpeechSegment {
  turns: VoiceTurn[];
  /** A print of each voice, by its number: a vector of length 1; null if it spoke too briefly. */
  prints: (number[] | null)[];
  /** The reason why voices could not be distinguished here. */
  failed?: string;
}

/** A stretch in which one speaker speaks. Speakers are named `0`, `1` … in the order in which they first speak. */
export interface SpeakerTurn extends SpeechSegment {
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
/**
 * Joins the voices of all stretches into speakers. A voice without a print belongs to the speaker of the nearest turn.
 * @param count the number of speakers, if it is known
 */
export function joinedVoices(stretches: readonly VoiceStretch[], count?: number): JoinedVoices {
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

/** The stretches in which the voices of pieces were found. */
export const stretchesOf = ({ voices }: PieceTranscript): VoiceStretch[] =>
  (voices as VoiceStretch[] | undefined) ?? [];

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
