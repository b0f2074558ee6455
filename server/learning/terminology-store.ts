/**
 * The document of a workspace: its terms, the learning switch, and the rules that were decided. Changes to it are made
 * one at a time.
 */
import type { Database } from '../storage/database.ts';
import type { WorkspaceTerm, RULE_KINDS, RuleState } from '../contract/workspace-terms.ts';
import { memoized } from '../terminology/match/memoized.ts';
import { includesPhrase, phraseKey } from '../terminology/match/normalize.ts';
import type { OwnTerms } from '../terminology/packs/compile.ts';
import { TERM } from '../contract/limits.ts';

/** A document and its version, which counts from 1; 0 if nothing is stored. */
interface Versioned {
  version: number;
  document: WorkspaceDocument;
}

/** A document as JSON, which the thread that answers requests does not parse. */
export interface VersionedText {
  version: number;
  text: string;
}

/** Thrown if the stored document is not one of the expected versions. */
export class TermsChanged extends Error {
  override readonly name = 'TermsChanged';
  readonly version: number;

  constructor(version: number) {
    super('The terms of the workspace have changed.');
    this.version = version;
  }
}

export type TerminologyStore = ReturnType<typeof createTerminologyStore>;

/** A term as it is stored, with the defaults filled in. */
export type StoredTerm = WorkspaceTerm &
  Required<Pick<WorkspaceTerm, 'kind' | 'mishears' | 'weight' | 'source'>>;

/** A rule that was decided, by a person or by its evidence. Proposed rules are not stored. */
export interface DecidedRule {
  id: string;
  kind: (typeof RULE_KINDS)[number];
  state: Exclude<RuleState, 'proposed'>;
  automatic: boolean;
  /** The text as recognised, as folded tokens; null for a rule that only adds a term. */
  surface: string | null;
  canonical: string;
  near: string[];
  /** Whether it applies only near one of the words in `near`. */
  risky: boolean;
  accepted: number;
  rejected: number;
  /** The number of these that rejected corrections that were made; absent in older rules. */
  unmade?: number;
  talks: number;
  /** Epoch milliseconds. */
  settledAt: number;
}

/** The document of a workspace, which is replaced as a whole. */
export interface WorkspaceDocument {
  terms: StoredTerm[];
  automatic: boolean;
  rules: DecidedRule[];
}

/** The document of a workspace that has nothing yet. */
const emptyDocument = (): WorkspaceDocument => ({ terms: [], automatic: true, rules: [] });

/** The most rules that are kept. Beyond it, the oldest rules that are not in force are dropped first. */
const MAX_RULES = 5000;

/** Thrown if a document would take more than TERM.maxBytes. */
export class TooManyTerms extends Error {
  override readonly name = 'TooManyTerms';
}

/**
 * A document as it is stored: with at most MAX_RULES rules, and at most TERM.maxBytes of JSON. Applied rules that its
 * terms no longer contain become undone. The oldest rules that are not in force give way first.
 * @param before the document that it replaces, which may be larger if an earlier version of the service stored it
 * @throws {TooManyTerms} it is too large without them, and not smaller than before
 */
export function documentText(
  changed: WorkspaceDocument,
  before?: WorkspaceDocument,
): { document: WorkspaceDocument; text: string } {
  const document = reconciled(changed);
  const text = JSON.stringify(document);
  const excess = Buffer.byteLength(text) - TERM.maxBytes;
  if (excess <= 0) return { document, text };
  const fewer = { ...document, rules: withoutOldest(document.rules, excess) };
  const shorter = JSON.stringify(fewer);
  const bytes = Buffer.byteLength(shorter);
  const isSmaller = before && bytes < Buffer.byteLength(JSON.stringify(before));
  if (bytes <= TERM.maxBytes || isSmaller) return { document: fewer, text: shorter };
  throw new TooManyTerms(
    `The terms and rules would take ${bytes} bytes of JSON; a workspace has ${TERM.maxBytes}.`,
  );
}

/** The rules without the oldest that are not in force, which have about this many bytes. */
function withoutOldest(rules: readonly DecidedRule[], bytes: number): DecidedRule[] {
  let left = bytes;
  const dropped = new Set<DecidedRule>();
  const idle = rules.filter(({ state }) => state !== 'applied');
  for (const rule of idle.toSorted((a, b) => a.settledAt - b.settledAt)) {
    if (left <= 0) break;
    dropped.add(rule);
    left -= Buffer.byteLength(JSON.stringify(rule)) + 1;
  }
  return rules.filter((rule) => !dropped.has(rule));
}

/** The document with at most MAX_RULES rules; applied rules that its terms no longer contain become undone. */
function reconciled(document: WorkspaceDocument): WorkspaceDocument {
  const rules = document.rules.map((rule) =>
    rule.state === 'applied' && !isInForce(document, rule)
      ? { ...rule, state: 'undone' as const }
      : rule,
  );
  if (rules.length <= MAX_RULES) return { ...document, rules };
  const byAge = rules.toSorted(
    (a, b) =>
      Number(b.state === 'applied') - Number(a.state === 'applied') || b.settledAt - a.settledAt,
  );
  return { ...document, rules: byAge.slice(0, MAX_RULES) };
}

function isInForce({ terms }: WorkspaceDocument, rule: DecidedRule): boolean {
  if (rule.kind === 'never') return true;
  const term = termOf(terms, rule.canonical);
  if (!term) return false;
  return rule.surface === null || includesPhrase(term.mishears, rule.surface);
}

/** The term with a canonical form, in any case. */
export const termOf = (terms: readonly StoredTerm[], canonical: string): StoredTerm | undefined =>
  byKey(terms).get(phraseKey(canonical));

/** The key of a term, which is never changed in place. */
const keyOf = memoized((term: StoredTerm) => phraseKey(term.canonical));
const byKey = memoized(
  (terms: readonly StoredTerm[]) =>
    new Map(terms.toReversed().map((term) => [keyOf(term), term] as const)),
);

/** The terms and rules of a document that a run uses. */
export function ownTermsOf({ terms, rules }: WorkspaceDocument): OwnTerms {
  const applied = rules.filter(({ state }) => state === 'applied');
  return {
    terms: terms.map(({ source: _source, ...term }) => term),
    never: applied.flatMap(({ kind, surface, canonical }) =>
      kind === 'never' && surface !== null ? { surface, canonical } : [],
    ),
    rules: applied.flatMap(({ kind, id, surface, canonical }) =>
      kind === 'never' || surface === null ? [] : { id, surface, canonical },
    ),
  };
}

/** The document of a workspace that has nothing yet, as JSON. */
const EMPTY = JSON.stringify(emptyDocument());
/** The number of parsed documents that are kept. */
const MAX_PARSED = 16;

/** Creates the store in the service's database. */
export function createTerminologyStore(database: Database, now: () => number = Date.now) {
  /** The latest documents by workspace, those used last at the end. */
  const parsed = new Map<string, Versioned>();
  const remember = (organizationId: string, found: Versioned): Versioned => {
    parsed.delete(organizationId);
    parsed.set(organizationId, found);
    const [oldest] = parsed.keys();
    if (parsed.size > MAX_PARSED && oldest !== undefined) parsed.delete(oldest);
    return found;
  };
  const read = async (organizationId: string): Promise<VersionedText> => {
    const row = await database
      .selectFrom('workspace_terms')
      .select(['version', 'document'])
      .where('organization_id', '=', organizationId)
      .executeTakeFirst();
    return row ? { version: row.version, text: row.document } : { version: 0, text: EMPTY };
  };
  const get = async (organizationId: string): Promise<Versioned> => {
    const row = await database
      .selectFrom('workspace_terms')
      .select('version')
      .where('organization_id', '=', organizationId)
      .executeTakeFirst();
    if (!row) return { version: 0, document: emptyDocument() };
    const known = parsed.get(organizationId);
    if (known?.version === row.version) return remember(organizationId, known);
    const { version, text } = await read(organizationId);
    return remember(organizationId, { version, document: JSON.parse(text) });
  };
  /** Stores the next version in place of the given one; false if another is stored meanwhile. */
  const write = async (organizationId: string, version: number, text: string): Promise<boolean> => {
    const row = { document: text, version: version + 1, updated_at: now() };
    const written =
      version === 0
        ? await database
            .insertInto('workspace_terms')
            .values({ organization_id: organizationId, ...row })
            .onConflict((conflict) => conflict.doNothing())
            .returning('version')
            .executeTakeFirst()
        : await database
            .updateTable('workspace_terms')
            .set(row)
            .where('organization_id', '=', organizationId)
            .where('version', '=', version)
            .returning('version')
            .executeTakeFirst();
    return written !== undefined;
  };
  const requireExpected = (version: number, expected: readonly number[] | null): void => {
    if (expected && !expected.includes(version)) throw new TermsChanged(version);
  };

  return {
    /** The document of a workspace, which is parsed once for each version, and must not be changed. */
    get,
    /** The same as JSON. */
    read,
    /**
     * Changes a document. Of simultaneous changes, each is made to the result of the one before.
     * @param change returns the new document, or the same one if nothing changes; it may be called repeatedly
     * @param expected the versions that may be changed; null for any
     * @throws {TermsChanged} another version is stored
     * @throws {TooManyTerms} the document would be too large
     */
    async change(
      organizationId: string,
      change: (document: WorkspaceDocument) => WorkspaceDocument,
      expected: readonly number[] | null = null,
    ): Promise<Versioned> {
      for (;;) {
        const { version, document } = await get(organizationId);
        requireExpected(version, expected);
        const changed = change(document);
        if (changed === document) return { version, document };
        const next = documentText(changed, document);
        if (await write(organizationId, version, next.text)) {
          return remember(organizationId, { version: version + 1, document: next.document });
        }
      }
    },
    /**
     * The same for a change that is made elsewhere.
     * @param change returns the new document as `documentText` makes it; null if nothing changes
     */
    async rewrite(
      organizationId: string,
      change: (text: string) => Promise<string | null>,
      expected: readonly number[] | null = null,
    ): Promise<VersionedText> {
      for (;;) {
        const { version, text } = await read(organizationId);
        requireExpected(version, expected);
        const changed = await change(text);
        if (changed === null) return { version, text };
        if (await write(organizationId, version, changed)) {
          return { version: version + 1, text: changed };
        }
      }
    },
  };
}
