/** A review with its recording: its source, its waveform and its shots; played, zoomed, panned and pointed at. */
import { takeDrawn, textsIn } from './support/page.ts';
import { beforeEach, describe, expect, mock, test } from 'bun:test';
import { keepRun, keptRecording } from '../../../web/storage/runs.ts';
import { stores } from '../../../web/storage/stores.ts';
import { setLocalMedia } from '../../../web/job/local-media.ts';
import { text } from '../../support/browser/words.ts';
import { spoken } from '../../support/servers/completed-run.ts';
import { sample } from '../../support/sample.ts';
import {
  drawn,
  field,
  has,
  one,
  openApp,
  openRun,
  pageText,
  said,
  times,
  until,
  visit,
  writable,
  all,
  control,
  current,
  openFile,
  input,
  texts,
} from './support/app.ts';
import { command } from './support/dialogs.ts';
import { click, giveFiles, press, point, type } from './support/hands.ts';
import { halfRead, tone } from './support/tones.ts';
import { media, open, video, LINES, useVideo, view, clock } from './support/recordings.ts';
import { transcriptText } from '../../../web/texts/desk-parts.ts';
import { transportKeys } from '../../../web/texts/review.ts';
import { srtOf } from './support/talks.ts';

/** The shots found in a video; there is no browser here to decode one. */
let look: (options: {
  signal: AbortSignal;
  onShots(shots: readonly number[], fraction: number): void;
}) => Promise<{ shots: readonly number[]; frameRate: number | null } | null>;
void mock.module('../../../web/media/shots.ts', () => ({
  findShots: (_file: Blob, options: Parameters<typeof look>[0]) => look(options),
  readFrameRate: async () => rate,
}));
/** The rate that the packets of a video show. */
let rate: number | null = null;

const says = text.review;
const ann = await openApp();

beforeEach(() => {
  localStorage.clear();
  look = async () => null;
  rate = null;
});

const mp3 = async () =>
  new File([await Bun.file(sample).arrayBuffer()], 'talk.mp3', { type: 'audio/mpeg' });
const note = () => one('.waveform-note').textContent;
/** Whether the waveform is drawn on the timeline: bars one pixel wide around the middle. */
const isDrawn = (calls: unknown[][]) =>
  calls.some(
    ([name, , y, wide, high]) =>
      name === 'fillRect' && wide === 1 && y === (114 - Number(high)) / 2 && Number(high) > 50,
  );

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

test('the page says that a recording is being read, or cannot be read', async () => {
  const { file, giveRest } = halfRead(tone(60));
  await open(file);
  await until('the note', () => note() === says.waveformLoading);
  // The part that has been read is drawn already.
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
  ['talk.m4v.wav', '', false],
])('%s of type %p is a video: %p', async (name, type, isVideo) => {
  await open(new File(['x'], name, { type }));
  await until('the media', () => media());
  expect(one('.stage').className).toBe(isVideo ? 'stage video' : 'stage audio');
});

test('the accuracy is checked passage by passage, shown at the end, and what was heard goes into the captions', async () => {
  await openRun(ann, spoken('We signed in with Quinter and then we uploaded the talk.'));
  const asks = () => document.querySelector<HTMLElement>('.stage-note input[type=file]');
  await giveFiles(await until('it asks for a recording', asks), [await mp3()]);
  await click(one('[data-tab=report]'));
  const begin = () =>
    document.querySelector<HTMLButtonElement>('.accuracy button[type=submit]:not([disabled])');
  await click(await until('the check', begin));
  const heard = () => document.querySelector<HTMLTextAreaElement>('.accuracy textarea');
  const passages = [
    ['We signed in with Quinter and', 'And so we signed in with Quilter and'],
    ['then we uploaded the talk.', 'then we uploaded the talk.'],
  ] as const;
  for (const [shown, said] of passages) {
    await until('the passage', () => heard()?.value === shown);
    await type(heard()!, said);
    await press('Enter', heard()!);
  }
  await until('the figures', () => /Accuracy: \d/.test(one('.accuracy').textContent));
  expect(heard()).toBeNull();
  expect(texts().join(' ').replaceAll(/\s+/g, ' ')).toBe(
    passages.map(([, said]) => said).join(' '),
  );
});

test('a check whose figure does not tell yet goes on with the next passages', async () => {
  const sentence = 'We signed in with Quilter and then we uploaded the whole talk. ';
  const { runId } = await openRun(ann, spoken(sentence.repeat(60)));
  const { key, service } = ann;
  const ask = async (path: string, method: string, json: object) =>
    (
      await service.ask(`/workflows/captioner/${runId}/measurements${path}`, { method, key, json })
    ).json();
  const { id, sample } = await ask('', 'POST', { person: 'Ann' });
  for (const { number, shown } of sample.slice(0, -1)) {
    await ask(`/${id}/passages/${number}`, 'PUT', { text: shown });
  }
  const asks = () => document.querySelector<HTMLElement>('.stage-note input[type=file]');
  await giveFiles(await until('it asks for a recording', asks), [await mp3()]);
  await click(one('[data-tab=report]'));
  await click(await until('the way on', () => all('.accuracy > button:not([disabled])')[0]));
  const heard = () => document.querySelector<HTMLTextAreaElement>('.accuracy textarea');
  await until('the last passage', () => heard()?.value === sample.at(-1).shown);
  await press('Enter', heard()!);
  await until('the next', () => one('.accuracy').textContent.includes('Passage 51.'));
});

test('a recording uploaded from this page is opened at once; the video takes precedence over the MP3', async () => {
  const run = await openRun(ann, spoken('Good evening everybody'));
  await visit('#/', text.start.title);
  await keepRun({ runId: run.runId, name: 'talk.mp3', createdAt: 1 }, await mp3());
  location.hash = `#/runs/${run.runId}`;
  await until('the sound', () => document.querySelector('.stage.audio video'));
  await visit('#/', text.start.title);
  setLocalMedia(run.runId, video);
  takeDrawn();
  location.hash = `#/runs/${run.runId}`;
  await until('the video', () => document.querySelector('.stage.video video'));
  // The waveform comes from the MP3, which can be read.
  await until('the waveform', () => isDrawn(takeDrawn()));
  await until('the end', () => note() === '');
});

test('the page says that the browser cannot play a recording, and another can be opened', async () => {
  await open(video);
  await until('the video', () => media());
  media()!.dispatchEvent(new Event('error'));
  await until('the note', () => pageText().includes(says.mediaFails));
  expect(has(says.openMedia)).toBe(true);
  await giveFiles(one('.stage-note input[type=file]'), [await mp3()]);
  await until('the sound', () => document.querySelector('.stage.audio'));
  expect(pageText()).not.toContain(says.mediaFails);
  // The player's corner has a button to open the video.
  expect(one('.stage .in-corner').textContent).toContain(says.openVideo);
  await giveFiles(one('.in-corner input[type=file]'), [video]);
  await until('the video', () => document.querySelector('.stage.video'));
  expect(document.querySelector('.in-corner')).toBeNull();
});

test('a step is a frame of the video that was opened, before any is played', async () => {
  rate = 50;
  await open(video);
  await until('the video', () => media()?.src);
  await until('the rate', async () => {
    media()!.currentTime = 3;
    await press('Alt+Period', field(1));
    return Math.abs(media()!.currentTime - (3 + 1.5 / 50)) < 1e-6;
  });
});

test('shots are counted while they are detected, drawn, stored, and snapped to', async () => {
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
  // The view shows 15 s in 600 px.
  expect(shotsAt(100)).toBe(true);
  // A second detection does not start before the first has ended.
  await command('shot changes in');
  found.resolve({ shots: [2.5, 5.04], frameRate: 50 });
  await until('the end', () => said() === says.foundShots(2));
  expect(note()).not.toContain(says.shotsSoFar(0.4));
  expect(await (await stores()).get('peaks', runId)).toMatchObject({
    seconds: 1,
    shots: [2.5, 5.04],
    frameRate: 50,
  });
  field(2).focus();
  media()!.currentTime = 5.1;
  await drawn();
  await click(says.outHere);
  expect(times(2)[1]).toBe('00:00:05,040');
  // They are restored, with the frame rate, when the review is reopened.
  await visit('#/', text.start.title);
  takeDrawn();
  location.hash = `#/runs/${runId}`;
  await until('the shots', () => shotsAt(100));
  await writable();
  await until('the video', () => media()?.src);
  await press('Alt+Period', field(1));
  expect(media()!.currentTime).toBeCloseTo(3 + 1.5 / 50, 6);
});

describe('with a video', () => {
  useVideo();

  test('the timeline zooms around the middle and the pointer, and is panned', async () => {
    media()!.currentTime = 20;
    await drawn();
    // The playhead has left the view, which moves on so that the playhead is near its left edge.
    expect(view()).toEqual({ left: 18.5, span: 15 });
    const rounded = () => [view().left, view().span].map((each) => Number(each.toFixed(6)));
    const wheel = async (fields: object) => {
      // The page does not scroll as well.
      const isLeft = one('.waveform-frame').dispatchEvent(
        Object.assign(new WheelEvent('wheel', { bubbles: true, cancelable: true }), {
          deltaX: 0,
          deltaY: 0,
          clientX: 0,
          ...fields,
        }),
      );
      expect(isLeft).toBe(false);
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
    expect(rounded()).toEqual([18.5, 15]);
    await wheel({ altKey: true, deltaY: 500, clientX: 60 });
    expect(view().span).toBeCloseTo(15 * Math.E, 6);
    await wheel({ altKey: true, deltaY: -500, clientX: 60 });
    await click(says.zoomIn);
    expect(rounded()).toEqual([22.25, 7.5]);
  });

  test('fingers on the timeline pan, tap and pinch', async () => {
    media()!.currentTime = 50;
    await drawn();
    const line = one('.waveform-frame canvas');
    const { left } = view();
    const finger = async (kind: string, clientX: number, pointerId = 1, clientY = 20) => {
      line.dispatchEvent(
        new PointerEvent(kind, {
          clientX,
          clientY,
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
    // In the row of the captions too, at a time without a caption.
    await finger('pointerdown', 140, 1, 100);
    await finger('pointerup', 140, 1, 100);
    expect(media()!.currentTime).toBeCloseTo(left + 1 + 3.5, 6);
    await finger('pointerdown', 100);
    await finger('pointerup', 100);
    const before = view();
    await finger('pointerdown', 200, 1);
    await finger('pointerdown', 400, 2);
    await finger('pointermove', 500, 2);
    expect(view().span).toBeCloseTo((before.span * 200) / 300, 6);
    await finger('pointercancel', 500, 2);
    await finger('pointerup', 200, 1);
    expect(media()!.currentTime).toBeCloseTo(left + 1 + 2.5, 6);
    // The next finger is the only one.
    const { span } = view();
    await finger('pointerdown', 300, 3);
    await finger('pointermove', 260, 3);
    expect(view().span).toBe(span);
  });

  test('a pressed caption becomes current, and a press on it seeks', async () => {
    const line = one('.waveform-frame canvas');
    await point(line, 'pointerdown', 160, 100);
    await point(line, 'pointerup', 160, 100);
    expect([current(), media()!.currentTime]).toEqual([2, 4]);
  });

  test('the overview is pressed to seek, and dragged to move the view', async () => {
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

  test('a caption over the picture keeps its position, lines and italics', async () => {
    const vtt = 'WEBVTT\n\n00:00.000 --> 00:02.000 line:0 align:start\nOne <i>two</i>\n\nThree\n';
    await openFile(vtt, 'talk.vtt', video);
    await until('the video', () => media());
    media()!.currentTime = 1;
    await until('the caption', () => one('.overlay').textContent !== '');
    expect(one('.overlay').className).toBe('overlay top start');
    expect(all('.overlay span').map(({ innerHTML }) => innerHTML)[0]).toBe('One <i>two</i>');
    expect(control(transportKeys.loop).hasAttribute('disabled')).toBe(false);
    // An empty line, as it is while the user types, takes no place.
    await type(field(1), 'One\n\nTwo');
    expect(all('.overlay span').map(({ textContent }) => textContent)).toEqual(['One', 'Two']);
  });

  test('the talk as paragraphs: typing corrects captions, undo takes it back, words become a caption', async () => {
    await click(says.transcript);
    const paragraph = () => one('.paragraph textarea') as HTMLTextAreaElement;
    await until('the paragraphs', () => document.querySelector('.paragraph textarea'));
    const before = paragraph().value;
    paragraph().focus();
    paragraph().value = `Now ${before}`;
    paragraph().setSelectionRange(4, 4);
    paragraph().dispatchEvent(new Event('input', { bubbles: true }));
    await drawn();
    await click(says.undo);
    expect(paragraph().value).toBe(before);
    await click(says.redo);
    expect(paragraph().value).toBe(`Now ${before}`);
    paragraph().focus();
    paragraph().setSelectionRange(0, 3);
    paragraph().dispatchEvent(new Event('select', { bubbles: true }));
    await drawn();
    await click(transcriptText.caption);
    await click(says.transcript);
    await until('the captions', () => document.querySelector('.cue textarea'));
    expect(field(1).value).toBe('Now');
  });

  /** Presses a pointer on an element, moves it and releases it; in pixels from the left edge of its 600. */
  async function drag(on: Element, from: number, to: number, y?: number): Promise<void> {
    await point(on, 'pointerdown', from, y);
    if (to !== from) {
      await point(on, 'pointermove', (from + to) / 2, y);
      await point(on, 'pointermove', to, y);
    }
    await point(on, 'pointerup', to, y);
  }

  const line = () => one('.waveform-frame canvas');

  /** The pixel of a time on the timeline. */
  const xOf = (time: number) => ((time - view().left) / view().span) * 600;

  test('the timeline shows the words and the numbers of the captions in view', async () => {
    const shown = textsIn(takeDrawn());
    for (const words of [...LINES, '1', '2', '3']) expect(shown).toContain(words);
    expect(view()).toEqual({ left: 0, span: 15 });
    await type(field(2), 'It worked.');
    expect(textsIn(takeDrawn())).toContain('It worked.');
  });

  test('an edge and a whole caption can be dragged', async () => {
    field(2).focus();
    await drawn();
    await drag(line(), xOf(5), xOf(5.4));
    expect(times(2)[1]).toBe('00:00:05,400');
    await drag(line(), xOf(4.2), xOf(4.4));
    expect(times(2)).toEqual(['00:00:03,200', '00:00:05,600']);
    await click(says.undo);
    expect(times(2)).toEqual(['00:00:03,000', '00:00:05,400']);
  });

  const colours = ['paper-raised', 'accent', 'error', 'warning'].map(
    (name) => `--${name}: ${name};`,
  );

  document.head.append(
    Object.assign(document.createElement('style'), {
      textContent: `canvas { ${colours.join(' ')} }`,
    }),
  );

  test('the overview marks warnings and matches at their times', async () => {
    takeDrawn();
    await type(field(2), 'So many words that nobody could ever read them all in so little time.');
    // At 3 of 100 seconds on 600 pixels, in the third lane below the sound.
    expect(takeDrawn()).toContainEqual(['fillRect', 17, 30, 2, 5, 'warning']);
    await press('Ctrl+KeyF', field(1));
    await until('the bar', () => has(says.findLabel));
    takeDrawn();
    await type(input(says.findLabel), 'They');
    expect(takeDrawn()).toContainEqual(['fillRect', -1, 0, 2, 18, 'accent']);
  });

  test('without a recording, the page asks for it, and nothing can be played', async () => {
    await openFile(srtOf(...LINES));
    await until('the question', () => pageText().includes(says.noMedia));
    expect((control(says.play) as HTMLButtonElement).disabled).toBe(true);
  });

  test('the buttons play, pause and skip', async () => {
    await click(says.play);
    expect([media()!.paused, has(says.pause)]).toEqual([false, true]);
    media()!.currentTime = 10;
    field(2).focus();
    await click(transportKeys.on5);
    // The cursor stays in the text.
    expect(document.activeElement === field(2)).toBe(true);
    await click(transportKeys.back1);
    expect(media()!.currentTime).toBe(14);
    await click(transportKeys.on1);
    await click(transportKeys.back5);
    expect(media()!.currentTime).toBe(10);
    await click(says.pause);
    expect(media()!.paused).toBe(true);
    expect(clock()).toContain('00:10.0');
  });

  test('keys of the player are handled, and all others left to the browser', async () => {
    one('.cue-list').focus();
    expect(await press('KeyL')).toBe(true);
    expect(media()!.paused).toBe(false);
    expect(await press('KeyK')).toBe(true);
    expect(media()!.paused).toBe(true);
    expect(await press('F5')).toBe(false);
  });

  test('the captions follow the sound, and are shown on the picture', async () => {
    await click(says.play);
    media()!.currentTime = 3.5;
    await until('the second caption', () => current() === 2);
    expect(one('.overlay').textContent).toBe(LINES[1]!);
    media()!.currentTime = 5.5;
    await until('no caption', () => one('.overlay').textContent === '');
  });

  test('the captions do not follow while the user types in one of them', async () => {
    field(1).focus();
    await press('Alt+KeyL', field(1));
    media()!.currentTime = 3.5;
    await until('the second caption', () => one('.overlay').textContent === LINES[1]!);
    await drawn();
    expect([media()!.paused, current()]).toEqual([false, 1]);
  });

  test('a click on the number of a caption plays it', async () => {
    await click(says.goTo(3));
    expect([media()!.currentTime, media()!.paused, current()]).toEqual([6, false, 3]);
  });

  test('a click on a word leads to its sound, unless the recording plays', async () => {
    const listen = async (from: number) => {
      media()!.currentTime = from;
      field(2).setSelectionRange(0, 0);
      await click(field(2));
      return media()!.currentTime;
    };
    expect(await listen(20)).toBe(3);
    await click(says.play);
    expect(await listen(20)).toBe(20);
  });
});
