/** The settings for the next run, and its payload. This tab keeps them across reloads. */
import { effect, signal } from '@preact/signals';
import { trimmedTerms } from '../../server/contract/glossary.ts';
import type { CaptionerPayload } from '../../server/contract/payload.ts';
import { server } from '../tab/server.ts';
import { storeText, storedText } from '../storage/web-storage.ts';
import { OPTION } from '../../server/contract/limits.ts';

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
  if (kept['sound'] === 'delete') draft.sound.value = 'delete';
  const packs = kept['packs'];
  if (Array.isArray(packs) && packs.every((pack) => typeof pack === 'string')) {
    draft.packs.value = new Set(packs);
  }
  let isFirst = true;
  effect(() => {
    const now = Object.fromEntries([...TEXTS, ...NUMBERS].map((name) => [name, draft[name].value]));
    const sound = draft.sound.value;
    const packed = JSON.stringify({ ...now, sound, packs: [...draft.packs.value] });
    // A form that was never touched is not stored.
    if (!isFirst) storeText('sessionStorage', KEPT, packed);
    isFirst = false;
  });
}

/** Deletes the stored draft; the form keeps its values until the page is closed. */
export const forgetDraft = (): void => storeText('sessionStorage', KEPT, null);

/** The defaults are the contract's; an empty provider lets the server choose. */
export const draft = {
  topic: signal(''),
  language: signal('en'),
  /** Whether the sound stays with the run until its review is finished, or is deleted after its transcription. */
  sound: signal('keep'),
  /** The number of speakers; empty: found by voice. It is not stored, because it says something of one recording. */
  speakers: signal(''),
  glossary: signal(''),
  exclude: signal(''),
  packs: signal<ReadonlySet<string>>(new Set()),
  speech: signal(defaultProvider('transcription')),
  audit: signal(''),
  auditMode: signal('publishable'),
  minConfidence: signal<number>(OPTION.minConfidence.default),
  maxLineChars: signal<number>(OPTION.maxLineChars.default),
  maxLines: signal<number>(OPTION.maxLines.default),
  maxDuration: signal<number>(OPTION.maxDuration.default),
  minDuration: signal<number>(OPTION.minDuration.default),
};

/** The configured providers of a stage. */
export const providersOf = (stage: 'transcription' | 'audit'): string[] =>
  server.providers
    .filter((provider) => provider.stage === stage && provider.configured)
    .map(({ name }) => name);

/** Whether the chosen recogniser can detect the language, as far as the server knows. */
export const detectsLanguage = (): boolean =>
  server.providers.some(
    ({ stage, name, detectsLanguage: can }) =>
      stage === 'transcription' && name === draft.speech.value && can === true,
  );

effect(() => {
  if (draft.language.value === 'auto' && !detectsLanguage()) draft.language.value = 'en';
});

/** The preset modes choose among external models: without one of those they have no effect. */
export const hasAuditModes = (): boolean =>
  providersOf('audit').some((name) => name !== 'edge' && name !== 'none');

function defaultProvider(stage: 'transcription' | 'audit'): string {
  const found = server.providers.find((each) => each.stage === stage && each.isDefault);
  return found?.name ?? 'edge';
}

/** Returns the number of speakers, and forgets it, since the next recording may have another. */
export function takeSpeakers(): string {
  const speakers = draft.speakers.peek();
  draft.speakers.value = '';
  return speakers;
}

/** A list whose separators may be those of Arabic, Chinese or Japanese. */
const withCommas = (typed: string): string => typed.replaceAll(/[،؛、，；]/g, ',');

/** The draft as a payload; empty fields are left out. */
export function payloadOf(audio: CaptionerPayload['audio']): CaptionerPayload {
  const topic = draft.topic.value.trim();
  const glossary = trimmedTerms(withCommas(draft.glossary.value));
  const exclude = trimmedTerms(withCommas(draft.exclude.value));
  const packs = [...draft.packs.value];
  const payload = {
    audio,
    ...(topic === '' ? {} : { topic }),
    ...(glossary.length === 0 ? {} : { glossary }),
    language: draft.language.value,
    ...(draft.sound.value === 'keep' ? { storage: { retainSourceAudio: true } } : {}),
    transcription: { provider: draft.speech.value },
    ...(packs.length + exclude.length === 0
      ? {}
      : {
          terminology: {
            ...(packs.length === 0 ? {} : { packs }),
            ...(exclude.length === 0 ? {} : { exclude }),
          },
        }),
    audit: {
      minConfidence: draft.minConfidence.value,
      ...(draft.audit.value === '' ? {} : { provider: draft.audit.value }),
      ...(hasAuditModes() ? { mode: draft.auditMode.value } : {}),
    },
    captions: {
      maxLineChars: draft.maxLineChars.value,
      maxLines: draft.maxLines.value,
      maxDuration: draft.maxDuration.value,
      minDuration: draft.minDuration.value,
    },
  };
  // The names of packs and providers came from the server.
  return payload as CaptionerPayload;
}
