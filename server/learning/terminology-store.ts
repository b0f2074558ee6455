/** The documents of workspaces in the database: read, and changed by one at a time. */
import type { Database } from '../storage/database.ts';
import { emptyDocument, reconciled, type WorkspaceDocument } from './document.ts';

/** A document and its version, from 1; 0 where nothing is stored. */
export interface Versioned {
  version: number;
  document: WorkspaceDocument;
}

/** The document is another one than was expected. */
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
   * Changes a document. Of changes at once each is made on what the one before left.
   * @param change gives the new document, or the same one where nothing is to be changed; it may be called again
   * @param expected the versions that it may be made on; null: any
   * @throws {TermsChanged} another version is there
   */
  change(
    organizationId: string,
    change: (document: WorkspaceDocument) => WorkspaceDocument,
    expected?: readonly number[] | null,
  ): Promise<Versioned>;
}

/** The store on the service's database. */
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
