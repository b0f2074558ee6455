/** What a browser keeps of a review while it is exchanged, and when it asks for the service's version. */
import { describe, expect, test } from 'bun:test';
import { ApiProblem, NoAnswer } from '../../../web/api/request.ts';
import { reviewExchange } from '../../../web/review/save/save-exchange.ts';
import { two } from './shared-service.ts';

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

  test('until the service is known to have it, and then counts as saved', async () => {
    const { service, ann } = two();
    ann.type(0, 'ONE');
    service.losesAnswers = true;
    expect(await failed(ann.save())).toBeInstanceOf(NoAnswer);
    service.losesAnswers = false;
    await ann.save();
    expect([service.writes, ann.exchange.state.peek()]).toEqual([1, 'saved']);
    expect([ann.kept?.sent, ann.kept?.seen?.cues[0]?.lines]).toEqual([null, ['ONE']]);
  });

  test('not if the service refuses it', async () => {
    const { service, ann } = two();
    ann.type(0, 'ONE');
    service.beforeWrite = () => Promise.reject(new ApiProblem(422, 'invalid', 'No.'));
    expect(await failed(ann.save())).toBeInstanceOf(ApiProblem);
    expect(ann.kept?.sent).toBeNull();
  });

  test('not if it conflicts', async () => {
    const { ann, ben } = two();
    ann.type(0, 'Ann');
    await ann.save();
    ben.type(0, 'Ben');
    await ben.save();
    expect([ben.exchange.state.peek(), ben.kept?.sent]).toEqual(['choose', null]);
  });
});

describe('a conflict', () => {
  async function conflict() {
    const all = two();
    all.ann.type(0, 'Ann');
    await all.ann.save();
    all.ben.type(0, 'Ben');
    await all.ben.save();
    return all;
  }

  test('is shown again with what others have saved in the meantime', async () => {
    const { ann, ben } = await conflict();
    ann.type(0, 'Ann again');
    await ann.save();
    await ben.save();
    expect(ben.exchange.conflicts.peek()[0]?.theirs[0]?.lines).toEqual(['Ann again']);
  });

  test('can be resolved once, and is not sent while the page closes', async () => {
    const { service, ben } = await conflict();
    const { writes } = service;
    await ben.exchange.sendLast('key');
    expect(service.writes).toBe(writes);
    const key = ben.exchange.conflicts.peek()[0]!.key;
    expect(await ben.exchange.choose(key, 'mine')).toBe(true);
    expect(await ben.exchange.choose(key, 'mine')).toBe(false);
  });
});

test('conflicts are resolved one after the other, each once', async () => {
  const { service, ann, ben } = two();
  ann.type(0, 'Ann');
  ann.type(3, 'Ann four');
  await ann.save();
  ben.type(0, 'Ben');
  ben.type(3, 'Ben four');
  await ben.save();
  const keys = ben.exchange.conflicts.peek().map(({ key }) => key);
  expect(await ben.exchange.choose(keys[0]!, 'mine')).toBe(true);
  expect(ben.exchange.conflicts.peek().map(({ key }) => key)).toEqual([keys[1]!]);
  expect(await ben.exchange.choose(keys[1]!, 'theirs')).toBe(true);
  await ben.save();
  expect(service.texts()).toEqual(['Ben', 'two', 'off kit', 'Ann four', 'five']);
});

describe('a page that closes', () => {
  test('sends nothing if everything is saved', async () => {
    const { service, ann } = two();
    ann.type(0, 'ONE');
    await ann.save();
    await ann.exchange.sendLast('key');
    expect(service.writes).toBe(1);
  });
});

describe('a review', () => {
  test('is tried five times while others save', async () => {
    const { service, ann } = two();
    let tries = 0;
    service.write = async () => {
      tries += 1;
      throw new ApiProblem(412, 'precondition_failed', '');
    };
    ann.open();
    ann.type(0, 'ONE');
    await ann.save();
    expect([tries, ann.texts()[0]]).toEqual([5, 'ONE']);
  });

  test('that others saved first is merged also if the service asks for a version', async () => {
    const { service, ann, ben } = two();
    ann.type(0, 'ONE');
    await ann.save();
    const { write } = service;
    service.write = (...given) =>
      given[3] === null
        ? Promise.reject(new ApiProblem(428, 'precondition_required', ''))
        : write(...given);
    ben.open();
    ben.type(1, 'TWO');
    await ben.save();
    expect(service.texts().slice(0, 2)).toEqual(['ONE', 'TWO']);
  });

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

  test('stays finished over a lost request and a reload, and when others save first', async () => {
    const { service, ann, ben } = two();
    service.beforeWrite = lost;
    ann.exchange.finished.value = true;
    await failed(ann.save());
    ann.open();
    ben.type(0, 'ONE');
    await ben.save();
    await ann.save();
    expect([service.saved?.review.finished, service.texts()[0]]).toEqual([true, 'ONE']);
  });

  test('without edits here reports what others change after it was opened, all of it', async () => {
    const { ann, ben } = two();
    ann.exchange.finished.value = true;
    await ann.save();
    await ben.save(true);
    expect(ben.exchange.news.peek()).toEqual([]);
    for (const [at, text] of ['ONE', 'TWO'].entries()) {
      ann.type(at, text);
      await ann.save();
      await ben.save(true);
    }
    expect(ben.exchange.news.peek().map(({ after }) => after[0]?.lines)).toEqual([
      ['ONE'],
      ['TWO'],
    ]);
  });
});
