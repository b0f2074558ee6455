/**
 * The process that converts one recording; its arguments are the paths of the recording and of the MP3, the bitrate and
 * the most seconds. It writes a point for every second of sound, which shows that it gets on. It is a process of its
 * own, because a recording that is made to do harm must not take the memory or the time of the service.
 */
import { exitCodeOf } from './conversion-failure.ts';
import { convertToMp3 } from './convert.ts';

const [from = '', to = '', bitrate, seconds] = process.argv.slice(2);
let reported = 0;
const progressed = (heard: number): void => {
  if (heard < reported + 1) return;
  reported = heard;
  process.stdout.write('.');
};
try {
  await convertToMp3(from, to, bitrate, Number(seconds), progressed);
  process.exit(0);
} catch (error) {
  process.exit(exitCodeOf(error));
}
