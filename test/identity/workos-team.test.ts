/** The list of the team at the WorkOS provider: who is not on it gets the same answer, and no code. */
import { expect, test } from 'bun:test';
import { startWorkosDouble } from '../support/doubles/workos-double.ts';
import { workosIdentity } from '../support/servers/identity.ts';

test('an address that is not on the list of the team gets no code; the log names its registration', async () => {
  const double = await startWorkosDouble();
  const team = await workosIdentity(double, { teamEmailAllow: ['ann@team.example'] });
  const { registrationId } = await team.start('eve@team.example');
  expect(double.codes).toEqual([]);
  expect(team.log()).toContain('address_not_on_team_list');
  expect(team.log()).toContain(registrationId);
  const before = team.log();
  await team.start('ann@team.example');
  expect([double.codes.length, team.log()]).toEqual([1, before]);
  await team.close();
  await double.close();
});
