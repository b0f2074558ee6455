/** Tabs with the same review that are left, and that return. */
import { expect, test } from 'bun:test';
import { Channel } from '../support/tabs.ts';
import { pass, settled, tab, useTabs } from './locked-tabs.ts';

useTabs();

test('a tab that has left no longer asks or listens', async () => {
  const [one, two] = [tab(), tab()];
  await one.lock.join();
  await two.lock.join();
  two.lock.take();
  two.lock.leave();
  expect(Channel.open).toHaveLength(1);
  await pass(10_000);
  expect(two.asking()).toBe('asked');
  two.lock.announce();
  one.lock.leave();
  await pass(100);
  expect([one.role(), two.role(), two.did]).toEqual(['following', 'following', ['reload']]);
});

test('a tab that is left before it writes passes the lock on', async () => {
  const [one, two, three] = [tab(), tab(), tab()];
  for (const each of [one, two, three]) await each.lock.join();
  one.lock.leave();
  await pass(50);
  two.lock.leave();
  await pass(50);
  expect(two.role()).toBe('following');
  await pass(100);
  expect(three.role()).toBe('writing');
});

test('a tab that waits while another takes over is not given the lock after it has left', async () => {
  const [one, two, three] = [tab(), tab(), tab()];
  for (const each of [one, two, three]) await each.lock.join();
  one.lock.leave();
  await pass(100);
  expect(two.role()).toBe('writing');
  three.lock.leave();
  two.lock.leave();
  await pass(100);
  const four = tab();
  await four.lock.join();
  expect([three.role(), four.role()]).toEqual(['following', 'writing']);
});

test('late news of another writing tab does not make a returning one keep the lock', async () => {
  const [one, two] = [tab(), tab()];
  await one.lock.join();
  one.lock.leave();
  await settled();
  await one.lock.join();
  new Channel('captioner review run_1').postMessage({ kind: 'taken' });
  await settled();
  await two.lock.join();
  two.lock.take();
  await pass(100);
  expect([one.role(), two.role()]).toEqual(['following', 'writing']);
});

test('a returning tab joins the others again', async () => {
  const [one, two] = [tab(), tab()];
  await one.lock.join();
  one.lock.leave();
  await settled();
  await two.lock.join();
  await one.lock.join();
  expect([one.role(), two.role()]).toEqual(['following', 'writing']);
  two.lock.leave();
  await pass(100);
  expect(one.role()).toBe('writing');
});
