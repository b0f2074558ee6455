/** The terms panel: corrections grouped by kind, each in its sentence, to accept or reject. */
import { useMemo } from 'preact/hooks';
import type { TermCorrection } from '../../../server/contract/terminology.ts';
import { Icon } from '../../components/icon.tsx';
import { position } from '../../texts/format.ts';
import type { Desk } from '../desk/desk.ts';
import { decideTerms } from '../desk/decide-here.ts';
import { sameKind, type Correction, nearestPlace, wordings } from '../model/corrections.ts';
import type { Decision } from '../model/history.ts';
import { decisionOn } from '../editing/review.ts';
import { panels as panelsText } from '../../texts/desk-parts.ts';
import { joinWords } from '../../../server/captions/width.ts';
import { type ReviewCue, textOf } from '../model/cue.ts';

/** The list; kinds with something to review come first. */
export function TermsPanel({ desk }: { desk: Desk }) {
  const { review } = desk;
  const { corrections } = review;
  // The list may be long, so it is rendered again only when a decision changes.
  const decisions = review.decisions.value;
  // The order is fixed at the start, so that a decision does not move items under the pointer.
  const kinds = useMemo(() => kindsOf(corrections), [corrections]);
  const listed = useMemo(
    () => kinds.map((kind) => <Kind key={kind[0]?.id} kind={kind} desk={desk} />),
    [kinds, decisions],
  );
  if (corrections.length === 0) return <p>{panelsText.termsNone}</p>;
  return (
    <>
      <p class="hint">{panelsText.termsHint}</p>
      <ul class="terms">{listed}</ul>
    </>
  );
}

/** Groups corrections with the same words before and after; groups to review come first. */
function kindsOf(corrections: readonly TermCorrection[]): (readonly TermCorrection[])[] {
  const seen = new Set<TermCorrection>();
  const kinds = corrections.flatMap((correction) => {
    if (seen.has(correction)) return [];
    const kind = sameKind(corrections, correction);
    for (const each of kind) seen.add(each);
    return [kind];
  });
  const isOpen = (kind: readonly TermCorrection[]) =>
    kind.some(({ decision }) => decision === 'needs_review');
  return [...kinds.filter(isOpen), ...kinds.filter((kind) => !isOpen(kind))];
}

interface KindProps {
  desk: Desk;
  kind: readonly TermCorrection[];
}

/**
 * The recognised and the corrected words, with all their places. Only listed places can be decided
 * at once.
 */
function Kind({ kind, desk }: KindProps) {
  const { review } = desk;
  const [first] = kind;
  if (!first) return null;
  const { before, after, reason } = first;
  return (
    <li class="term-kind">
      <p class="term-words">
        <del>{before}</del> → <ins>{after}</ins>
        <span class="hint"> {panelsText.termTimes(kind.length)}</span>
      </p>
      <p class="hint">{reason}</p>
      <ul>
        {kind.map((correction) => (
          <Place key={correction.id} correction={correction} desk={desk} />
        ))}
      </ul>
      {kind.length > 1 && (
        <p class="term-all">
          <button type="button" class="plain" onClick={() => decideTerms(review, kind, 'accepted')}>
            {panelsText.acceptAll(kind.length)}
          </button>
          <button type="button" class="plain" onClick={() => decideTerms(review, kind, 'rejected')}>
            {panelsText.rejectAll(kind.length)}
          </button>
        </p>
      )}
    </li>
  );
}

interface PlaceProps {
  desk: Desk;
  correction: TermCorrection;
}

/** One place: its sentence, the decision and the buttons. */
function Place({ correction, desk }: PlaceProps) {
  const { review, playback, navigation } = desk;
  const { id, before, after, confidence, start } = correction;
  const decision: Decision = decisionOn(review.decisions.peek(), id);
  const sentence = sentenceOf(review.cues.peek(), correction, decision, review.language);
  const time = position(start);
  return (
    <li class={`term ${decision}`}>
      <button
        type="button"
        class="plain term-sentence"
        lang={review.language}
        title={panelsText.termPlace(time)}
        onClick={() => navigation.toTerm(correction)}
      >
        {sentence ? (
          <>
            {sentence.before}
            <mark>{sentence.words}</mark>
            {sentence.after}
          </>
        ) : (
          panelsText.termPlace(time)
        )}
      </button>
      <span class="term-confidence">{panelsText.confidence(confidence)}</span>
      <span class={`state ${decision}`}>{panelsText.decisions[decision]}</span>
      <span class="term-actions">
        <button
          type="button"
          aria-label={panelsText.playWords(before, time)}
          title={panelsText.playWordsShort}
          onClick={() => playback.playStretch(around(correction))}
        >
          <Icon name="play" />
        </button>
        <button
          type="button"
          aria-label={panelsText.acceptLabel(before, after, time)}
          title={panelsText.accept}
          aria-pressed={decision === 'accepted'}
          onClick={() => decideTerms(review, [correction], 'accepted')}
        >
          <Icon name="check" />
        </button>
        <button
          type="button"
          aria-label={panelsText.rejectLabel(before, after, time)}
          title={panelsText.reject}
          aria-pressed={decision === 'rejected'}
          onClick={() => decideTerms(review, [correction], 'rejected')}
        >
          <Icon name="cross" />
        </button>
      </span>
    </li>
  );
}

/** From a second before the words to half a second after them, enough to hear them in context. */
const around = ({ start, end }: TermCorrection) => ({
  from: start - 1,
  to: end + 0.5,
  loop: false,
});

/** A sentence divided at the words of the correction. */
interface Sentence {
  readonly before: string;
  readonly words: string;
  readonly after: string;
}

/** The number of cues on each side into which a sentence may reach. */
const REACH = 2;

/**
 * The sentence around the words of a correction, as the captions have it; null if the words are no
 * longer there.
 * @param decision the decision made, which determines the words to look for
 * @param language BCP 47
 */
function sentenceOf(
  cues: readonly ReviewCue[],
  correction: Correction,
  decision: Decision,
  language: string,
): Sentence | null {
  const found = decision === 'accepted' ? correction.after : correction.before;
  for (const { found: wording } of wordings(found, '')) {
    const place = nearestPlace(cues, { found: wording, wanted: '' }, correction);
    if (!place) continue;
    const { index, from, to } = place;
    const text = cues
      .slice(index, index + place.cues)
      .map(textOf)
      .join('\n');
    const left = running([...textsOf(cues, index - REACH, index), text.slice(0, from)]);
    const words = running([text.slice(from, to)]);
    const after = index + place.cues;
    const right = running([text.slice(to), ...textsOf(cues, after, after + REACH)]);
    const starts = sentenceStarts(`${left}${words}${right}`, language);
    const first = starts.findLast((start) => start <= left.length)!;
    const last = starts.find((start) => start >= left.length + words.length);
    return {
      before: left.slice(first),
      words,
      after: right
        .slice(0, last === undefined ? undefined : last - left.length - words.length)
        .trimEnd(),
    };
  }
  return null;
}

const textsOf = (cues: readonly ReviewCue[], from: number, to: number): string[] =>
  cues.slice(Math.max(0, from), to).map(textOf);

/** Joins texts into one line; a space at either end is kept. */
function running(texts: readonly string[]): string {
  const lines = texts.flatMap((text) => text.split('\n'));
  const whole = joinWords(lines.map((line) => line.trim()).filter((line) => line !== ''));
  const lead = /^\s/.test(lines[0] ?? '') || (lines[0] === '' && lines.length > 1) ? ' ' : '';
  const tail =
    /\s$/.test(lines.at(-1) ?? '') || (lines.at(-1) === '' && lines.length > 1) ? ' ' : '';
  return whole === '' ? lead || tail : `${lead}${whole}${tail}`;
}

const sentenceStarts = (text: string, language: string): number[] => {
  const locale = supportedLocale(language);
  const segments = new Intl.Segmenter(locale, { granularity: 'sentence' }).segment(text);
  return Array.from(segments, ({ index }) => index);
};

/**
 * The language if sentences can be segmented in it, otherwise English: a result may name any
 * language.
 */
function supportedLocale(language: string): string {
  try {
    return Intl.Segmenter.supportedLocalesOf([language])[0] ?? 'en';
  } catch {
    return 'en';
  }
}
