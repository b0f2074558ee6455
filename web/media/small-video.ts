/** Makes a small video in the page, for browsers that do not have the one it is made from. Load it on demand, like convert.ts. */
import { RUN_MEDIA } from '../../server/contract/limits.ts';
import { canEncode, encodeVideo, type EncodingOptions, even } from './encode-video.ts';

/** The height of the picture at most, and its bits per second; those of the sound come on top. */
const HEIGHT = 360;
const PICTURE_BITS = 150_000;
const SOUND_BITS = 32_000;
/** So that little is decoded to show another place. */
const KEY_FRAME_SECONDS = 2;

/** Whether this browser can make a small video at all. */
export const canMakeSmallVideo = (): Promise<boolean> => canEncode(640, HEIGHT);

/** Makes a video of at most 360 lines at about 180 kbit/s. Throws as `encodeVideo` does. */
export const makeSmallVideo = (file: Blob, options: EncodingOptions): Promise<Blob> =>
  encodeVideo(
    file,
    {
      size(wide, high) {
        const height = even(Math.min(HEIGHT, high));
        return { width: even((wide * height) / high), height };
      },
      pictureBits: async () => PICTURE_BITS,
      soundBits: SOUND_BITS,
      channels: 1,
      maxBytes: RUN_MEDIA.maxVideoBytes,
      keyFrameSeconds: KEY_FRAME_SECONDS,
    },
    options,
  );
