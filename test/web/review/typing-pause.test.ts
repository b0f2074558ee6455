/** Pausing the recording while the user types. */
import { beforeEach, expect, test } from 'bun:test';
import { signal } from '@preact/signals';
import { createTypingPause } from '../../../web/review/play/typing-pause.ts';

const did: string[] = [];
beforeEach(() => void did.splice(0));

/** A recording at a time, and the waits that are still to come. */
function opened(at = 5, wanted = true) {
  const waits = new Map<() => void, number>();
  const playing = signal(true);
  const time = signal(at);
  const pause = createTypingPause(
    {
      playing,
      time,
      pause() {
        did.push('pause');
        playing.value = false;
      },
      playFrom(from) {
        did.push(`play from ${from}`);
        playing.value = true;
      },
    },
    signal(wanted),
    (work, ms) => {
      waits.set(work, ms);
      return () => waits.delete(work);
    },
  );
  const pass = () => {
    for (const work of waits.keys()) {
      waits.delete(work);
      work();
    }
  };
  return { ...pause, playing, waits, pass };
}

test('the recording goes on a second after the last key, from a second before', () => {
  const { typed, waits, pass } = opened();
  typed();
  typed();
  expect([...waits.values()]).toEqual([1000]);
  pass();
  expect([did[0], did.at(-1)]).toEqual(['pause', 'play from 4']);
});

test('it goes on from its beginning if that is nearer', () => {
  const { typed, pass } = opened(0.4);
  typed();
  pass();
  expect(did).toEqual(['pause', 'play from 0']);
});

test('it is paused again only if it plays again', () => {
  const { typed, playing, waits, pass } = opened();
  typed();
  pass();
  playing.value = false;
  typed();
  expect([waits.size, did.length]).toEqual([0, 2]);
});

test('a user who plays or pauses in the meantime decides', () => {
  const { typed, forget, playing, waits, pass } = opened();
  typed();
  forget();
  expect(waits.size).toBe(0);
  playing.value = false;
  typed();
  pass();
  expect(did).toEqual(['pause']);
});

test('nothing is paused if it is not wanted', () => {
  opened(5, false).typed();
  expect(did).toEqual([]);
});
