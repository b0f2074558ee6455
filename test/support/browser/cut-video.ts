/** A video of the sample's speech whose picture is cut where a test says so. */
import { join } from 'node:path';
import { AAC, encoder, ffmpeg } from '../../web/support/media-files.ts';
import { sample } from '../sample.ts';

/** Frames a second. */
export const RATE = 25;

/** Makes the video; the picture changes between dark and light at these times, in seconds. */
export async function cutVideo(folder: string, cuts: readonly number[]): Promise<string> {
  const ends = [...cuts, 36];
  const shots = ends.map((end, at) => {
    const colour = at % 2 === 0 ? 'gray' : 'white';
    return `-f lavfi -i color=${colour}:size=160x90:rate=${RATE}:duration=${end - (ends[at - 1] ?? 0)}`;
  });
  const joined = `${ends.map((_, at) => `[${at}:v]`).join('')}concat=n=${ends.length}[v]`;
  return ffmpeg(
    join(folder, 'talk.mp4'),
    ...shots,
    `-i ${sample} -filter_complex ${joined} -map [v] -map ${ends.length}:a -shortest -pix_fmt yuv420p`,
    await encoder('libx264', 'libopenh264', 'mpeg4'),
    AAC,
  );
}
