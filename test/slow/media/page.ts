/** The entry point of the page that bench.ts controls: the media functions by name. */
import { ConversionError } from '../../../web/media/conversion-error.ts';
import { isMp3 } from '../../../web/media/mp3.ts';

/** An error thrown by a function of the page. */
export interface Thrown {
  name: string;
  message: string;
  reason?: string;
  codec?: string;
}

const media = {
  isMp3,
  convert: () => import('../../../web/media/convert.ts'),
  peaks: () => import('../../../web/media/peaks.ts'),
  /** The file chosen in the page. */
  file(): File {
    const file = document.querySelector('input')?.files?.[0];
    if (!file) throw new Error('no file was chosen');
    return file;
  },
  /** An error in a form that can be passed out of the page. */
  describe(error: unknown): Thrown {
    if (!(error instanceof Error)) return { name: typeof error, message: String(error) };
    const { name, message } = error;
    if (!(error instanceof ConversionError)) return { name, message };
    const { reason, codec } = error;
    return codec === undefined ? { name, message, reason } : { name, message, reason, codec };
  },
};

export type Media = typeof media;

Object.assign(globalThis, { media });
