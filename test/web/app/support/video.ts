/** A review with its video, whose frames a test decides. */
import { beforeEach } from 'bun:test';
import { one, openApp, openFile, until } from './app.ts';
import { srtOf } from './talks.ts';
import { takeDrawn } from './page.ts';

/** The captions. */
export const LINES = ['They shipped a server.', 'It works for the team.', 'Good night.'];

const recording = new File([new Uint8Array(64)], 'talk.mp4', { type: 'video/mp4' });

/** The video: 100 s long. */
export const media = () => one('video') as HTMLVideoElement;

/** The position and the length, as shown. */
export const clock = (): string => one('.clock').textContent;

/** Opens the app, and the captions with the video before each test. */
export async function openWithVideo(): Promise<void> {
  await openApp();
  beforeEach(async () => {
    localStorage.clear();
    takeDrawn();
    await openFile(srtOf(...LINES), 'talk.srt', recording);
    await until('the video', () => document.querySelector('video'));
    await until('the length', () => {
      media().dispatchEvent(new Event('durationchange'));
      return clock().includes('01:40.0');
    });
  });
}
