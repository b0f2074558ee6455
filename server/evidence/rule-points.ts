/** What rules on captions ask, and what is known of each point: nothing is met because nobody looked. */
import type { MeasurementSummary } from '../contract/evidence.ts';

/** A point of a rule. */
export interface RulePoint {
  rule: string;
  point: string;
  status: 'met' | 'not met' | 'not checked';
  /** The figure or the person behind it; why it was not checked. */
  basis: string;
  source: string;
}

/** What is known of captions. */
interface RuleFacts {
  /** The measurement that counts; null if there is none with a figure. */
  measurement: MeasurementSummary | null;
  /** Whether that is of these captions: they have not been changed since, but for what it found. */
  isCurrent: boolean;
  /** Stretches where something is heard, and nothing captioned; null if nobody looked for them. */
  unheard: number | null;
}

const WCAG = 'https://www.w3.org/TR/WCAG22/';
const EN = 'https://www.etsi.org/deliver/etsi_en/301500_301599/301549/03.02.01_60/';
const FCC = 'https://www.ecfr.gov/current/title-47/section-79.1#p-79.1(j)(2)';
const DCMP = 'https://dcmp.org/learn/captioningkey/599';
const SECTION_508 = 'https://www.access-board.gov/ict/#E205.4';

/** The accuracy that the DCMP asks for; the other rules name no figure. */
const DCMP_ACCURACY = 0.99;

/** Lists the points. */
export function rulePoints(facts: RuleFacts): RulePoint[] {
  const unknown = (basis: string) => ({ status: 'not checked' as const, basis });
  const accuracy = accuracyPoint(facts);
  const captioned = captionedPoint(facts);
  const byPlayer = unknown('It depends on the player that shows the captions.');
  const point = (
    rule: string,
    name: string,
    source: string,
    found: Pick<RulePoint, 'status' | 'basis'>,
  ): RulePoint => ({ rule, point: name, ...found, source });
  return [
    point(
      'WCAG 2.2',
      '1.2.1 Audio-only and Video-only (Prerecorded)',
      `${WCAG}#audio-only-and-video-only-prerecorded`,
      unknown('Whether a transcript is published with the recording is not known here.'),
    ),
    point('WCAG 2.2', '1.2.2 Captions (Prerecorded)', `${WCAG}#captions-prerecorded`, captioned),
    point(
      'WCAG 2.2',
      '1.2.3 Audio Description or Media Alternative (Prerecorded)',
      `${WCAG}#audio-description-or-media-alternative-prerecorded`,
      unknown('Nobody has looked at what the picture shows.'),
    ),
    point(
      'WCAG 2.2',
      '1.2.4 Captions (Live)',
      `${WCAG}#captions-live`,
      unknown('These are captions of a recording; whether it was also sent live is not known.'),
    ),
    point(
      'WCAG 2.2',
      '1.2.5 Audio Description (Prerecorded)',
      `${WCAG}#audio-description-prerecorded`,
      unknown('Nobody has looked at what the picture shows.'),
    ),
    point('EN 301 549 V3.2.1', '7.1.1 Captioning playback', EN, byPlayer),
    point('EN 301 549 V3.2.1', '7.1.2 Captioning synchronization', EN, byPlayer),
    point('EN 301 549 V3.2.1', '7.1.3 Preservation of captioning', EN, byPlayer),
    point('EN 301 549 V3.2.1', '7.1.4 Captions characteristics', EN, byPlayer),
    point('EN 301 549 V3.2.1', '7.1.5 Spoken subtitles', EN, byPlayer),
    point('FCC 47 CFR 79.1(j)(2)', '(i) Accuracy', FCC, accuracy),
    point('FCC 47 CFR 79.1(j)(2)', '(ii) Synchronicity', FCC, synchronyPoint(facts)),
    point('FCC 47 CFR 79.1(j)(2)', '(iii) Completeness', FCC, completenessPoint(facts)),
    point(
      'FCC 47 CFR 79.1(j)(2)',
      '(iv) Placement',
      FCC,
      unknown('Nobody has looked whether captions cover anything in the picture.'),
    ),
    point('DCMP Captioning Key', `Accurate: ${percent(DCMP_ACCURACY)}`, DCMP, dcmpPoint(facts)),
    point(
      'DCMP Captioning Key',
      'Consistent, clear, readable, equal',
      DCMP,
      unknown('A person has to judge them; nobody has said so here.'),
    ),
    point(
      'Section 508',
      'E205.4 Accessibility standard (WCAG 2.0, levels A and AA)',
      SECTION_508,
      unknown('It asks for all of WCAG; of that, only the points above were looked at.'),
    ),
  ];
}

type Found = Pick<RulePoint, 'status' | 'basis'>;

const percent = (share: number): string => `${(100 * share).toFixed(1).replace(/\.0$/, '')} %`;

/** The accuracy in a sentence. */
function accuracySentence({ person, figures, seed }: MeasurementSummary): string {
  const { accuracy, counted } = figures;
  if (!accuracy) return `${person} has judged ${figures.judged} passages, too few for a figure.`;
  const { value, low, high } = accuracy;
  return `${percent(value)} of the words are right (95 % interval ${percent(low)} to ${percent(high)}), heard by ${person} in ${counted} passages drawn with the seed ${seed}`;
}

const NOBODY = 'Nobody has measured the accuracy of these captions.';
const CHANGED =
  'The captions were changed after they were measured, by more than what was found then.';

/** The measurement if it says something about these captions; else why not. */
function measured({ measurement, isCurrent }: RuleFacts): MeasurementSummary | string {
  if (!measurement?.figures.accuracy) return NOBODY;
  return isCurrent ? measurement : CHANGED;
}

/** For rules that name no figure: only a person can say that an accuracy below the DCMP's is enough. */
function accuracyPoint(facts: RuleFacts): Found {
  const found = measured(facts);
  if (typeof found === 'string') return { status: 'not checked', basis: found };
  const { low } = found.figures.accuracy!;
  const says = accuracySentence(found);
  return low >= DCMP_ACCURACY
    ? { status: 'met', basis: `${says}. The rule names no figure; the DCMP asks for 99 %.` }
    : {
        status: 'not checked',
        basis: `${says}. The rule names no figure; whether this is enough, a person has to decide.`,
      };
}

function dcmpPoint(facts: RuleFacts): Found {
  const found = measured(facts);
  if (typeof found === 'string') return { status: 'not checked', basis: found };
  const { low, high } = found.figures.accuracy!;
  const basis = `${accuracySentence(found)}.`;
  if (low >= DCMP_ACCURACY) return { status: 'met', basis };
  if (high < DCMP_ACCURACY) return { status: 'not met', basis };
  return { status: 'not checked', basis: `${basis} 99 % is within the interval.` };
}

function synchronyPoint(facts: RuleFacts): Found {
  const found = measured(facts);
  if (typeof found === 'string') return { status: 'not checked', basis: found };
  const { errors, judged } = found.figures;
  const basis = `${found.person} heard ${judged} passages and found the captions of ${errors.time} more than half a second off.`;
  return { status: errors.time === 0 ? 'met' : 'not met', basis };
}

function completenessPoint(facts: RuleFacts): Found {
  const found = measured(facts);
  if (typeof found === 'string') return { status: 'not checked', basis: found };
  if (facts.unheard === null) {
    return { status: 'not checked', basis: 'Nobody looked for speech without captions.' };
  }
  if (facts.unheard > 0) {
    return {
      status: 'not checked',
      basis: `In ${facts.unheard} stretches something is heard and nothing captioned; whether it is speech, a person has to hear.`,
    };
  }
  const { deletion, sound } = found.figures.errors;
  const basis = `No stretch is heard without captions, by the loudness of the recording; ${found.person} found ${deletion} words and ${sound} sounds missing in ${found.figures.words} words.`;
  return { status: deletion + sound === 0 ? 'met' : 'not checked', basis };
}

/** WCAG asks for all that is said, who says it, and the sounds that matter. */
function captionedPoint(facts: RuleFacts): Found {
  const found = measured(facts);
  if (typeof found === 'string') return { status: 'not checked', basis: found };
  const parts = [accuracyPoint(facts), synchronyPoint(facts), completenessPoint(facts)];
  const { speaker, sound } = found.figures.errors;
  const basis = `${parts.map((part) => part.basis).join(' ')} Speakers missing in the sample: ${speaker}; sounds: ${sound}.`;
  const isMet = parts.every(({ status }) => status === 'met') && speaker + sound === 0;
  return { status: isMet ? 'met' : 'not checked', basis };
}
