/** Derives rules from evidence: the rules to learn, to apply without asking, and to withdraw after a rejection. */
import { createHash } from 'node:crypto';
import { distance } from 'fastest-levenshtein';
import { compactKey, phraseKey } from '../terminology/match/normalize.ts';
import { similarityOf } from '../terminology/match/similarity.ts';
import { type DecidedRule, termOf, type WorkspaceDocument } from './terminology-store.ts';
import { groupsOf, type RunEvidence, type Group } from './evidence.ts';
import { isEnglishWord } from '../terminology/match/english-words.ts';
import { isFunctionWord, isOrdinaryWord } from '../terminology/match/ordinary-words.ts';

/** A place that supports or contradicts a rule. */
interface EvidencePlace {
  runId: string;
  start: number;
  before: string;
  after: string;
}

/** A rule as its evidence suggests it; it becomes part of the document once it is decided. */
export interface Candidate extends Omit<DecidedRule, 'state' | 'automatic' | 'settledAt'> {
  /** Whether it may be applied without asking anybody. */
  safe: boolean;
  places: EvidencePlace[];
  /** The talks in which it was rejected. */
  rejectedIn: { runId: string; createdAt: number }[];
  /** The number of rejections of corrections that were made; the other ones had only been shown. */
  unmade: number;
  /** The times of the requests for the talks that confirm it, one for each confirmation. */
  confirmedAt: number[];
}

/** The number of confirmations that make a rule about ordinary words safe. */
const CONFIRMED = 2;
/** The number of talks that make a phrase of one word and function words ("a polo") safe, if none rejects it. */
const CONFIRMED_LOOSE = 4;
/**
 * The lowest similarity between an unknown name and the recognised text at which the rule is applied without asking.
 */
const LIKE_ENOUGH = 0.45;
const MAX_NEAR = 12;
const MAX_PLACES = 5;

/** The id of a rule, which depends only on its two phrases. */
const ruleId = (surface: string | null, canonical: string): string =>
  `rule_${createHash('sha256')
    .update(`${surface ?? ''}\n${phraseKey(canonical)}`)
    .digest('hex')
    .slice(0, 24)}`;

/** All rules that the evidence suggests, those with the most evidence first. */
export function candidatesOf(
  runs: readonly RunEvidence[],
  document: WorkspaceDocument,
): Candidate[] {
  const groups = groupsOf(runs);
  const bySurface = Map.groupBy(groups, ({ surface }) => surface);
  const among: Among = {
    canonicals: new Map(groups.map(({ canonical }, at) => [canonical, at] as const).toReversed()),
    heard: new Set(groups.flatMap(({ surface }) => surface.split(' '))),
  };
  return groups
    .flatMap((group) => {
      const rivals = bySurface.get(group.surface) ?? [];
      return candidateOf(group, rivals, among, document) ?? [];
    })
    .sort((a, b) => b.accepted + b.rejected - (a.accepted + a.rejected) || (a.id < b.id ? -1 : 1));
}

/** The data shared by the candidates of one workspace. */
interface Among {
  /** The names, with the position of each name's first group. */
  canonicals: ReadonlyMap<string, number>;
  /** Words that were recognised in place of terms, which say nothing about the context of a term. */
  heard: ReadonlySet<string>;
}

function candidateOf(
  group: Group,
  rivals: readonly Group[],
  { canonicals, heard }: Among,
  document: WorkspaceDocument,
): Candidate | null {
  const { surface, confirmations, rejections, known } = group;
  const term = termOf(document.terms, group.canonical);
  const canonical = term?.canonical ?? group.canonical;
  const isKnown = known || term !== undefined;
  const isSame = phraseKey(surface) === phraseKey(canonical);
  // A known term that is recognised in pieces ("meta base") counts as a mishear like any other.
  const isSpelling = compactKey(surface) === compactKey(canonical) && (isSame || !isKnown);
  if (isSpelling && isKnown && rejections.length === 0) return null;
  const accepted = confirmations.length;
  const rejected = rejections.length;
  if (accepted === 0 && !known) return null;
  const strange = isStrange(surface);
  const talks = new Set([...confirmations, ...rejections].map(({ runId }) => runId)).size;
  // A phrase of several words that is confirmed in several talks and never rejected is not a coincidence.
  const isPhrase = rejected === 0 && surface.includes(' ') && contentWords(surface) > 0;
  const isPieces = compactKey(surface) === compactKey(canonical);
  const enough = contentWords(surface) > 1 ? (isPieces ? 1 : CONFIRMED) : CONFIRMED_LOOSE;
  const risky = !strange && !(isPhrase && talks >= enough) && !isSpelling;
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
    risky: risky && !(isPhrase && contentWords(surface) > 1 && shared.length === 0),
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
      .slice(0, MAX_PLACES)
      .map(({ runId, start }) => ({ runId, start, before: surface, after: canonical })),
    rejectedIn: rejections,
    unmade: rejections.filter(({ shown }) => !shown).length,
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
 * Whether a rule can be applied without asking. The mishear must not be an ordinary word, or must have been confirmed
 * twice in the same kind of context (for a word, the same rarer words around it; for a phrase, the talks of the
 * workspace). An unknown name must have been typed twice in the same way, since people mistype.
 */
function isSafe(
  { surface, canonical, confirmations, left }: Group,
  of: {
    risky: boolean;
    shared: readonly string[];
    isKnown: boolean;
    isSpelling: boolean;
    rivals: readonly Group[];
    canonicals: Among['canonicals'];
  },
): boolean {
  const count = confirmations.length;
  // Whoever accepts one of many places does not speak of the others.
  if (left > count) return false;
  const rival = Math.max(
    0,
    ...of.rivals
      .filter((other) => phraseKey(other.canonical) !== phraseKey(canonical))
      .map((other) => other.confirmations.length),
  );
  if (rival * 3 > count) return false;
  if (!of.isKnown) {
    if (count < CONFIRMED || isSlip(canonical, of.canonicals)) return false;
    if (similarityOf(surface, canonical) < LIKE_ENOUGH) return false;
  }
  if (of.isSpelling) return !surface.split(' ').every(isOrdinaryWord);
  return !of.risky || (count >= CONFIRMED && of.shared.length > 0);
}

/** Whether a name is a typing error: it differs in one or two letters from a name known for longer. */
function isSlip(canonical: string, canonicals: Among['canonicals']): boolean {
  const own = canonicals.get(canonical) ?? 0;
  const text = canonical.toLowerCase();
  for (const [other, at] of canonicals) {
    if (at >= own || other.length < 6 || Math.abs(other.length - text.length) > 2) continue;
    if (distance(other.toLowerCase(), text) <= 2 && phraseKey(other) !== phraseKey(canonical))
      return true;
  }
  return false;
}

/**
 * The rarer words around at least `least` confirmations, the most common first, without words that are misheard
 * themselves.
 */
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
    .slice(0, MAX_NEAR)
    .map(([word]) => word);
}

/**
 * Whether a surface cannot be meant itself: it has separate letters, or it is longer than a few letters and contains a
 * word that is not English.
 */
const isStrange = (surface: string): boolean => {
  const tokens = surface.split(' ');
  if (tokens.length > 2 && tokens.filter(isLooseLetter).length > 1) return true;
  return surface.length >= 4 && tokens.some((token) => token.length >= 3 && !isEnglishWord(token));
};

/** A letter that is not a word. */
const isLooseLetter = (token: string): boolean => /^[b-hj-z]$/.test(token);

/** The number of words in a surface that are not merely grammatical. */
const contentWords = (surface: string): number =>
  surface.split(' ').filter((token) => token.length > 1 && !isFunctionWord(token)).length;

/** Describes evidence: "skim → SCIM, accepted 4 times in 2 talks". */
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
