/** A review with its recording: opening, playing and drawing it. */
import { beforeEach } from 'bun:test';
import { one, openFile, until } from './app.ts';
import { giveFiles } from './hands.ts';
import { takeDrawn } from './page.ts';
import { srtOf } from './talks.ts';

/** The captions. */
export const LINES = ['They shipped a server.', 'It works for the team.', 'Good night.'];

/** A video that cannot be decoded. */
export const video = new File([new Uint8Array(64)], 'talk.mp4', { type: 'video/mp4' });

/** The player's element, if there is a recording. */
export const media = () => document.querySelector('video');

/** The position and the length, as shown. */
export const clock = (): string => one('.clock').textContent;

/** The part of the recording that the timeline shows. */
export const view = () => {
  const { left, span } = one('.waveform-frame').dataset;
  return { left: Number(left), span: Number(span) };
};

/** Opens the captions, and a recording for them. */
export async function open(file: File): Promise<void> {
  await openFile(srtOf(...LINES));
  takeDrawn();
  const asks = () => document.querySelector<HTMLElement>('.stage-note input[type=file]');
  await giveFiles(await until('it asks for a recording', asks), [file]);
}

/** Opens the captions with the video, which is 100 s long, before each test. */
export function useVideo(): void {
  beforeEach(async () => {
    localStorage.clear();
    takeDrawn();
    await openFile(srtOf(...LINES), 'talk.srt', video);
    await until('the length', () => {
      media()?.dispatchEvent(new Event('durationchange'));
      return clock().includes('01:40.0');
    });
  });
}
