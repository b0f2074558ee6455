/** What the owners of a workspace set for it, below what the service allows: bytes it stores, days it keeps media. */
import type { Database } from './database.ts';
import type { Tables } from './tables.ts';

/** One of those limits. */
export type OwnerLimit = Tables['owner_limits']['kind'];

/** A limit of a workspace; null if its owners set none. */
export async function ownerLimit(
  database: Database,
  organizationId: string,
  kind: OwnerLimit,
): Promise<number | null> {
  const row = await database
    .selectFrom('owner_limits')
    .select('amount')
    .where('organization_id', '=', organizationId)
    .where('kind', '=', kind)
    .executeTakeFirst();
  return row?.amount ?? null;
}

/** Sets a limit, from the next request on; null takes it away. */
export async function setOwnerLimit(
  database: Database,
  organizationId: string,
  kind: OwnerLimit,
  amount: number | null,
): Promise<void> {
  if (amount === null) {
    await database
      .deleteFrom('owner_limits')
      .where('organization_id', '=', organizationId)
      .where('kind', '=', kind)
      .execute();
    return;
  }
  await database
    .insertInto('owner_limits')
    .values({ organization_id: organizationId, kind, amount })
    .onConflict((conflict) => conflict.columns(['organization_id', 'kind']).doUpdateSet({ amount }))
    .execute();
}
