/** Storing reviews on both databases: one per run, no overwriting, deleted with the run. */
import { describe, expect, test } from 'bun:test';
import type { ReviewDocument } from '../../server/contract/review.ts';
import { createLearner } from '../../server/learning/learn.ts';
import { createTerminologyStore } from '../../server/learning/terminology-store.ts';
import { createRunQueries } from '../../server/runs/store/run-queries.ts';
import { completedRun, keptBytesOf, spoken } from '../support/servers/completed-run.ts';
import { onEachDatabase } from '../support/servers/databases.ts';
import { reviewValues } from '../learning/documents.ts';

const document = (text: string): ReviewDocument => ({
  cues: [{ start: 0, end: 1, lines: [text] }],
  corrections: [],
  speakers: [],
  finished: false,
});

await onEachDatabase((name, database) => {
  const reviews = reviewValues(database);
  const newRun = async () => {
    const { runId } = await completedRun(database, 'org_1', spoken('one two three'));
    return { id: runId, organizationId: 'org_1' };
  };
  const keptBytes = (id: string) => keptBytesOf(database, id);

  describe(`reviews on ${name}`, () => {
    test('of simultaneous first saves one is stored, and the others get its version', async () => {
      const run = await newRun();
      const saves = await Promise.all(
        Array.from({ length: 12 }, (_, at) => reviews.save(run, document(`by ${at}`), 'none')),
      );
      const won = saves.filter(({ outcome }) => outcome === 'saved');
      const kept = await reviews.get(run.id);
      expect(won).toHaveLength(1);
      for (const save of saves) {
        if (save.outcome === 'stale') expect(save.tag).toBe(kept?.tag ?? '');
      }
      expect(await keptBytes(run.id)).toBe(1000 + JSON.stringify(kept?.document).length);
    });

    test('simultaneous first saves of the same text all succeed', async () => {
      const run = await newRun();
      const saves = await Promise.all(
        Array.from({ length: 12 }, () => reviews.save(run, document('same'), 'none')),
      );
      const review = { tag: (await reviews.get(run.id))?.tag, document: document('same') };
      for (const save of saves) expect(save).toMatchObject({ outcome: 'saved', review });
      const created = saves.filter((save) => save.outcome === 'saved' && save.created);
      expect(created).toHaveLength(1);
    });

    test('of many clients with the same version, one may replace it', async () => {
      const run = await newRun();
      const first = await reviews.save(run, document('first'), 'none');
      if (first.outcome !== 'saved') throw new Error('not saved');
      expect(await reviews.save(run, document('second'), [first.review.tag])).toMatchObject({
        created: false,
        review: { document: document('second') },
      });
      const seen = [(await reviews.get(run.id))?.tag ?? ''];
      const saves = await Promise.all(
        Array.from({ length: 12 }, (_, at) => reviews.save(run, document(`by ${at}`), seen)),
      );
      expect(saves.filter(({ outcome }) => outcome === 'saved')).toHaveLength(1);
    });

    test('saving the same review again succeeds with any precondition, and counts once', async () => {
      const run = await newRun();
      const first = await reviews.save(run, document('same'), 'none');
      const again = await reviews.save(run, document('same'), 'none');
      const blind = await reviews.save(run, document('same'), ['another']);
      expect([first.outcome, again.outcome, blind.outcome]).toEqual(['saved', 'saved', 'saved']);
      expect([first, again]).toMatchObject([{ created: true }, { created: false }]);
      expect(await keptBytes(run.id)).toBe(1000 + JSON.stringify(document('same')).length);
    });

    test('a review is deleted by a client with its version, and frees its space', async () => {
      const run = await newRun();
      const saved = await reviews.save(run, document('here'), 'none');
      expect(saved).toMatchObject({ created: true, review: { document: document('here') } });
      expect(await reviews.forget(run.id, ['another'])).toBe(false);
      // A header that names only weak tags.
      expect(await reviews.forget(run.id, [])).toBe(false);
      expect(await reviews.forget(run.id, 'none')).toBe(false);
      expect(await reviews.get(run.id)).not.toBeNull();
      if (saved.outcome !== 'saved') throw new Error('not saved');
      expect(await reviews.forget(run.id, [saved.review.tag])).toBe(true);
      expect(await reviews.forget(run.id, 'any')).toBe(true);
      expect(await reviews.forget(run.id, 'none')).toBe(true);
      expect([await reviews.get(run.id), await keptBytes(run.id)]).toEqual([null, 1000]);
    });

    test('a workspace learns from its own reviews and reads no others', async () => {
      const [mine, theirs] = [`mine_${name}`, `theirs_${name}`];
      for (const organizationId of [mine, theirs]) {
        const words = spoken('We use key cloke here.');
        const { runId } = await completedRun(database, organizationId, words);
        const cues = [{ start: 0, end: 2, lines: ['We use Keycloak here.'] }];
        const review = { ...document(''), cues, finished: true };
        await reviews.save({ id: runId, organizationId }, review, 'none');
      }
      const learner = createLearner(database, createTerminologyStore(database));
      const { candidates } = await learner.learn(mine);
      expect(candidates).toMatchObject([{ canonical: 'Keycloak', accepted: 1 }]);
      const read = await database
        .selectFrom('reviews')
        .leftJoin('review_evidence as known', 'known.run_id', 'reviews.run_id')
        .select(['organization_id', 'known.evidence'])
        .where('organization_id', 'in', [mine, theirs])
        .execute();
      expect(read.find((row) => row.organization_id === mine)?.evidence).toContain('Keycloak');
      expect(read.find((row) => row.organization_id === theirs)?.evidence).toBeNull();
    });

    test('it is deleted with its run, and a deleted run has none', async () => {
      const run = await newRun();
      await reviews.save(run, document('here'), 'none');
      await createRunQueries(database).forget(Date.now() + 1000);
      expect(await reviews.get(run.id)).toBeNull();
      expect((await reviews.save(run, document('late'), 'none')).outcome).toBe('no-run');
    });
  });
});
