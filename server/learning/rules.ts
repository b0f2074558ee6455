/** Evidence → rules: what to learn, what may be applied without asking, what a rejection takes back. Pure. */
import { createHash } from 'node:crypto';
import { distance } from 'fastest-levenshtein';
import { compactKey, phraseKey } from '../terminology/normalize.ts';
import { isFunctionWord, isOrdinaryWord } from '../terminology/ordinary-words.ts';
import { isEnglishWord } from '../terminology/english-words.ts';
import { likenessOf } from '../terminology/sounds.ts';
import { holds, termOf, type SettledRule, type WorkspaceDocument } from './document.ts';
import { groupsOf, type Group, type RunEvidence } from './evidence-groups.ts';

/** A place that speaks for or against a rule. */
export interface EvidencePlace {
  runId: string;
  start: number;
  before: string;
  after: string;
}

/** A rule as its evidence has it; it becomes one of the document where it is settled. */
export interface Candidate extends Omit<SettledRule, 'state' | 'automatic' | 'settledAt'> {
  /** Whether it may be applied without being asked. */
  safe: boolean;
  places: EvidencePlace[];
  /** Talks that it is rejected in. */
  rejectedIn: { runId: string; createdAt: number }[];
  /** Confirmations and when their talks were asked for. */
  confirmedAt: number[];
}

/** Confirmations that make a rule about ordinary words safe. */
const CONFIRMED = 2;
/** Least likeness of a name that nobody knew before to what was heard for it, where nobody is asked. */
const LIKE_ENOUGH = 0.45;
const MOST_NEAR = 12;
const MOST_PLACES = 5;

/** The id of a rule: the same for the same two phrases. */
export const ruleId = (surface: string | null, canonical: string): string =>
  `rule_${createHash('sha256')
    .update(`${surface ?? ''}\n${phraseKey(canonical)}`)
    .digest('hex')
    .slice(0, 24)}`;

/** A surface that nobody says for itself: no letter alone, and a word among it that is no English word. */
const isStrange = (surface: string): boolean => {
  const tokens = surface.split(' ');
  return (
    surface.replaceAll(' ', '').length >= 4 &&
    tokens.some((token) => token.length >= 3 && !isEnglishWord(token))
  );
};

/** Every rule that the evidence speaks of, those with the most of it first. */
export function candidatesOf(
  runs: readonly RunEvidence[],
  document: WorkspaceDocument,
): Candidate[] {
  const groups = groupsOf(runs);
  const bySurface = new Map<string, Group[]>();
  for (const group of groups) {
    bySurface.set(group.surface, [...(bySurface.get(group.surface) ?? []), group]);
  }
  const among = {
    canonicals: [...new Set(groups.map(({ canonical }) => canonical))],
    /** Words that are heard in place of terms say nothing about what stands around them. */
    heard: new Set(groups.flatMap(({ surface }) => surface.split(' '))),
  };
  return groups
    .flatMap(
      (group) => candidateOf(group, bySurface.get(group.surface) ?? [], among, document) ?? [],
    )
    .sort((a, b) => b.accepted + b.rejected - (a.accepted + a.rejected) || (a.id < b.id ? -1 : 1));
}

function candidateOf(
  group: Group,
  rivals: readonly Group[],
  { canonicals, heard }: { canonicals: readonly string[]; heard: ReadonlySet<string> },
  document: WorkspaceDocument,
): Candidate | null {
  const { surface, confirmations, rejections, known } = group;
  const term = termOf(document.terms, group.canonical);
  const canonical = term?.canonical ?? group.canonical;
  const isKnown = known || term !== undefined;
  const isSame = phraseKey(surface) === phraseKey(canonical);
  // A known term that is heard in pieces ("meta base") is misheard like any other.
  const isSpelling = compactKey(surface) === compactKey(canonical) && (isSame || !isKnown);
  if (isSpelling && isKnown && rejections.length === 0) return null;
  const accepted = confirmations.length;
  const rejected = rejections.length;
  if (accepted === 0 && !known) return null;
  const strange = isStrange(surface);
  const talks = new Set([...confirmations, ...rejections].map(({ runId }) => runId)).size;
  // A phrase of several words that talk after talk confirms is no chance, unless it was once.
  const isPhrase = contentWords(surface) > 1 && rejected === 0;
  const risky = !strange && !(isPhrase && talks >= CONFIRMED) && !isSpelling;
  const shared = risky ? contextOf(confirmations, heard, canonical, CONFIRMED) : [];
  const near =
    risky && shared.length === 0 ? contextOf(confirmations, heard, canonical, 1) : shared;
  const kind = kindOf({ accepted, rejected, isKnown, risky, isSpelling });
  return {
    id: ruleId(isSpelling && accepted > 0 ? null : surface, canonical),
    kind,
    surface: isSpelling && accepted > 0 ? null : surface,
    canonical,
    near,
    risky: risky && !(isPhrase && shared.length === 0),
    accepted,
    rejected,
    talks,
    safe:
      kind === 'never'
        ? rejected >= CONFIRMED
        : rejected === 0 &&
          isSafe(group, { risky, shared, isKnown, isSpelling, rivals, canonicals }),
    places: [...confirmations, ...rejections]
      .toSorted((a, b) => b.createdAt - a.createdAt)
      .slice(0, MOST_PLACES)
      .map(({ runId, start }) => ({ runId, start, before: surface, after: canonical })),
    rejectedIn: rejections,
    confirmedAt: confirmations.map(({ createdAt }) => createdAt),
  };
}

function kindOf(of: {
  accepted: number;
  rejected: number;
  isKnown: boolean;
  risky: boolean;
  isSpelling: boolean;
}): Candidate['kind'] {
  if (of.accepted === 0) return 'never';
  if (of.isSpelling || !of.isKnown) return 'new_term';
  return of.rejected > 0 || of.risky ? 'risky_word' : 'new_mishear';
}

/**
 * Whether nobody has to be asked: the mishear is no ordinary word, or was confirmed twice in the same kind of context
 * (the same rarer words around a word; for a phrase, the talks of the workspace). A name that nobody knew has to be
 * typed twice alike, since people mistype.
 */
function isSafe(
  { surface, canonical, confirmations }: Group,
  of: {
    risky: boolean;
    shared: readonly string[];
    isKnown: boolean;
    isSpelling: boolean;
    rivals: readonly Group[];
    canonicals: readonly string[];
  },
): boolean {
  const count = confirmations.length;
  const rival = Math.max(
    0,
    ...of.rivals
      .filter((other) => phraseKey(other.canonical) !== phraseKey(canonical))
      .map((other) => other.confirmations.length),
  );
  if (rival * 3 > count) return false;
  if (!of.isKnown) {
    if (count < CONFIRMED || isSlip(canonical, of.canonicals)) return false;
    if (!of.isSpelling && likenessOf(surface, canonical) < LIKE_ENOUGH) return false;
  }
  if (of.isSpelling) return !surface.split(' ').every(isOrdinaryWord);
  return !of.risky || (count >= CONFIRMED && of.shared.length > 0);
}

/** A name that is a letter or two away from a longer-known one was mistyped. */
const isSlip = (canonical: string, canonicals: readonly string[]): boolean =>
  canonicals.some(
    (other) =>
      other !== canonical &&
      other.length >= 6 &&
      phraseKey(other) !== phraseKey(canonical) &&
      distance(other.toLowerCase(), canonical.toLowerCase()) <= 2 &&
      canonicals.indexOf(other) < canonicals.indexOf(canonical),
  );

/** The rarer words that stand around so many confirmations, the commonest first; none that is itself misheard. */
function contextOf(
  confirmations: Group['confirmations'],
  heard: ReadonlySet<string>,
  canonical: string,
  least: number,
): string[] {
  const own = new Set(phraseKey(canonical).split(' '));
  const counts = new Map<string, number>();
  for (const { context } of confirmations) {
    for (const word of context) {
      if (!own.has(word) && !heard.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
    }
  }
  return [...counts]
    .filter(([, count]) => count >= least)
    .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .slice(0, MOST_NEAR)
    .map(([word]) => word);
}

/** The words of a surface that are more than grammar. */
const contentWords = (surface: string): number =>
  surface.split(' ').filter((token) => token.length > 1 && !isFunctionWord(token)).length;

/** "skim → SCIM, accepted 4 times in 2 talks" */
export function evidenceText({
  surface,
  canonical,
  accepted,
  rejected,
  talks,
}: Pick<Candidate, 'surface' | 'canonical' | 'accepted' | 'rejected' | 'talks'>): string {
  const times = (count: number) =>
    count === 1 ? 'once' : count === 2 ? 'twice' : `${count} times`;
  const head = surface === null ? canonical : `${surface} → ${canonical}`;
  const said = [
    ...(accepted > 0 ? [`accepted ${times(accepted)}`] : []),
    ...(rejected > 0 ? [`rejected ${times(rejected)}`] : []),
  ];
  return `${head}, ${said.join(', ')} in ${talks === 1 ? 'one talk' : `${talks} talks`}`;
}

/** Whether a surface is a mishear of a term already, and in force. */
export const isListed = (
  document: WorkspaceDocument,
  { surface, canonical }: Candidate,
): boolean => {
  const term = termOf(document.terms, canonical);
  return term !== undefined && (surface === null || holds(term.mishears, surface));
};
