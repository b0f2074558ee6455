/** Stores the documents of workspaces in the database; changes to a document are made one at a time. */
import type { Database } from '../storage/database.ts';
import { documentText, emptyDocument, type WorkspaceDocument } from './document.ts';

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

export interface TerminologyStore {
  /** The document of a workspace, which is parsed once for each version, and must not be changed. */
  get(organizationId: string): Promise<Versioned>;
  /** The same as JSON. */
  read(organizationId: string): Promise<VersionedText>;
  /**
   * Changes a document. Of simultaneous changes, each is made to the result of the one before.
   * @param change returns the new document, or the same one if nothing changes; it may be called repeatedly
   * @param expected the versions that may be changed; null for any
   * @throws {TermsChanged} another version is stored
   * @throws {TooManyTerms} the document would be too large
   */
  change(
    organizationId: string,
    change: (document: WorkspaceDocument) => WorkspaceDocument,
    expected?: readonly number[] | null,
  ): Promise<Versioned>;
  /**
   * The same for a change that is made elsewhere.
   * @param change returns the new document as `documentText` makes it; null if nothing changes
   */
  rewrite(
    organizationId: string,
    change: (text: string) => Promise<string | null>,
    expected?: readonly number[] | null,
  ): Promise<VersionedText>;
}

/** The document of a workspace that has nothing yet, as JSON. */
const EMPTY = JSON.stringify(emptyDocument());
/** The number of parsed documents that are kept. */
const MAX_PARSED = 16;

/** Creates the store in the service's database. */
export function createTerminologyStore(
  database: Database,
  now: () => number = Date.now,
): TerminologyStore {
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
    get,
    read,
    async change(organizationId, change, expected = null) {
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
    async rewrite(organizationId, change, expected = null) {
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
