/** Judges how the speech of a run was heard: how well, and whether it is in the language that was asked for. */
import { StageFailure } from '../contract/failure.ts';
import {
  type HearingFigures,
  type LanguageDoubt,
  languageDoubtInWords,
  type OtherLanguage,
} from '../contract/hearing.ts';
import type { CaptionerRequest } from '../contract/payload.ts';
import type { Transcript, TranscriptWord } from '../contract/results.ts';
import type { Stretch } from '../contract/unheard.ts';
import { isAuto, primarySubtag, registeredModel } from '../models/registry.ts';
import { certaintiesOf, hearingEstimate, isCalibrated } from '../speech/calibration.ts';
import { languageDoubt } from '../speech/language-check.ts';

/**
 * The figures about a transcript.
 * @param metadata what is known about its recognition
 * @throws {StageFailure} `language_unsupported` if nothing of it is in the language, and the request does not insist by
 * naming a model
 */
export function judgeHearing(
  transcript: Transcript,
  request: CaptionerRequest,
  metadata: Readonly<Record<string, unknown>>,
): HearingFigures {
  const { words, identified = [] } = transcript;
  // The fallback is so inaccurate that nothing follows from its confidences.
  if (metadata['rough'] === true) return {};
  const estimate = hearingEstimate(withCertainty(words, metadata));
  const hearing = estimate && { hearing: estimate };
  if (isAuto(request.language)) return { ...hearing };
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
    ...hearing,
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

/**
 * Adds to words how certain they are, where the confidences of their recogniser have been measured.
 * @param metadata with the `engine`, and the stretches that another model `heardAgain`
 */
export function withCertainty(
  words: readonly TranscriptWord[],
  { engine, heardAgain }: Readonly<Record<string, unknown>>,
): TranscriptWord[] {
  const again = (heardAgain ?? []) as (Stretch & { model: string })[];
  let at = 0;
  const engines = words.map(({ start, end }) => {
    const middle = (start + end) / 2;
    while (at < again.length && again[at]!.end < middle) at += 1;
    const other = again[at];
    return other && other.start <= middle ? registeredModel(other.model)?.kind : engine;
  });
  const made = [...words];
  for (const own of new Set(engines)) {
    if (typeof own !== 'string' || !isCalibrated(own)) continue;
    const places = engines.flatMap((each, place) => (each === own ? [place] : []));
    const certainties = certaintiesOf(
      places.map((place) => words[place]!),
      own,
    );
    for (const [index, place] of places.entries()) {
      const certainty = certainties[index];
      if (certainty !== undefined) made[place] = { ...words[place]!, certainty };
    }
  }
  return made;
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
