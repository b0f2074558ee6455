/** A review is exchanged with the service, and no edit of anybody is lost; nor are its speakers. */
import { describe, expect, test } from 'bun:test';
import type { Review as ServiceReview } from '../../../server/contract/review.ts';
import {
  changed,
  withSpeakers,
  listedSpeakers,
  withSpeakerIds,
  withSpeakerNames,
} from '../../../web/review/model/cue-speakers.ts';
import { two } from './shared-service.ts';
import { ApiProblem, NoAnswer } from '../../../web/api/request.ts';
import { reviewExchange } from '../../../web/review/save/save-exchange.ts';
import type { ServiceCopy } from '../../../web/storage/service-copies.ts';
import { withKnownSpeakers } from '../../../web/review/save/save-document.ts';
import { type SharedReview } from '../../../web/review/model/shared-review.ts';
import type { SharedCue } from '../../../web/review/model/cue.ts';
import { REVIEW } from '../../../server/contract/limits.ts';

describe('a review', () => {
  test('is saved once, and opened elsewhere unchanged, where undo does not revert it', async () => {
    const { service, ann, ben } = two();
    ann.type(0, 'ONE');
    ann.decide('accepted', 'AuthKit');
    await ann.save();
    await ann.save();
    expect([service.writes, ann.exchange.state.peek()]).toEqual([1, 'saved']);
    expect(service.saved?.review.corrections).toEqual([{ id: 'c1', decision: 'accepted' }]);
    await ben.save(true);
    expect(ben.texts()).toEqual(['ONE', 'two', 'AuthKit', 'four', 'five']);
    expect(ben.review.decisions.peek().get('c1')).toBe('accepted');
    expect([ben.exchange.news.peek(), ben.exchange.state.peek()]).toEqual([[], 'saved']);
    ben.review.undo();
    expect(ben.texts()[0]).toBe('ONE');
    expect(service.writes).toBe(1);
  });

  test('that may only be read follows what others save, and sends nothing', async () => {
    const { service, ann, ben } = two();
    ben.role.value = 'viewing';
    ben.open();
    await ben.save(true);
    ann.type(0, 'ONE');
    await ann.save();
    await ben.save(true);
    expect(ben.texts()).toEqual(service.texts());
    ann.type(1, 'TWO');
    await ann.save();
    ben.type(2, 'not allowed');
    await ben.save(true);
    await ben.exchange.sendLast('key');
    expect([ben.texts(), service.writes]).toEqual([['ONE', 'TWO', 'off kit', 'four', 'five'], 2]);
    expect(ben.exchange.conflicts.peek()).toEqual([]);
  });

  test("merges a colleague's saved changes, and reports them", async () => {
    const { service, ann, ben } = two();
    await ann.save(true);
    await ben.save(true);
    ann.type(0, 'ONE');
    ben.type(3, 'FOUR');
    await ann.save();
    await ben.save();
    expect(service.texts()).toEqual(['ONE', 'two', 'off kit', 'FOUR', 'five']);
    ann.type(1, 'TWO');
    await ann.save();
    expect(ann.texts()).toEqual(service.texts());
    await ben.save(true);
    expect(ben.exchange.news.peek().map(({ after }) => after[0]?.lines)).toEqual([
      ['ONE'],
      ['TWO'],
    ]);
  });

  test.each(['mine', 'theirs'] as const)(
    'is not saved over a caption that both have changed until it is chosen: %s',
    async (side) => {
      const { service, ann, ben } = two();
      ann.type(0, 'Ann');
      ann.type(1, 'both');
      await ann.save();
      ben.type(0, 'Ben');
      ben.type(1, 'both');
      ben.type(4, 'FIVE');
      await ben.save();
      expect([ben.exchange.state.peek(), service.texts()[0]]).toEqual(['choose', 'Ann']);
      const [conflict, more] = ben.exchange.conflicts.peek();
      expect([conflict?.mine[0]?.lines, conflict?.theirs[0]?.lines, more]).toEqual([
        ['Ben'],
        ['Ann'],
        undefined,
      ]);
      // Ben continues, and a reload loses nothing.
      ben.type(3, 'FOUR');
      ben.open();
      await ben.save(true);
      // It is not sent while the page closes, and can be resolved once.
      const { writes } = service;
      await ben.exchange.sendLast('key');
      expect(service.writes).toBe(writes);
      const key = ben.exchange.conflicts.peek()[0]!.key;
      expect(await ben.exchange.choose(key, side)).toBe(true);
      expect(await ben.exchange.choose(key, side)).toBe(false);
      await ben.save();
      const chosen = side === 'mine' ? 'Ben' : 'Ann';
      expect(service.texts()).toEqual([chosen, 'both', 'off kit', 'FOUR', 'FIVE']);
      expect([ben.texts(), ben.exchange.state.peek()]).toEqual([service.texts(), 'saved']);
    },
  );

  test('is merged again if somebody saves between reading and writing', async () => {
    const { service, ann, ben } = two();
    ann.type(0, 'ONE');
    await ann.save();
    await ben.save(true);
    ben.type(3, 'FOUR');
    ann.type(1, 'TWO');
    service.beforeWrite = () => ann.save();
    await ben.save();
    expect(service.texts()).toEqual(['ONE', 'TWO', 'off kit', 'FOUR', 'five']);
  });

  test('shares speakers: names of both are merged, not overwritten', async () => {
    const { service, ann, ben } = two();
    ann.speak('Ada', 0, 1);
    ann.speak('Guest', 3);
    await ann.save();
    expect(service.saved?.review.speakers).toEqual([
      { id: 'Ada', name: 'Ada' },
      { id: 'Guest', name: 'Guest' },
    ]);
    await ben.save(true);
    expect(ben.speakers()).toEqual(['Ada', 'Ada', '', 'Guest', '']);
    // Ann renames a speaker; Ben types in the same caption, and names the speaker of another one.
    ann.rename('Guest', 'Grace');
    ben.type(3, 'FOUR');
    ben.speak('Ben', 4);
    await ann.save();
    await ben.save();
    await ann.save(true);
    for (const desk of [ann, ben]) {
      expect(desk.speakers()).toEqual(['Ada', 'Ada', '', 'Grace', 'Ben']);
      expect(desk.texts()[3]).toBe('FOUR');
      expect(desk.exchange.conflicts.peek()).toEqual([]);
    }
    expect(service.saved?.review.speakers.map(({ name }) => name)).toEqual(['Ada', 'Grace', 'Ben']);
    // Removing a speaker removes it for the other too.
    ben.speak('', 0);
    await ben.save();
    await ann.save(true);
    expect(ann.speakers()[0]).toBe('');
  });

  test('has a conflict if both named the same caption, and keeps captions with two speakers', async () => {
    const { service, ann, ben } = two();
    ann.speak('Ada', 0);
    ben.speak('Ben', 0);
    await ann.save();
    await ben.save();
    expect([ben.exchange.state.peek(), service.saved?.review.cues[0]?.speaker]).toEqual([
      'choose',
      'Ada',
    ]);
    await ben.exchange.choose(ben.exchange.conflicts.peek()[0]?.key ?? '', 'theirs');
    expect(ben.speakers()[0]).toBe('Ada');
    ben.type(1, 'You?\nMe.');
    ben.review.edit(
      'speaker',
      changed(ben.review.cues.peek(), [1], (cue) => withSpeakers(cue, ['Ada', 'Ben'], 'en')),
    );
    await ben.save();
    await ann.save(true);
    expect([ann.speakers()[1], ann.texts()[1]]).toEqual(['Ada/Ben', ben.texts()[1]]);
    const { writes } = service;
    await ann.save();
    await ben.save(true);
    expect(service.writes).toBe(writes);
  });

  test('saved by a client without speakers keeps them', async () => {
    const { service, ann, ben } = two();
    ann.speak('Ada', 0, 1, 2);
    await ann.save();
    await ben.save(true);
    const { review } = service.saved ?? { review: { cues: [] } };
    const cues = review.cues.map(({ start, end, lines }) => ({ start, end, lines }));
    cues[4] = { ...cues[4], lines: ['FIVE'] } as (typeof cues)[number];
    const bare = { ...review, cues, speakers: [] } as unknown as ServiceReview;
    service.saved = { review: bare, tag: '"bare"' };
    await ben.save(true);
    expect([ben.speakers()[2], ben.texts()[4]]).toEqual(['Ada', 'FIVE']);
  });

  test('keeps the ids and names of speakers that others gave', async () => {
    const { service, ann } = two();
    ann.type(0, 'ONE');
    await ann.save();
    const { review } = service.saved ?? { review: { cues: [] } };
    const cues = review.cues.map((cue, at) => (at < 2 ? { ...cue, speaker: 's1' } : cue));
    const speakers = [{ id: 's1', name: 'Ann' }];
    service.saved = { review: { ...review, cues, speakers } as ServiceReview, tag: '"named"' };
    ann.type(1, 'TWO');
    await ann.save();
    expect([service.saved.review.speakers, service.texts()[1]]).toEqual([speakers, 'TWO']);
    expect(ann.speakers().slice(0, 3)).toEqual(['Ann', 'Ann', '']);
    expect(service.saved.review.cues.map(({ speaker }) => speaker ?? '')).toEqual([
      's1',
      's1',
      '',
      '',
      '',
    ]);
  });

  test('that is finished is finished for everybody', async () => {
    const { service, ann, ben } = two();
    ann.exchange.finished.value = true;
    await ann.save();
    expect(service.saved?.review.finished).toBe(true);
    await ben.save(true);
    expect([ben.exchange.finished.peek(), ben.exchange.news.peek()]).toEqual([true, []]);
    ann.type(0, 'ONE');
    await ann.save();
    await ben.save(true);
    expect([ben.exchange.news.peek().length, service.writes]).toEqual([1, 2]);
  });
});

const failed = (saving: Promise<void>) => saving.catch((error: unknown) => error);

const lost = () => Promise.reject(new NoAnswer(''));

describe('what was sent is kept', () => {
  test('before it is sent', async () => {
    const { ann } = two();
    const order: string[] = [];
    const { exchange } = reviewExchange(ann.review, {
      read: async () => null,
      write: async () => {
        order.push('write');
        return '"tag"';
      },
      load: async () => undefined,
      keep: async (_run, { sent }) => {
        await new Promise((done) => setTimeout(done));
        order.push(sent ? 'sent' : 'saved');
      },
    });
    ann.type(0, 'ONE');
    await exchange('key', false, new AbortController().signal);
    expect(order).toEqual(['sent', 'write', 'saved']);
  });

  test.each([
    ['the first version', false],
    ['a later one', true],
  ])('until the service is known not to have it: %s', async (_name, isLater) => {
    const { service, ann } = two();
    if (isLater) {
      ann.type(1, 'TWO');
      await ann.save();
    }
    service.beforeWrite = lost;
    ann.type(0, 'ONE');
    expect(await failed(ann.save())).toBeInstanceOf(NoAnswer);
    expect(ann.kept?.sent).not.toBeNull();
    ann.review.undo();
    await ann.save();
    expect([ann.kept?.sent, service.writes]).toEqual([null, isLater ? 1 : 0]);
  });

  test('not if the service refuses it', async () => {
    const { service, ann } = two();
    ann.type(0, 'ONE');
    service.beforeWrite = () => Promise.reject(new ApiProblem(422, 'invalid', 'No.'));
    expect(await failed(ann.save())).toBeInstanceOf(ApiProblem);
    expect(ann.kept?.sent).toBeNull();
  });
});

describe('a review', () => {
  test('of another workspace does not go on from the version of this one', async () => {
    const { service, ann } = two();
    ann.type(0, 'ONE');
    await ann.save();
    service.saved = null;
    ann.kept = undefined;
    ann.exchange.forget();
    await ann.save();
    expect([service.texts()[0], ann.exchange.state.peek()]).toEqual(['ONE', 'saved']);
  });

  test.each([false, true])(
    'that was deleted stays deleted until the next change, whether all was saved or not: %p',
    async (isUnsaved) => {
      const { service, ann } = two();
      ann.type(0, 'ONE');
      await ann.save();
      service.saved = null;
      if (isUnsaved) ann.type(1, 'TWO');
      await ann.save(true);
      expect([service.saved, ann.exchange.state.peek()]).toEqual([null, 'here']);
      ann.type(3, 'FOUR');
      await ann.save();
      const second = isUnsaved ? 'TWO' : 'two';
      expect(service.texts()).toEqual(['ONE', second, 'off kit', 'FOUR', 'five']);
    },
  );

  test('that another tab takes over while it is read is left to that tab', async () => {
    const { service, ann, ben } = two();
    ann.type(0, 'ONE');
    await ann.save();
    const before = ann.kept;
    await ben.save(true);
    ben.type(1, 'TWO');
    await ben.save();
    const { read } = service;
    service.read = (...given) => {
      ann.role.value = 'following';
      return read(...given);
    };
    ann.type(2, 'THREE');
    await ann.save(true);
    expect([ann.kept, ann.texts()[1], service.texts()[2]]).toEqual([before, 'two', 'off kit']);
  });

  test('that could not be saved when it was left is saved when it is next opened', async () => {
    const { service, ann } = two();
    await ann.save();
    ann.type(0, 'ONE');
    service.beforeWrite = () => Promise.reject(new NoAnswer(''));
    await ann.exchange.sendLast('key');
    expect([service.saved, ann.kept?.seen, ann.kept?.sent?.cues[0]?.lines]).toEqual([
      null,
      null,
      ['ONE'],
    ]);
    ann.open();
    await ann.save();
    expect(service.texts()[0]).toBe('ONE');
  });

  test('that was saved when it was left is stored as saved, however slow the browser stores', async () => {
    const { service, ann } = two();
    const slow = Promise.withResolvers<void>();
    const { read, write } = service;
    let kept: ServiceCopy | undefined;
    const exchange = reviewExchange(ann.review, {
      read,
      write,
      load: async () => undefined,
      async keep(_runId, copy) {
        if (copy.sent) await slow.promise;
        kept = copy;
      },
    });
    await exchange.exchange('key', false, new AbortController().signal);
    ann.type(0, 'ONE');
    const sent = exchange.sendLast('key');
    await Bun.sleep(0);
    slow.resolve();
    await sent;
    expect([kept?.tag, kept?.sent]).toEqual([service.saved?.tag, null]);
  });
});

test('taking theirs takes back a decision that they left open, but none elsewhere', async () => {
  const { ann, ben } = two();
  ann.type(2, 'off-kit');
  ann.decide('rejected', 'five', 'c2');
  ann.type(0, 'ONE');
  await ann.save();
  ben.decide('accepted', 'AuthKit');
  ben.decide('accepted', 'FIVE', 'c2');
  await ben.save();
  expect([ben.texts(), ben.exchange.conflicts.peek().map(({ key }) => key)]).toEqual([
    ['ONE', 'two', 'AuthKit', 'four', 'FIVE'],
    ['2-3'],
  ]);
  await ben.exchange.choose('2-3', 'theirs');
  expect([ben.texts()[2], ...ben.review.decisions.peek()]).toEqual([
    'off-kit',
    ['c1', 'open'],
    ['c2', 'accepted'],
  ]);
  expect(ben.review.state.peek().changes.map(({ kind }) => kind)).toEqual([
    'accept',
    'accept',
    'colleague',
    'colleague',
  ]);
});

const cue = (start: number, line: string, speaker?: string, end = start + 2): SharedCue => ({
  start,
  end,
  lines: [line],
  ...(speaker === undefined ? {} : { speaker }),
});

const review = (cues: SharedReview['cues'], speakers: SharedReview['speakers'] = []) => ({
  cues,
  decisions: [],
  speakers,
  finished: false,
});

const TALK = [cue(0, 'One.'), cue(3, 'Two.'), cue(6, 'Three.'), cue(9, 'Four.')];
const NAMED = review(
  TALK.map((each, at) => (at === 2 ? each : { ...each, speaker: at === 1 ? 'Bob' : 'Ann' })),
  [{ id: 's1', name: 'Ann' }],
);
const part = (start: number, text: string) => cue(start, text, undefined, start + 1);

test.each<[string, SharedCue[], string]>([
  ['one was changed', TALK.with(1, cue(3, 'Twice.')), 'Ann Bob - Ann'],
  ['one was deleted', TALK.toSpliced(1, 1), 'Ann - Ann'],
  ['one was added', TALK.toSpliced(1, 0, cue(2.5, 'New.')), 'Ann - Bob - Ann'],
  ['one was divided', TALK.toSpliced(0, 1, part(0.1, 'O'), part(1.1, 'ne.')), 'Ann Ann Bob - Ann'],
  [
    'two became three',
    TALK.toSpliced(0, 2, part(0.1, 'O'), part(1.1, 'ne'), part(3.1, 'Too')),
    'Ann Bob Bob - Ann',
  ],
])('captions without speakers keep them where %s', (_what, cues, names) => {
  const kept = withKnownSpeakers(review(cues), NAMED).cues;
  expect(kept.map(({ speaker }) => speaker ?? '-').join(' ')).toBe(names);
});

test('a review that names any speakers is unchanged', () => {
  const own = review([cue(0, 'One.', 'Eve')]);
  expect(withKnownSpeakers(own, NAMED)).toBe(own);
  const listed = review([cue(0, 'One.')], [{ id: 's2', name: 'Eve' }]);
  expect(withKnownSpeakers(listed, NAMED)).toBe(listed);
});

test('speakers are identified by their ids if their names differ', () => {
  const listed = ['Ann', 'Ben', 'Ben'].map((name, at) => ({ id: String(at + 1), name }));
  const all = (named: string[], of: typeof withSpeakerNames) =>
    of(
      named.map((speaker) => cue(0, 'a', speaker)),
      listed,
    ).map(({ speaker }) => speaker);
  expect(all(['1', '2', '3', '4', '1\n4'], withSpeakerNames)).toEqual([
    'Ann',
    '2',
    '3',
    '4',
    'Ann\n4',
  ]);
  expect(all(['Ann', 'Ben', 'Cid', 'Ann\nCid'], withSpeakerIds)).toEqual([
    '1',
    '2',
    'Cid',
    '1\nCid',
  ]);
});

test('speakers keep their place; new ones are added, and unused ones removed whose id is their name', () => {
  const listed = (named: string[], ...before: string[]) =>
    listedSpeakers(
      named.map((speaker) => cue(0, 'a', speaker)),
      before.map((name) => ({ id: name === 'Ann' ? '1' : name, name })),
    ).map(({ id }) => id);
  expect(listed(['Ann', 'Ben\nCid', '\nCid'], 'Ann', 'Old', 'Ben')).toEqual(['1', 'Ben', 'Cid']);
  expect(listed(['1'], 'Ann', 'Old', 'Ben')).toEqual(['1']);
  expect(listed(['Zoe\nEve'], 'Dee', 'Eve', 'Ann')).toEqual(['Eve', '1', 'Zoe']);
  const many = Array.from({ length: REVIEW.maxSpeakers + 3 }, (_, index) => `S${index}`);
  expect(listed(many)).toHaveLength(REVIEW.maxSpeakers);
});
