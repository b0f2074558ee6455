/** Downloads of translations: one file, or all languages in all formats as one ZIP. */
import { FORMAT_IDS, FORMATS, type FormatId } from '../../../server/captions/files/formats.ts';
import type { Translation } from '../../../server/contract/translations.ts';
import { translatedFile } from '../../api/translations.ts';
import { saveFile } from '../../components/save-file.ts';
import { failureText } from '../../failure-text.ts';
import { session } from '../../session.ts';
import { isOwnRun } from '../../storage/runs.ts';
import { translationText as texts } from '../../texts/translation.ts';
import { captionsText, stemOf } from '../save/download.ts';
import type { Review } from '../desk/review.ts';

type Named = Pick<Translation, 'id' | 'language'>;

const runOf = ({ runId }: Review): string | null => (isOwnRun(runId) ? null : runId);

/** Says what went wrong, if the service refuses or does not answer. */
const told = (work: () => Promise<string>): Promise<string> =>
  work().catch((error: unknown) => failureText(error) ?? '');

/** Downloads a translation in a format; returns what to tell. */
export const downloadOne = (review: Review, of: Named, format: FormatId): Promise<string> =>
  told(async () => {
    const file = await translatedFile(session.peek()?.key ?? '', runOf(review), of, format);
    const name = `${stemOf(review.name)}.${of.language}.${format}`;
    saveFile(file, name, FORMATS[format].type);
    return texts.downloaded(name);
  });

/** Downloads the captions and all translations in all formats; returns what to tell. */
export const downloadAll = (review: Review, all: readonly Named[]): Promise<string> =>
  told(async () => {
    const key = session.peek()?.key ?? '';
    const [{ strToU8, zipSync }, stem] = [await import('fflate'), stemOf(review.name)];
    const files: Record<string, Uint8Array> = {};
    for (const format of FORMAT_IDS) {
      files[`${stem}.${format}`] = strToU8(await captionsText(review, format));
      // One after the other: the service writes each file.
      for (const of of all) {
        const text = await translatedFile(key, runOf(review), of, format);
        files[`${stem}.${of.language}.${format}`] = strToU8(text);
      }
    }
    const name = `${stem}.zip`;
    saveFile(zipSync(files), name, 'application/zip');
    return texts.downloaded(name);
  });
