/** Codes by the WorkOS provider: none for an address that is not on the list of the team, none after half an answer. */
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

test.each(['id', 'user_id', 'code'])('a code without its %s registers nobody', async (lacking) => {
  const double = await startWorkosDouble();
  const made = await workosIdentity(double);
  double.answerInPlace(/magic_auth/, () => {
    const whole = { id: 'magic_1', user_id: 'user_1', code: '123456', email: 'ann@a.example' };
    const code: Record<string, string> = { ...whole, expires_at: '2030-01-01T00:00:00.000Z' };
    delete code[lacking];
    return Response.json(code, { status: 201 });
  });
  await expect(made.start('ann@a.example')).rejects.toMatchObject({
    status: 503,
    code: 'idp_bad_response',
  });
  const rows = await made.database.selectFrom('registrations').select('id').execute();
  expect(rows).toEqual([]);
  await made.close();
  await double.close();
});
