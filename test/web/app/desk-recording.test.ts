/** The recording of a review: where it comes from, its waveform, its shots, and the timeline of it. */
import './support/page.ts';
import { beforeEach, expect, mock, test } from 'bun:test';
import { keepRun, keptRecording } from '../../../web/storage/runs.ts';
import { setLocalMedia } from '../../../web/run/local-media.ts';
import { stores } from '../../../web/storage/database.ts';
import { transportKeys } from '../../../web/words/review.ts';
import { text } from '../../support/browser/words.ts';
import { spoken } from '../../support/servers/completed-run.ts';
import { sample } from '../../support/sample.ts';
import {
  all,
  control,
  current,
  drawn,
  field,
  has,
  one,
  openApp,
  openFile,
  openRun,
  pageText,
  said,
  times,
  until,
  visit,
} from './support/app.ts';
import { command } from './support/dialogs.ts';
import { click, giveFiles, point, press } from './support/hands.ts';
import { srtOf } from './support/srt.ts';
import { takeDrawn } from './support/page.ts';
import { halfRead, tone } from './support/tones.ts';

/** What is found in a video: the browser that would decode it is not here. */
let look: (options: {
  signal: AbortSignal;
  onShots(shots: readonly number[], fraction: number): void;
}) => Promise<{ shots: readonly number[]; frameRate: number | null } | null>;
void mock.module('../../../web/media/shots.ts', () => ({
  findShots: (_file: Blob, options: Parameters<typeof look>[0]) => look(options),
}));

const says = text.review;
const ann = await openApp();

beforeEach(() => {
  localStorage.clear();
  look = async () => null;
});

const LINES = ['They shipped a server.', 'It works for the team.', 'Good night.'];
const mp3 = async () =>
  new File([await Bun.file(sample).arrayBuffer()], 'talk.mp3', { type: 'audio/mpeg' });
const video = new File([new Uint8Array(64)], 'talk.mp4', { type: 'video/mp4' });
const note = () => one('.waveform-note').textContent;
const media = () => document.querySelector('video');
const view = () => {
  const { left, span } = one('.waveform-frame').dataset;
  return { left: Number(left), span: Number(span) };
};
/** Whether the sound is drawn on the timeline: as bars of one pixel, from the middle of its height. */
const isDrawn = (calls: unknown[][]) =>
  calls.some(
    ([name, , y, wide, high]) =>
      name === 'fillRect' && wide === 1 && y === (114 - Number(high)) / 2 && Number(high) > 50,
  );

async function open(file: File): Promise<void> {
  await openFile(srtOf(...LINES));
  takeDrawn();
  await giveFiles(one('.stage-note input[type=file]'), [file]);
}

test('a recording is opened, drawn, and kept if it is an MP3', async () => {
  await open(await mp3());
  expect(one('.stage').className).toBe('stage audio');
  expect([media()?.hidden, document.querySelector('.stage-note')]).toEqual([true, null]);
  expect(has(says.fullScreen)).toBe(false);
  await until('the waveform', () => isDrawn(takeDrawn()));
  const runId = location.hash.split('/').at(-1)!;
  await until('it is kept', () => keptRecording(runId));
  expect((await keptRecording(runId))!.size).toBe(Bun.file(sample).size);
  await until('the peaks are kept', async () => (await stores()).get('peaks', runId));
});

test('a recording that is no MP3 is drawn, and stays in this page alone', async () => {
  await open(tone(9));
  await until('the waveform', () => isDrawn(takeDrawn()));
  const runId = location.hash.split('/').at(-1)!;
  expect(await keptRecording(runId)).toBeUndefined();
  await visit('#/', text.start.make);
  takeDrawn();
  location.hash = `#/runs/${runId}`;
  // It comes back as it is opened in this page, and its waveform without being read again.
  await until('the waveform', () => isDrawn(takeDrawn()));
  expect(media()).not.toBeNull();
});

test('while it is read, the page says so, and what cannot be read is told', async () => {
  const { file, giveRest } = halfRead(tone(60));
  await open(file);
  await until('the note', () => note() === says.waveformLoading);
  // What has been read is drawn already.
  await until('half of it', () => isDrawn(takeDrawn()));
  expect(note()).toBe(says.waveformLoading);
  giveRest();
  await until('the end', () => note() === '');
  await open(video);
  await until('the note', () => note() === says.waveformNone);
  expect(one('.stage').className).toBe('stage video');
  expect([media()?.hidden, has(says.fullScreen)]).toEqual([false, true]);
});

test.each([
  ['talk.mov', '', true],
  ['talk.MKV', '', true],
  ['talk.bin', 'video/x', true],
  ['talk.wav', '', false],
  ['mp4.txt', '', false],
])('%s of type %p is a video: %p', async (name, type, isVideo) => {
  await open(new File(['x'], name, { type }));
  await until('the media', () => media());
  expect(one('.stage').className).toBe(isVideo ? 'stage video' : 'stage audio');
});

test('the recording that was uploaded from here is there at once; the video before the MP3', async () => {
  const run = await openRun(ann, spoken('Good evening everybody'));
  await visit('#/', text.start.make);
  await keepRun({ runId: run.runId, name: 'talk.mp3', createdAt: 1 }, await mp3());
  location.hash = `#/runs/${run.runId}`;
  await until('the sound', () => document.querySelector('.stage.audio video'));
  await visit('#/', text.start.make);
  setLocalMedia(run.runId, video);
  takeDrawn();
  location.hash = `#/runs/${run.runId}`;
  await until('the video', () => document.querySelector('.stage.video video'));
  // The waveform is that of the MP3, which can be read.
  await until('the waveform', () => isDrawn(takeDrawn()));
  await until('the end', () => note() === '');
});

test('a recording that the browser cannot play is told, and another may be opened', async () => {
  await open(video);
  await until('the video', () => media());
  media()!.dispatchEvent(new Event('error'));
  await until('the note', () => pageText().includes(says.mediaFails));
  expect(has(says.openMedia)).toBe(true);
  await giveFiles(one('.stage-note input[type=file]'), [await mp3()]);
  await until('the sound', () => document.querySelector('.stage.audio'));
  expect(pageText()).not.toContain(says.mediaFails);
  // The video of a sound may be opened from its corner.
  expect(one('.stage .in-corner').textContent).toContain(says.openVideo);
  await giveFiles(one('.in-corner input[type=file]'), [video]);
  await until('the video', () => document.querySelector('.stage.video'));
  expect(document.querySelector('.in-corner')).toBeNull();
});

test('without a video there are no shots to find', async () => {
  await openFile(srtOf(...LINES));
  await command('shot changes in');
  await until('the answer', () => said() === says.noShots);
  await open(tone(9));
  await command('shot changes in');
  await until('the answer', () => said() === says.noShots);
});

test('shots are told as they are found, drawn, kept, and snapped to', async () => {
  const found = Promise.withResolvers<{ shots: number[]; frameRate: number }>();
  let tell: Parameters<typeof look>[0]['onShots'] = () => {};
  look = ({ onShots }) => {
    tell = onShots;
    return found.promise;
  };
  await open(video);
  const runId = location.hash.split('/').at(-1)!;
  await (
    await stores()
  ).put('peaks', { perSecond: 50, seconds: 1, values: new Uint8Array(50) }, runId);
  await command('shot changes in');
  expect(said()).toBe(says.findingShots);
  await until('the progress', () => note().endsWith(says.shotsSoFar(0)));
  tell([2.5], 0.4);
  await until('the progress', () => note().endsWith(says.shotsSoFar(0.4)));
  const shotsAt = (x: number) =>
    takeDrawn().some(
      ([name, left, , wide, high]) => name === 'fillRect' && left === x && wide === 1 && high === 3,
    );
  // The view has 15 s on 600 px.
  expect(shotsAt(100)).toBe(true);
  // Another search does not begin before this one ends.
  await command('shot changes in');
  found.resolve({ shots: [2.5, 5.04], frameRate: 25 });
  await until('the end', () => said() === says.foundShots(2));
  expect(note()).not.toContain(says.shotsSoFar(0.4));
  expect(await (await stores()).get('peaks', runId)).toMatchObject({
    seconds: 1,
    shots: [2.5, 5.04],
    frameRate: 25,
  });
  field(2).focus();
  media()!.currentTime = 5.1;
  await drawn();
  await click(says.outHere);
  expect(times(2)[1]).toBe('00:00:05,040');
  // They are there again, with the frame rate, when the review is opened the next time.
  await visit('#/', text.start.make);
  takeDrawn();
  location.hash = `#/runs/${runId}`;
  await until('the shots', () => shotsAt(100));
  await press('Alt+Period', field(1));
  expect(media()!.currentTime).toBeCloseTo(3 + 1.5 / 25, 6);
});

test('a search that fails finds none, and can be made again', async () => {
  look = async () => {
    throw new RangeError('no');
  };
  await open(video);
  await command('shot changes in');
  await until('the answer', () => said() === says.noShots);
  look = async () => ({ shots: [1], frameRate: null });
  await command('shot changes in');
  await until('the answer', () => said() === says.foundShots(1));
});

test('the timeline zooms around the middle and the pointer, and is panned', async () => {
  await open(video);
  await until('the length', () => {
    media()?.dispatchEvent(new Event('durationchange'));
    return one('.clock').textContent.includes('01:40.0');
  });
  media()!.currentTime = 20;
  await drawn();
  // The playhead has left the view, which goes on to show it near its left edge.
  expect(view()).toEqual({ left: 18.5, span: 15 });
  const wheel = async (fields: object) => {
    one('.waveform-frame').dispatchEvent(
      Object.assign(new WheelEvent('wheel', { bubbles: true, cancelable: true }), {
        deltaX: 0,
        deltaY: 0,
        clientX: 0,
        ...fields,
      }),
    );
    await drawn();
  };
  await wheel({ deltaX: 40 });
  expect(view().left).toBeCloseTo(18.5 + 1, 6);
  await wheel({ deltaY: -20, deltaX: -20 });
  expect(view().left).toBeCloseTo(18.5, 6);
  await wheel({ ctrlKey: true, deltaY: 100, clientX: 60 });
  expect(view().span).toBeCloseTo(15 * Math.E, 6);
  // The time under the pointer stays there.
  expect(view().left).toBeCloseTo(20 - view().span / 10, 6);
  await wheel({ metaKey: true, deltaY: -100, clientX: 60 });
  expect([view().left, view().span].map((each) => Number(each.toFixed(6)))).toEqual([18.5, 15]);
  await wheel({ altKey: true, deltaY: 500, clientX: 60 });
  expect(view().span).toBeCloseTo(15 * Math.E, 6);
  await wheel({ altKey: true, deltaY: -500, clientX: 60 });
  await click(says.zoomIn);
  expect([view().left, view().span].map((each) => Number(each.toFixed(6)))).toEqual([22.25, 7.5]);
});

test('the pointer over the timeline shows what a press would do', async () => {
  await open(video);
  await until('the video', () => media());
  const line = one('.waveform-frame canvas');
  const at = async (seconds: number, y: number) => {
    line.dispatchEvent(
      new PointerEvent('pointermove', {
        clientX: seconds * 40,
        clientY: y,
        bubbles: true,
        pointerType: 'mouse',
      }),
    );
    await drawn();
    return line.style.cursor;
  };
  expect([
    await at(4, 20),
    await at(4, 66),
    await at(4, 65),
    await at(2.5, 100),
    await at(3.05, 20),
  ]).toEqual(['text', 'grab', 'text', 'text', 'ew-resize']);
  // A finger reaches further, and the other buttons do nothing.
  const before = media()!.currentTime;
  line.dispatchEvent(
    new PointerEvent('pointerdown', { clientX: 160, clientY: 20, button: 2, bubbles: true }),
  );
  expect(media()!.currentTime).toBe(before);
});

test('fingers on the timeline pan, tap and pinch', async () => {
  await open(video);
  await until('the length', () => {
    media()?.dispatchEvent(new Event('durationchange'));
    return one('.clock').textContent.includes('01:40.0');
  });
  media()!.currentTime = 50;
  await drawn();
  const line = one('.waveform-frame canvas');
  const { left } = view();
  const finger = async (kind: string, clientX: number, pointerId = 1) => {
    line.dispatchEvent(
      new PointerEvent(kind, {
        clientX,
        clientY: 20,
        pointerId,
        bubbles: true,
        cancelable: true,
        pointerType: 'touch',
      }),
    );
    await drawn();
  };
  await finger('pointerdown', 300);
  await finger('pointermove', 260);
  await finger('pointerup', 260);
  expect(view().left).toBeCloseTo(left + 1, 6);
  expect(media()!.currentTime).toBe(50);
  await finger('pointerdown', 100);
  await finger('pointerup', 100);
  expect(media()!.currentTime).toBeCloseTo(left + 1 + 2.5, 6);
  const before = view();
  await finger('pointerdown', 200, 1);
  await finger('pointerdown', 400, 2);
  await finger('pointermove', 500, 2);
  expect(view().span).toBeCloseTo((before.span * 200) / 300, 6);
  await finger('pointercancel', 500, 2);
  await finger('pointerup', 200, 1);
  expect(media()!.currentTime).toBeCloseTo(left + 1 + 2.5, 6);
});

test('a pressed caption becomes current, and a press on it seeks', async () => {
  await open(video);
  await until('the video', () => media());
  const line = one('.waveform-frame canvas');
  await point(line, 'pointerdown', 160, 100);
  await point(line, 'pointerup', 160, 100);
  expect([current(), media()!.currentTime]).toEqual([2, 4]);
});

test('the overview is pressed to seek, and dragged to move the view', async () => {
  await open(video);
  await until('the length', () => {
    media()?.dispatchEvent(new Event('durationchange'));
    return one('.clock').textContent.includes('01:40.0');
  });
  const overview = one('.overview');
  await point(overview, 'pointermove', 300);
  expect(view().left).toBe(0);
  await point(overview, 'pointerdown', 300);
  expect([media()!.currentTime, view().left]).toEqual([50, 42.5]);
  await point(overview, 'pointermove', 240);
  expect([media()!.currentTime, view().left]).toEqual([50, 32.5]);
  await point(overview, 'pointermove', 0);
  expect(view().left).toBe(0);
});

test('the picture fills the screen by a button, and is played by a click', async () => {
  await open(video);
  await until('the video', () => media());
  let asked = 0;
  Object.assign(one('.stage'), {
    requestFullscreen: async () => {
      asked += 1;
      throw new TypeError('no');
    },
  });
  await click(says.fullScreen);
  expect(asked).toBe(1);
  await click(media()!);
  expect(media()!.paused).toBe(false);
  await click(media()!);
  expect(media()!.paused).toBe(true);
});

test('the position is moved by the slider', async () => {
  await open(video);
  await until('the length', () => {
    media()?.dispatchEvent(new Event('durationchange'));
    return one('.clock').textContent.includes('01:40.0');
  });
  const seek = control(says.seek) as HTMLInputElement;
  expect([seek.min, seek.max, seek.step]).toEqual(['0', '100', '0.1']);
  seek.value = '33.5';
  seek.dispatchEvent(new InputEvent('input', { bubbles: true }));
  await drawn();
  expect([media()!.currentTime, one('.clock').textContent]).toEqual([33.5, '00:33.5 / 01:40.0']);
  expect(seek.getAttribute('aria-valuetext')).toBe('00:33.5');
});

test('a caption over the picture has its place, its lines and its italics', async () => {
  const vtt = 'WEBVTT\n\n00:00.000 --> 00:02.000 line:0 align:start\nOne <i>two</i>\n\nThree\n';
  await openFile(vtt, 'talk.vtt', video);
  await until('the video', () => media());
  media()!.currentTime = 1;
  await until('the caption', () => one('.overlay').textContent !== '');
  expect(one('.overlay').className).toBe('overlay top start');
  expect(all('.overlay span').map(({ innerHTML }) => innerHTML)[0]).toBe('One <i>two</i>');
  expect(control(transportKeys.loop).hasAttribute('disabled')).toBe(false);
});
