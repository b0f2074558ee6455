/** Describes the evidence for a rule as text. */
import type { Candidate } from './rules.ts';

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
