/** Proposes whose the voices of a run may be. In doubt there is no proposal. */
import { commonPrint, similarityOf, type SpeakerVoice } from './voiceprints.ts';

/** A voice that somebody has named. */
export interface NamedVoice extends Pick<SpeakerVoice, 'print' | 'seconds'> {
  personId: string;
  name: string;
  model: string;
}

/** A voice of a run, and what is known of it. */
export interface OwnVoice extends SpeakerVoice {
  model: string;
  /** Whose it is, if somebody has named it. */
  personId: string | null;
  /** The people whose it is not. */
  refused: readonly string[];
}

/** Who a speaker may be. */
export interface NameProposal {
  personId: string;
  name: string;
}

/**
 * A name is proposed for voices at least this similar (cosine) to those of the person, which are at least so much less
 * similar to anybody else's. Chosen on three of the readers of bench/speaker-figures.ts, of whom nobody is more similar
 * than .43 to another.
 */
const ALIKE = 0.48;
const APART = 0.12;
/** Shorter speech gets no name, in seconds. */
const LEAST_SECONDS = 2;

/**
 * The proposals for the voices of a run, by speaker. Nobody is proposed twice, nor for a voice that is not theirs.
 * @example
 * const ada = { personId: 'p1', name: 'Ada', model: 'm', print: [1, 0], seconds: 60 };
 * const voice = { speaker: '0', model: 'm', print: [0.9, 0.1], seconds: 20, personId: null, refused: [] };
 * proposeNames([voice], [ada]).get('0')?.name; // => 'Ada'
 */
export function proposeNames(
  own: readonly OwnVoice[],
  known: readonly NamedVoice[],
): Map<string, NameProposal> {
  const named = new Set(own.flatMap(({ personId }) => personId ?? []));
  const people = Map.groupBy(known, ({ personId, model }) => `${personId} ${model}`);
  const prints = [...people.values()].map((voices) => ({
    ...voices[0]!,
    print: commonPrint(voices),
  }));
  const likely = own
    .filter(({ personId, seconds }) => personId === null && seconds >= LEAST_SECONDS)
    .flatMap((voice) => {
      const [best, next] = prints
        .filter(({ model }) => model === voice.model)
        .map((person) => ({ person, alike: similarityOf(voice.print, person.print) }))
        .toSorted((a, b) => b.alike - a.alike);
      const isClear = best && best.alike >= ALIKE && best.alike - (next?.alike ?? -1) >= APART;
      if (!isClear || voice.refused.includes(best.person.personId)) return [];
      return [{ speaker: voice.speaker, ...best }];
    })
    .toSorted((a, b) => b.alike - a.alike);
  const proposals = new Map<string, NameProposal>();
  for (const { speaker, person } of likely) {
    const { personId, name } = person;
    if (named.has(personId)) continue;
    named.add(personId);
    proposals.set(speaker, { personId, name });
  }
  return proposals;
}
