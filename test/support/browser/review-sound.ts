/** Reviews with their recording: captioned in the page, with the sound on the timeline. */
import { sample } from '../sample.ts';
import { makeCaptions, openApp } from './app.ts';
import { ReviewPage, type ReviewBench } from './review.ts';

/** A review of the sample, captioned in the page; its words are those of the short talk. */
export async function captioned({ browser, server, client }: ReviewBench): Promise<ReviewPage> {
  const visit = await openApp(browser, server.url, { client });
  await makeCaptions(visit.page, sample, 'deepgram');
  await visit.page.waitForSelector('.cue');
  const review = new ReviewPage(visit);
  await soundIsSeen(review);
  return review;
}

/** Waits until the waveform is drawn. */
export const soundIsSeen = ({ page }: ReviewPage): Promise<unknown> =>
  page.waitForFunction(
    () => {
      if (document.querySelector('.waveform-note')?.textContent !== '') return false;
      const canvas = document.querySelector<HTMLCanvasElement>('.waveform-frame canvas');
      const pixels = canvas?.getContext('2d')?.getImageData(0, 0, canvas.width, 40).data ?? [];
      return [...pixels].filter((value, at) => at % 4 === 3 && value > 0).length > 2000;
    },
    { polling: 100 },
  );

/**
 * The position of a time on the timeline, in page pixels, at the height of the words, where blocks
 * can be moved.
 */
export const placeOf = ({ page }: ReviewPage, time: number): Promise<readonly [number, number]> =>
  page.$eval(
    '.waveform-frame',
    (frame, at) => {
      const { left, top, width } = frame.getBoundingClientRect();
      const { left: from, span } = (frame as HTMLElement).dataset;
      return [left + ((at - Number(from)) / Number(span)) * width, top + 90] as const;
    },
    time,
  );

/** The seconds of a time as the review shows it. */
export const secondsOf = (clock: string): number =>
  clock
    .replace(',', '.')
    .split(':')
    .reduce((sum, part) => 60 * sum + Number(part), 0);
