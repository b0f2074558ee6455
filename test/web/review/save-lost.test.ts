/** Saving a review that was deleted on the service, and requests and responses that are lost. */
import { describe, expect, test } from 'bun:test';
import { NoAnswer } from '../../../web/api/request.ts';
import { reviewExchange } from '../../../web/review/save/save-exchange.ts';
import type { ServiceCopy } from '../../../web/storage/service-copies.ts';
import { two } from './shared-service.ts';

describe('a review', () => {
  test('that was deleted remains here, and is saved with the next change', async () => {
    const { service, ann } = two();
    ann.type(0, 'ONE');
    await ann.save();
    service.saved = null;
    await ann.save(true);
    expect([service.saved, ann.exchange.state.peek()]).toEqual([null, 'here']);
    ann.type(1, 'TWO');
    await ann.save();
    expect(service.texts().slice(0, 2)).toEqual(['ONE', 'TWO']);
  });

  test('that was deleted while something is unsaved stays deleted until the next change', async () => {
    const { service, ann } = two();
    ann.type(0, 'ONE');
    await ann.save();
    service.saved = null;
    ann.type(1, 'TWO');
    await ann.save(true);
    expect([service.saved, ann.exchange.state.peek(), ann.texts()[1]]).toEqual([
      null,
      'here',
      'TWO',
    ]);
    ann.type(3, 'FOUR');
    await ann.save();
    expect(service.texts()).toEqual(['ONE', 'TWO', 'off kit', 'FOUR', 'five']);
  });

  test('whose first request never arrived is sent again', async () => {
    const { service, ann } = two();
    service.beforeWrite = () => Promise.reject(new NoAnswer(''));
    ann.type(0, 'ONE');
    expect(await ann.save().catch((error: unknown) => error)).toBeInstanceOf(NoAnswer);
    expect([service.saved, ann.kept?.sent?.cues[0]?.lines]).toEqual([null, ['ONE']]);
    await ann.save();
    expect([service.texts()[0], ann.exchange.state.peek(), ann.kept?.sent]).toEqual([
      'ONE',
      'saved',
      null,
    ]);
  });

  test('that was saved when it was left is the version that a colleague goes on from', async () => {
    const { ann, ben } = two();
    ann.type(0, 'ONE');
    await ann.save();
    ann.type(0, 'ONE more');
    await ann.exchange.sendLast('key');
    expect(ann.kept?.sent).toBeNull();
    await ben.save(true);
    ben.type(0, 'ONE, and more');
    await ben.save();
    ann.open();
    await ann.save(true);
    expect([ann.exchange.conflicts.peek(), ann.texts()[0]]).toEqual([[], 'ONE, and more']);
  });

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

  test('that is left before its stored copy was read is not sent', async () => {
    const { service, ann } = two();
    ann.type(0, 'ONE');
    await ann.exchange.sendLast('key');
    expect([service.writes, ann.kept]).toEqual([0, undefined]);
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

  test('whose response was lost does not count as a colleague’s', async () => {
    const { service, ann } = two();
    ann.type(0, 'ONE');
    service.losesAnswers = true;
    expect(await ann.save().catch((error: unknown) => error)).toBeInstanceOf(NoAnswer);
    service.losesAnswers = false;
    ann.type(0, 'ONE more');
    // Leaving the page does not hide what may have arrived.
    await ann.exchange.sendLast('key');
    ann.open();
    await ann.save();
    expect([ann.exchange.conflicts.peek(), ann.exchange.news.peek()]).toEqual([[], []]);
    expect(service.texts()[0]).toBe('ONE more');
  });
});
