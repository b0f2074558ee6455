/** The terms panel: what was heard and the term that may be meant, once with all places, to accept or reject. */
import { useMemo } from 'preact/hooks';
import type { EvidentPack } from '../../../server/contract/terminology.ts';
import { packDecision } from '../../../server/contract/evident-packs.ts';
import type { TermCorrection } from '../../../server/contract/terminology.ts';
import { offersOf, type TermOffer } from '../../../server/terminology/decide/offers.ts';
import { Icon, IconButton } from '../../components/icon.tsx';
import type { Desk } from '../desk/desk.ts';
import { decidePack, decideTerms } from '../desk/decide-here.ts';
import { nearestPlace, wordings } from '../../../server/captions/divide/replace-spoken.ts';
import type { Correction } from '../model/corrections.ts';
import type { Decision } from '../model/history.ts';
import { decisionOn, type Review } from '../editing/review.ts';
import { panels as panelsText } from '../../texts/desk-parts.ts';
import { said } from '../../texts/said.ts';
import { joinWords } from '../../../server/captions/width.ts';
import { type ReviewCue, textOf } from '../model/cue.ts';

/** The list; what somebody has to decide comes first. */
export function TermsPanel({ desk }: { desk: Desk }) {
  const { review } = desk;
  const { corrections } = review;
  // The list may be long, so it is rendered again only when a decision changes.
  const decisions = review.decisions.value;
  // The order is fixed at the start, so that a decision does not move items under the pointer.
  const offers = useMemo(() => openFirst(offersOf(corrections)), [corrections]);
  const listed = useMemo(
    () => offers.map((offer) => <Offer key={offer.places[0]?.id} offer={offer} desk={desk} />),
    [offers, decisions],
  );
  const packs = (review.evidentPacks ?? []).map((pack) => (
    <PackUsed key={pack.id} pack={pack} review={review} />
  ));
  if (corrections.length === 0) return [...packs, <p key="none">{panelsText.termsNone}</p>];
  return (
    <>
      {packs}
      <p class="hint">{panelsText.termsHint}</p>
      <ul class="terms">{listed}</ul>
    </>
  );
}

/** Why the run used a pack that nobody named, and the way to do without it. */
function PackUsed({ pack, review }: { pack: EvidentPack; review: Review }) {
  const { heard, corrections } = pack;
  const title = said.sentence(pack.title);
  const isUsed = review.decisions.value.get(packDecision(pack)) !== 'rejected';
  return (
    <p class="pack-used">
      {isUsed
        ? panelsText.packUsed(title, heard, corrections.length)
        : panelsText.packUndone(title)}
      <button
        type="button"
        aria-label={isUsed ? panelsText.packUndoLabel(title) : panelsText.packRedoLabel(title)}
        onClick={() => decidePack(review, pack, !isUsed)}
      >
        {isUsed ? panelsText.packUndo : panelsText.packRedo}
      </button>
    </p>
  );
}

type Offer = TermOffer<TermCorrection>;

const isOpen = ({ places }: Offer): boolean =>
  places.some(({ decision }) => decision === 'needs_review');

const openFirst = (offers: readonly Offer[]): Offer[] => [
  ...offers.filter(isOpen),
  ...offers.filter((offer) => !isOpen(offer)),
];

interface OfferProps {
  desk: Desk;
  offer: Offer;
}

/** What was heard and the term, with the decision on all places, and each place. */
function Offer({ offer, desk }: OfferProps) {
  const { review } = desk;
  const { heard, meant, places } = offer;
  const decisions = review.decisions.peek();
  const isDecided = (decision: Decision): boolean =>
    places.every(({ id }) => decisionOn(decisions, id) === decision);
  const listed = (
    <ul>
      {places.map((correction) => (
        <Place key={correction.id} correction={correction} desk={desk} />
      ))}
    </ul>
  );
  return (
    <li class="term-kind">
      <p class="term-words">
        <del dir="auto">{heard}</del> <span class="arrow">→</span> <ins dir="auto">{meant}</ins>
        <span class="hint"> {panelsText.termTimes(places.length)}</span>
      </p>
      {places.length > 1 && (
        <p class="term-all">
          <button
            type="button"
            aria-label={panelsText.acceptAllLabel(heard, meant, places.length)}
            aria-pressed={isDecided('accepted')}
            onClick={() => decideTerms(review, places, 'accepted')}
          >
            <Icon name="check" /> {panelsText.acceptAll(places.length)}
          </button>
          <button
            type="button"
            aria-label={panelsText.neverLabel(heard, meant)}
            aria-pressed={isDecided('rejected')}
            title={panelsText.neverHint(heard)}
            onClick={() => decideTerms(review, places, 'rejected')}
          >
            <Icon name="cross" /> {panelsText.never}
          </button>
        </p>
      )}
      <p class="hint">{said.sentence(places[0]?.reason ?? '')}</p>
      {isOpen(offer) || places.length === 1 ? (
        listed
      ) : (
        <details>
          <summary>{panelsText.termTimes(places.length)}</summary>
          {listed}
        </details>
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
  // The list is drawn again as a whole: what follows a signal here would not be.
  const time = desk.clock.peek().position(start);
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
        <IconButton
          icon="play"
          label={panelsText.playWords(before, time)}
          title={panelsText.playWordsShort}
          onClick={() => playback.playStretch(around(correction))}
        />
        <IconButton
          icon="check"
          label={panelsText.acceptLabel(before, after, time)}
          title={panelsText.accept}
          aria-pressed={decision === 'accepted'}
          onClick={() => decideTerms(review, [correction], 'accepted')}
        />
        <IconButton
          icon="cross"
          label={panelsText.rejectLabel(before, after, time)}
          title={panelsText.reject}
          aria-pressed={decision === 'rejected'}
          onClick={() => decideTerms(review, [correction], 'rejected')}
        />
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
