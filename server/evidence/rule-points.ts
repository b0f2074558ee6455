/** What rules on captions ask, and what is known of each point: nothing is met because nobody looked. */
import type { MeasurementSummary } from '../contract/evidence.ts';
import type { ReportWords } from './wording.ts';

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

/** Lists the points; their names are those of the rules, in English. */
export function rulePoints(facts: RuleFacts, words: ReportWords): RulePoint[] {
  const unknown = (name: string) => ({ status: 'not checked' as const, basis: words.say(name) });
  const accuracy = accuracyPoint(facts, words);
  const captioned = captionedPoint(facts, words);
  const byPlayer = unknown('playerDecides');
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
      unknown('transcriptUnknown'),
    ),
    point('WCAG 2.2', '1.2.2 Captions (Prerecorded)', `${WCAG}#captions-prerecorded`, captioned),
    point(
      'WCAG 2.2',
      '1.2.3 Audio Description or Media Alternative (Prerecorded)',
      `${WCAG}#audio-description-or-media-alternative-prerecorded`,
      unknown('pictureUnknown'),
    ),
    point('WCAG 2.2', '1.2.4 Captions (Live)', `${WCAG}#captions-live`, unknown('liveUnknown')),
    point(
      'WCAG 2.2',
      '1.2.5 Audio Description (Prerecorded)',
      `${WCAG}#audio-description-prerecorded`,
      unknown('pictureUnknown'),
    ),
    point('EN 301 549 V3.2.1', '7.1.1 Captioning playback', EN, byPlayer),
    point('EN 301 549 V3.2.1', '7.1.2 Captioning synchronization', EN, byPlayer),
    point('EN 301 549 V3.2.1', '7.1.3 Preservation of captioning', EN, byPlayer),
    point('EN 301 549 V3.2.1', '7.1.4 Captions characteristics', EN, byPlayer),
    point('EN 301 549 V3.2.1', '7.1.5 Spoken subtitles', EN, byPlayer),
    point('FCC 47 CFR 79.1(j)(2)', '(i) Accuracy', FCC, accuracy),
    point('FCC 47 CFR 79.1(j)(2)', '(ii) Synchronicity', FCC, synchronyPoint(facts, words)),
    point('FCC 47 CFR 79.1(j)(2)', '(iii) Completeness', FCC, completenessPoint(facts, words)),
    point('FCC 47 CFR 79.1(j)(2)', '(iv) Placement', FCC, unknown('placementUnknown')),
    point('DCMP Captioning Key', 'Accurate: 99 %', DCMP, dcmpPoint(facts, words)),
    point(
      'DCMP Captioning Key',
      'Consistent, clear, readable, equal',
      DCMP,
      unknown('personJudges'),
    ),
    point(
      'Section 508',
      'E205.4 Accessibility standard (WCAG 2.0, levels A and AA)',
      SECTION_508,
      unknown('allOfWcag'),
    ),
  ];
}

type Found = Pick<RulePoint, 'status' | 'basis'>;

/** The accuracy in words, without an end. */
function accuracySaid({ person, figures, seed }: MeasurementSummary, words: ReportWords): string {
  const { accuracy, counted } = figures;
  const share = (one: number) => words.percent(one, true);
  const { value, low, high } = accuracy!;
  return words.say('accuracySaid', {
    value: share(value),
    low: share(low),
    high: share(high),
    person,
    counted,
    seed,
  });
}

/** The measurement if it says something about these captions; else why not. */
function measured(
  { measurement, isCurrent }: RuleFacts,
  { say }: ReportWords,
): MeasurementSummary | string {
  if (!measurement?.figures.accuracy) return say('unmeasured');
  return isCurrent ? measurement : say('changedSince');
}

/** For rules that name no figure: only a person can say that an accuracy below the DCMP's is enough. */
function accuracyPoint(facts: RuleFacts, words: ReportWords): Found {
  const found = measured(facts, words);
  if (typeof found === 'string') return { status: 'not checked', basis: found };
  const { low } = found.figures.accuracy!;
  const says = accuracySaid(found, words);
  return low >= DCMP_ACCURACY
    ? { status: 'met', basis: words.say('noFigureNamed', { says }) }
    : { status: 'not checked', basis: words.say('personDecides', { says }) };
}

function dcmpPoint(facts: RuleFacts, words: ReportWords): Found {
  const found = measured(facts, words);
  if (typeof found === 'string') return { status: 'not checked', basis: found };
  const { low, high } = found.figures.accuracy!;
  const says = accuracySaid(found, words);
  const basis = words.say('said', { says });
  if (low >= DCMP_ACCURACY) return { status: 'met', basis };
  if (high < DCMP_ACCURACY) return { status: 'not met', basis };
  return { status: 'not checked', basis: words.say('withinInterval', { says }) };
}

function synchronyPoint(facts: RuleFacts, words: ReportWords): Found {
  const found = measured(facts, words);
  if (typeof found === 'string') return { status: 'not checked', basis: found };
  const { errors, judged } = found.figures;
  const basis = words.say('synchronyFound', { person: found.person, judged, late: errors.time });
  return { status: errors.time === 0 ? 'met' : 'not met', basis };
}

function completenessPoint(facts: RuleFacts, words: ReportWords): Found {
  const found = measured(facts, words);
  if (typeof found === 'string') return { status: 'not checked', basis: found };
  const { unheard } = facts;
  if (unheard === null) return { status: 'not checked', basis: words.say('unheardUnknown') };
  if (unheard > 0) {
    return { status: 'not checked', basis: words.say('unheardSome', { unheard }) };
  }
  const { errors, words: heard } = found.figures;
  const { deletion, sound } = errors;
  const basis = words.say('complete', { person: found.person, deletion, sound, heard });
  return { status: deletion + sound === 0 ? 'met' : 'not checked', basis };
}

/** WCAG asks for all that is said, who says it, and the sounds that matter. */
function captionedPoint(facts: RuleFacts, words: ReportWords): Found {
  const found = measured(facts, words);
  if (typeof found === 'string') return { status: 'not checked', basis: found };
  const parts = [
    accuracyPoint(facts, words),
    synchronyPoint(facts, words),
    completenessPoint(facts, words),
  ];
  const { speaker, sound } = found.figures.errors;
  const basis = [
    ...parts.map((part) => part.basis),
    words.say('missingInSample', { speaker, sound }),
  ].join(' ');
  const isMet = parts.every(({ status }) => status === 'met') && speaker + sound === 0;
  return { status: isMet ? 'met' : 'not checked', basis };
}
