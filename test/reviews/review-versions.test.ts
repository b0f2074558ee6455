/** Versions of reviews on both databases: one for each session, bounded, and gone with the review. */
import { describe, expect, test } from 'bun:test';
import { REVIEW_VERSIONS } from '../../server/contract/limits.ts';
import { changeState, stateOf } from '../../server/reviews/review-states.ts';
import { createReviewStore, preparedReview } from '../../server/reviews/review-store.ts';
import { listVersions, nameVersion, readVersion } from '../../server/reviews/review-versions.ts';
import { completedRun, keptBytesOf, spoken } from '../support/servers/completed-run.ts';
import { onEachDatabase } from '../support/servers/databases.ts';

const PAUSE = REVIEW_VERSIONS.pauseSeconds * 1000;

await onEachDatabase((name, database) => {
  /** A run whose review is saved by somebody some time after the last save. */
  async function reviewedRun() {
    const { runId: id } = await completedRun(database, 'org_1', spoken('one two three'));
    const run = { id, organizationId: 'org_1' };
    let now = 1_000_000;
    let isFirst = true;
    const store = createReviewStore(database, () => now);
    const save = async (text: string, keyId: string, after = 1000) => {
      now += after;
      const cues = [{ start: 0, end: 1, lines: [text] }];
      const review = preparedReview({ cues, corrections: [], speakers: [], finished: false });
      const saved = await store.save(run, { ...review, keyId }, isFirst ? 'none' : 'any');
      isFirst = false;
      expect(saved.outcome).toBe('saved');
      return saved;
    };
    const versions = () => listVersions(database, id);
    /** The texts of all versions, newest first. */
    const texts = () =>
      versions().then((all) =>
        Promise.all(
          all.map(async (each) => {
            const found = each.isCurrent
              ? await store.get(id)
              : await readVersion(database, each.id);
            return JSON.parse(found!.text).cues[0].lines[0] as string;
          }),
        ),
      );
    return { run, store, save, versions, texts };
  }

  describe(`versions of reviews on ${name}`, () => {
    test('a session ends when somebody else saves, and after a pause', async () => {
      const { save, texts, versions, store, run } = await reviewedRun();
      await save('ann 1', 'key_ann');
      await save('ann 2', 'key_ann', PAUSE);
      await save('ben', 'key_ben');
      await save('ann 3', 'key_ann');
      await save('ann 4', 'key_ann', PAUSE + 1);
      expect(await texts()).toEqual(['ann 4', 'ann 3', 'ben', 'ann 2']);
      expect((await versions()).map(({ isCurrent }) => isCurrent)).toEqual([
        true,
        false,
        false,
        false,
      ]);
      await store.forget(run.id, 'any');
      expect(await versions()).toEqual([]);
      expect(await keptBytesOf(database, run.id)).toBe(1000);
    });

    test('a review that an earlier service saved becomes a version too', async () => {
      const { save, texts, versions } = await reviewedRun();
      await save('before', 'key_ann');
      await database.deleteFrom('review_versions').execute();
      await save('now', 'key_ann');
      expect(await texts()).toEqual(['now', 'before']);
      expect((await versions())[1]).toMatchObject({ person: null, guest: false });
    });

    test('the oldest without a name goes; what is named or approved stays', async () => {
      const { run, save, texts, versions, store } = await reviewedRun();
      for (let at = 0; at < 3; at += 1) await save(`version ${at}`, `key_${at}`);
      const [, , first] = await versions();
      await nameVersion(database, run.id, first!.id, ' First ');
      await changeState(database, run, { state: 'approved', name: 'Ada' }, null);
      expect((await stateOf(database, run.id)).approval?.changedSince).toBe(false);
      for (let at = 3; at < 3 + REVIEW_VERSIONS.most; at += 1)
        await save(`version ${at}`, 'key_x', PAUSE + at);
      const left = await texts();
      expect(left).toHaveLength(REVIEW_VERSIONS.most);
      expect(left.slice(-2)).toEqual(['version 2', 'version 0']);
      expect((await versions()).at(-1)?.name).toBe('First');
      expect((await stateOf(database, run.id)).approval).toMatchObject({
        name: 'Ada',
        changedSince: true,
      });
      const bytes = (await store.get(run.id))!.text.length;
      const kept = await keptBytesOf(database, run.id);
      expect(Math.abs(kept - 1000 - bytes * left.length)).toBeLessThan(left.length * 2);
    });

    test('so many versions have names that they stay bounded', async () => {
      const { run, save, versions } = await reviewedRun();
      const { mostNamed } = REVIEW_VERSIONS;
      for (let at = 0; at <= mostNamed; at += 1)
        await save(`version ${at}`, 'key_x', PAUSE + 1 + at);
      const named = [];
      for (const { id } of await versions())
        named.push(await nameVersion(database, run.id, id, 'Kept'));
      expect(named.filter((each) => each === 'too-many')).toHaveLength(1);
      expect(named.at(-1)).toBe('too-many');
      expect(await nameVersion(database, run.id, 'ver_none', 'Kept')).toBeNull();
    });

    test('whoever approves another review than they have seen is told', async () => {
      const { run, save } = await reviewedRun();
      const saved = await save('seen', 'key_ann');
      const tag = saved.outcome === 'saved' ? saved.review.tag : '';
      await save('changed', 'key_ann');
      const approval = { state: 'approved', name: 'Ada' } as const;
      expect(await changeState(database, run, approval, [tag])).toMatchObject({ outcome: 'stale' });
      expect(await stateOf(database, run.id)).toMatchObject({ state: 'open', approval: null });
      await changeState(database, run, approval, 'any');
      await changeState(database, run, { assignee: 'Ben', due: '2026-12-01' }, null);
      expect(await stateOf(database, run.id)).toMatchObject({
        state: 'approved',
        assignee: 'Ben',
        due: '2026-12-01',
        approval: { name: 'Ada', changedSince: false },
      });
      await changeState(database, run, { state: 'in_review', assignee: null }, null);
      expect(await stateOf(database, run.id)).toMatchObject({
        state: 'in_review',
        assignee: null,
        due: '2026-12-01',
        approval: null,
      });
    });
  });
});
