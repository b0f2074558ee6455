/** Stores the documents of workspaces in the database; changes to a document are made one at a time. */
import type { Database } from '../storage/database.ts';
import { emptyDocument, reconciled, type WorkspaceDocument } from './document.ts';

/** A document and its version, which counts from 1; 0 if nothing is stored. */
export interface Versioned {
  version: number;
  document: WorkspaceDocument;
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
  get(organizationId: string): Promise<Versioned>;
  /**
   * Changes a document. Of simultaneous changes, each is made to the result of the one before.
   * @param change returns the new document, or the same one if nothing changes; it may be called repeatedly
   * @param expected the versions that may be changed; null for any
   * @throws {TermsChanged} another version is stored
   */
  change(
    organizationId: string,
    change: (document: WorkspaceDocument) => WorkspaceDocument,
    expected?: readonly number[] | null,
  ): Promise<Versioned>;
}

/** Creates the store in the service's database. */
export function createTerminologyStore(
  database: Database,
  now: () => number = Date.now,
): TerminologyStore {
  const get = async (organizationId: string): Promise<Versioned> => {
    const row = await database
      .selectFrom('workspace_terms')
      .select(['version', 'document'])
      .where('organization_id', '=', organizationId)
      .executeTakeFirst();
    if (!row) return { version: 0, document: emptyDocument() };
    return { version: row.version, document: JSON.parse(row.document) };
  };
  return {
    get,
    async change(organizationId, change, expected = null) {
      for (;;) {
        const { version, document } = await get(organizationId);
        if (expected && !expected.includes(version)) throw new TermsChanged(version);
        const changed = change(document);
        if (changed === document) return { version, document };
        const next = { version: version + 1, document: reconciled(changed) };
        const row = {
          document: JSON.stringify(next.document),
          version: next.version,
          updated_at: now(),
        };
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
        if (written) return next;
      }
    },
  };
}
