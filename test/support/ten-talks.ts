/**
 * Talks of one workspace about invented names, and a reviewer who knows the spoken words: accepts, rejects and retypes
 * corrections, and saves the review with the ETag of the previous one.
 */
import { randomOf } from '../../bench/learning/year-speech.ts';
import type { TranscriptWord } from '../../server/contract/results.ts';
import type { Any, Client } from './servers/client.ts';

/** An invented term, and the ways a recogniser writes it. */
export interface MadeUpTerm {
  canonical: string;
  mishears: string[];
}

/** A stretch of a talk: the intended text, and the recogniser's. */
export interface Stretch {
  meant: string;
  heard: string;
  isTerm: boolean;
}

const ONSETS = 'b br d dr f g gr k l m n p pr s t tr v z'.split(' ');
const CODAS = ['n', 'l', 'r', 'm', 'x', 'sk'];
const SENTENCES = `on Monday we sat down with … and went through the plan again
most of the questions were about … and how long it would take
you can do the same with … if you have an afternoon for it
without … the whole release would have been late
we gave … a try on the smaller machines first
the people behind … answered every letter we wrote
after lunch somebody showed … to the other half of the room`.split('\n');
const PLAIN = `there was rain in the morning but the room was full by ten.
the older version had worked for years and nobody wanted to touch it.
it costs less than the coffee we drink and it runs at night.
please keep your questions for the end of the hour.`.split('\n');

/** Seconds from the start of one word to the next. */
const PACE = 0.4;

/** Invents names: of one word, of two, or with two capitals. The same seed gives the same names. */
export function madeUpTerms(count: number, seed: number): MadeUpTerm[] {
  const random = randomOf(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const syllable = () => pick(ONSETS) + pick([...'aeiou']);
  const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
  return Array.from({ length: count }, (_, at) => {
    const [first, second] = [syllable() + pick(CODAS), syllable() + syllable() + pick(CODAS)];
    const joint = at % 3 === 0 ? ` ${capital(second)}` : at % 3 === 1 ? capital(second) : second;
    const respelt = second.replace(/k/g, 'c').replace(/z/g, 's').replace(/i/g, 'ee');
    return {
      canonical: capital(first) + joint,
      mishears: [`${first} ${respelt}y`, `${first}${at % 3 === 0 ? ' ' : ''}${second}er`],
    };
  });
}

/** A talk: sentences with a term, mostly misheard, each followed by a plain one. */
export function talkAbout(terms: readonly MadeUpTerm[], seed: number): Stretch[] {
  const random = randomOf(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const said: Stretch[] = [];
  const plain = (text: string) =>
    said.push(
      ...text
        .trim()
        .split(' ')
        .map((word) => ({ meant: word, heard: word, isTerm: false })),
    );
  for (const { canonical, mishears } of terms) {
    const [before = '', after = ''] = pick(SENTENCES).split('…');
    plain(before);
    said.push({
      meant: canonical,
      heard: random() < 0.2 ? canonical : pick(mishears),
      isTerm: true,
    });
    plain(`${after}.`);
    plain(pick(PLAIN));
  }
  return said;
}

/** The words of a talk as a recogniser returns them. */
export const wordsOf = (said: readonly Stretch[]): TranscriptWord[] =>
  said
    .flatMap(({ heard }) => heard.split(' '))
    .map((text, at) => ({
      text,
      start: at * PACE,
      end: (at + 0.8) * PACE,
      confidence: 0.97,
      speaker: '0',
    }));

/** The reviewer's work, and the review. */
export interface Put {
  /** Corrections accepted, rejected or retyped. */
  corrections: number;
  /** Wrong changes by the service, as `before → after`. */
  wrong: string[];
  review: { cues: Any[]; corrections: { id: string; decision: string }[] };
}

const bare = (text: string): string => text.replace(/[.,]/g, '');

/**
 * Reviews a run.
 * @param slips words that the reviewer types by mistake, by the words they replace
 */
export function putRight(
  said: readonly Stretch[],
  result: Any,
  slips: Record<string, string> = {},
): Put {
  const spans: { stretch: Stretch; from: number; to: number }[] = [];
  let at = 0;
  for (const stretch of said) {
    const from = at * PACE;
    at += stretch.heard.split(' ').length;
    spans.push({ stretch, from, to: at * PACE });
  }
  const within = (start: number, end: number) =>
    spans.filter(({ from, to }) => from < end - 0.01 && to > start + 0.1);
  const put: Put = { corrections: 0, wrong: [], review: { cues: [], corrections: [] } };
  for (const { id, start, end, before, after, decision } of result.audit.corrections ?? []) {
    const meant = within(start, end)
      .map(({ stretch }) => stretch.meant)
      .join(' ');
    const isRight = bare(after) === bare(meant);
    if (decision === 'rejected' || (decision === 'accepted' && isRight)) continue;
    if (decision === 'accepted') put.wrong.push(`${before} → ${after}`);
    // Wrong suggestions that were only shown need no rejection.
    if (decision === 'accepted' || isRight) put.corrections += 1;
    put.review.corrections.push({ id, decision: isRight ? 'accepted' : 'rejected' });
  }
  const accepted = new Set(
    put.review.corrections.filter(({ decision }) => decision === 'accepted').map(({ id }) => id),
  );
  const taken = (result.audit.corrections ?? []).filter((one: Any) => accepted.has(one.id));
  // Captions contain the words of the transcript, in order.
  const words = result.transcript.words.flatMap(({ text, start }: Any) =>
    text.split(' ').map(() => start),
  );
  let next = 0;
  let last: unknown = null;
  for (const { start, end, lines } of result.captions.cues) {
    const changed = lines.map((line: string) =>
      line
        .split(' ')
        .flatMap((token) => {
          const time = words[next] as number;
          next += 1;
          const span = within(time, time + 0.3)[0];
          if (!span) throw new Error(`nothing was said at ${time}`);
          const { stretch } = span;
          const stands = textWithin(result, span.from, span.to);
          const typed =
            slips[bare(token)] ?? (stands === bare(stretch.meant) ? null : stretch.meant);
          if (typed === null) return token;
          if (last === span) return [];
          last = span;
          const isTaken = taken.some((one: Any) => one.start < span.to && one.end > span.from);
          if (!isTaken) put.corrections += 1;
          return token.endsWith('.') && !typed.endsWith('.') ? `${typed}.` : typed;
        })
        .join(' '),
    );
    put.review.cues.push({ start, end, lines: changed.filter((line: string) => line !== '') });
  }
  return put;
}

const textWithin = (result: Any, from: number, to: number): string =>
  bare(
    result.transcript.words
      .filter(({ start }: Any) => start >= from - 0.01 && start < to - 0.01)
      .map(({ text }: Any) => text)
      .join(' '),
  );

/** Sends JSON with a client's key. */
export const send = (
  { url, key }: Client,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Response> =>
  fetch(`${url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
