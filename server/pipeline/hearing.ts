/** Judges how the speech of a run was heard: whether it is in the language that was asked for. */
import { StageFailure } from '../contract/failure.ts';
import {
  type HearingFigures,
  type LanguageDoubt,
  languageDoubtInWords,
  type OtherLanguage,
} from '../contract/hearing.ts';
import type { CaptionerRequest } from '../contract/payload.ts';
import type { Transcript } from '../contract/results.ts';
import { isAuto, primarySubtag } from '../models/registry.ts';
import { languageDoubt } from '../speech/language-check.ts';

/**
 * The figures about a transcript.
 * @throws {StageFailure} `language_unsupported` if nothing of it is in the language, and the request does not insist by
 * naming a model
 */
export function judgeHearing(transcript: Transcript, request: CaptionerRequest): HearingFigures {
  const { words, metadata = {}, identified = [] } = transcript;
  // The fallback is so inaccurate that nothing follows from its confidences.
  if (isAuto(request.language) || metadata['rough'] === true) return {};
  const asked = primarySubtag(request.language);
  const spoken = (metadata['languages'] ?? []) as OtherLanguage[];
  const others = spoken.filter(({ language }) => primarySubtag(language) !== asked);
  const isOther = (time: number): boolean =>
    others.some(({ start, end }) => time >= start && time <= end);
  const own = words.filter(({ start, end }) => !isOther((start + end) / 2));
  const doubt =
    own.length === 0 && words.length > 0
      ? null
      : languageDoubt(
          own,
          asked,
          identified.filter(({ start, end }) => !isOther((start + end) / 2)),
        );
  const isAllOfIt = doubt?.whole === true && own.length === words.length;
  if (isAllOfIt && request.transcription.model === undefined) throw notTheLanguage(doubt, request);
  return {
    ...(doubt && {
      languageDoubt: {
        ...doubt,
        whole: isAllOfIt,
        share: isAllOfIt ? 1 : (doubt.share * own.length) / Math.max(1, words.length),
      },
    }),
    ...(others.length > 0 && { otherLanguages: others }),
  };
}

/** The failure for a recording in another language: its captions would be nonsense. */
const notTheLanguage = (doubt: LanguageDoubt, { transcription }: CaptionerRequest): StageFailure =>
  new StageFailure({
    code: 'language_unsupported',
    message: `${languageDoubtInWords(doubt)} No captions were made.`,
    retryable: false,
    provider: transcription.provider,
    suggestions: [
      doubt.heard === undefined
        ? {
            label: 'Name the language that is spoken',
            description: 'Set language to its tag, such as de or pt-BR; auto detects it.',
            payloadPatch: { language: 'auto' },
          }
        : { label: 'Transcribe it in that language', payloadPatch: { language: doubt.heard } },
      {
        label: 'If it is that language after all, name a model',
        description:
          'With transcription.model, captions are made of whatever was recognised, and the report names the doubt.',
      },
    ],
  });
