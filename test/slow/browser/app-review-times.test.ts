/** Editing caption times by typing, with buttons and keys, and by shifting. */
import { describe, expect, setDefaultTimeout } from 'bun:test';
import { reviewTests } from '../../support/browser/review.ts';

setDefaultTimeout(300_000);

const { reviewing, theRun, cueAt } = await reviewTests();

describe('times', () => {
  reviewing('are typed as people write them, and roll the neighbours along', async (review) => {
    for (const [typed, shown] of [
      ['00:00:02,500', '00:00:02,500'],
      ['2.75', '00:00:02,750'],
      ['0:03', '00:00:03,000'],
      ['0:00:02,9', '00:00:02,900'],
    ] as const) {
      await review.fill(review.end(1), typed);
      expect((await review.times(1))[1]).toBe(shown);
    }
    const [, end] = await review.times(2);
    await review.fill(review.end(1), '4.5');
    expect([(await review.times(1))[1], await review.times(2)]).toEqual([
      '00:00:04,500',
      ['00:00:04,584', end],
    ]);
    await review.keys('Control+KeyZ');
    expect((await review.times(2))[0]).toBe(cueAt(2).startTime);
    await review.fill(review.start(1), 'soon');
    expect(await review.said()).toBe('Enter a time as 12.5, 0:13 or 00:01:02,500.');
    expect(await review.count('.time[aria-invalid=true]')).toBe(1);
    // It stays unchanged.
    await review.keys('Tab');
    expect((await review.times(1))[0]).toBe(cueAt(1).startTime);
    await review.fill(review.start(1), '9');
    await review.keys('Escape');
    expect((await review.times(1))[0]).toBe(cueAt(1).startTime);
  });

  reviewing('that cannot be say why, and change nothing', async (review) => {
    const before = await review.srt();
    await review.fill(review.end(1), '01:00:00,000');
    expect(await review.said()).toStartWith('Caption 2 would be too short. Latest end: 00:00:');
    await review.fill(review.start(2), '0');
    expect(await review.said()).toStartWith('Caption 1 would be too short. Earliest start: 00:00:');
    await review.fill(review.start(1), '1:00');
    expect(await review.said()).toBe('A caption must end after it starts.');
    expect((await review.times(1))[0]).toBe(cueAt(1).startTime);
    expect(await review.srt()).toBe(before);
  });

  reviewing('move by buttons and keys; all that follow with them', async (review) => {
    await review.focus(1);
    await review.press('End 0.1 s later');
    expect((await review.cues())[0]?.end).toBeCloseTo(cueAt(1).end + 0.1, 3);
    await review.press('Start 0.1 s later');
    expect((await review.cues())[0]?.start).toBeCloseTo(cueAt(1).start + 0.1, 3);
    // The cursor is still in the text.
    expect(await review.current()).toMatchObject({ caption: 1, typing: true });
    await review.keys('Control+KeyZ', 'Control+KeyZ');
    await review.focus(1);
    await review.keys('Alt+Shift+ArrowRight', 'Alt+Shift+ArrowRight', 'Alt+Shift+ArrowLeft');
    expect((await review.cues())[0]?.start).toBeCloseTo(cueAt(1).start + 0.1, 3);
    await review.focus(2);
    await review.choose('Timing', 'Close gap to next caption');
    expect((await review.cues())[1]?.end).toBeCloseTo(cueAt(3).start - 0.084, 3);
    await review.keys('Control+KeyZ');
  });

  reviewing('are shifted by what is typed, back as well as on', async (review) => {
    await review.focus(3);
    await review.choose('Timing', 'Shift');
    // No click is needed: the field is focused, with its value selected.
    await review.page.keyboard.type('1.5');
    await review.keys('Enter');
    const moved = await review.cues();
    expect(moved[1]?.start).toBe(cueAt(2).start);
    for (const number of [3, 4, theRun().cues.length]) {
      expect(moved[number - 1]?.start).toBeCloseTo(cueAt(number).start + 1.5, 3);
    }
    await review.focus(3);
    await review.choose('Timing', 'Shift');
    await review.page.keyboard.type('-0.5');
    expect(await review.page.$eval('.shift input', (field) => Reflect.get(field, 'value'))).toBe(
      '-0.5',
    );
    await review.keys('Enter');
    for (const number of [3, 4, theRun().cues.length]) {
      expect((await review.cues())[number - 1]?.start).toBeCloseTo(cueAt(number).start + 1, 3);
    }
    await review.choose('Timing', 'Shift');
    await review.page.keyboard.type('back');
    await review.keys('Enter');
    expect(await review.said()).toBe('Enter seconds as 0.5 or -0.5.');
    await review.keys('Escape');
    expect(await review.count('.shift')).toBe(0);
    expect(await review.page.evaluate(() => document.activeElement?.textContent)).toBe('Timing');
  });
});
