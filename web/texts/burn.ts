/** The texts for a video with its captions in the picture. */
import { percent } from './format.ts';
import { inLanguage } from './language.ts';

/** They are loaded with its dialog. */
export const burnText = inLanguage('burnText', {
  title: 'Video with captions in the picture',
  hint: 'This browser makes a copy of your video in which the captions are part of the picture, as the player shows them: for places that show no captions. It stays on this device. Viewers cannot turn these captions off.',
  makes: 'It takes about as long as the video, and at most 1 GiB of memory. Keep this page open.',
  noVideo: 'Open the video here first.',
  cannot: 'This browser cannot encode video. Use a current Chrome, Edge or Safari.',
  start: 'Make the video',
  making: (fraction: number) => `Making the video: ${percent(fraction)}`,
  stop: 'Stop',
  stopped: 'Stopped. Nothing was saved.',
  saved: (name: string, size: string) => `Saved ${name}, ${size}.`,
  fails: {
    tooLong:
      'The video is too long to be made in a browser. Download the captions, and burn them in with your editor.',
    other: 'The video could not be made: this browser cannot read or encode it.',
  },
});
