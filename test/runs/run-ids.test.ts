/** Runs that are looked up by ids that cannot exist, and results that are not there. */
import { expect, test } from 'bun:test';
import { createRuns } from '../../server/runs/service.ts';

const ID = `run_${crypto.randomUUID()}`;
const asked: string[] = [];
const found = async (id: string) => {
  asked.push(id);
  return id === ID ? { id, organizationId: 'org' } : null;
};
const runs = createRuns({ store: { get: found, getSummary: found }, watches: {} } as never);

test.each([`x${ID}`, `${ID}0`, `${ID}\u0000`, ID.slice(0, -1), ID.toUpperCase(), ''])(
  'the id %j, which no run has, is not looked up',
  async (id) => {
    asked.length = 0;
    expect([await runs.get('org', id), await runs.summary('org', id), asked]).toEqual([
      null,
      null,
      [],
    ]);
  },
);

test('a run is found by its own workspace only', async () => {
  expect(await runs.get('org', ID)).toMatchObject({ id: ID });
  expect(await runs.summary('org', ID)).toMatchObject({ id: ID });
  expect([await runs.get('other', ID), await runs.summary('other', ID)]).toEqual([null, null]);
});

test('a run that is gone, or has not ended, has no result', async () => {
  expect(await runs.result('run_gone')).toBeNull();
  expect(await runs.result(ID)).toBeNull();
});
