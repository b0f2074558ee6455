/** Keeps the draft in this tab across reloads: topic, language, glossary, packs and format. */
import { effect } from '@preact/signals';
import { storeText, storedText } from '../storage/web-storage.ts';
import { draft } from './draft.ts';

const KEPT = 'captioner.draft';

const TEXTS = ['topic', 'language', 'glossary', 'exclude'] as const;
const NUMBERS = ['maxLineChars', 'maxLines', 'maxDuration', 'minDuration'] as const;

/** Restores the draft, and stores it from now on. */
export function restoreDraft(): void {
  let kept: Record<string, unknown>;
  try {
    kept = Object(JSON.parse(storedText('sessionStorage', KEPT) ?? '{}'));
  } catch {
    kept = {};
  }
  for (const name of TEXTS) {
    const value = kept[name];
    if (typeof value === 'string') draft[name].value = value;
  }
  for (const name of NUMBERS) {
    const value = kept[name];
    if (typeof value === 'number') draft[name].value = value;
  }
  const packs = kept['packs'];
  if (Array.isArray(packs) && packs.every((pack) => typeof pack === 'string')) {
    draft.packs.value = new Set(packs);
  }
  let isFirst = true;
  effect(() => {
    const now = Object.fromEntries([...TEXTS, ...NUMBERS].map((name) => [name, draft[name].value]));
    const packed = JSON.stringify({ ...now, packs: [...draft.packs.value] });
    // A form that was never touched is not stored.
    if (!isFirst) storeText('sessionStorage', KEPT, packed);
    isFirst = false;
  });
}

/** Deletes the stored draft; the form keeps its values until the page is closed. */
export const forgetDraft = (): void => storeText('sessionStorage', KEPT, null);
