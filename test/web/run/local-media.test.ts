/** The files opened in this page. */
import { expect, test } from 'bun:test';
import { localMedia, setLocalMedia } from '../../../web/run/local-media.ts';

test('each run has its own file, the one that was opened last', () => {
  const [one, two, three] = ['one', 'two', 'three'].map((name) => new File([], name));
  setLocalMedia('run_1', one!);
  setLocalMedia('run_2', two!);
  setLocalMedia('run_2', three!);
  expect(['run_1', 'run_2', 'run_3'].map(localMedia)).toEqual([one, three, undefined]);
});
