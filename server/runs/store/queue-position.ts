/** The position of a run in the queue. */
import { sql } from 'kysely';

/**
 * The position after all running runs and after all waiting runs of the organisation: start-time fair queueing (Goyal,
 * Vin, Cheng 1996) in which every run costs the same.
 */
export const nextQueuePosition = (organizationId: string) => sql<number>`(
  select max(turn) from (
    select coalesce(max(queue_position), 0) as turn from runs where started_at is not null
    union all
    select max(queue_position) + 1 from runs where organization_id = ${organizationId}
    union all
    select max(queue_position) + 1 from translations where organization_id = ${organizationId}
  ) as turns
)`;
