/** Loads the code that opens files over a review. */
import { loadPart } from '../../api/load-part.ts';

/** The part. */
export const openFiles = () => loadPart(() => import('./dropped-files.ts'));
