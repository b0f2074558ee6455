/** Runs the pipeline for files on this machine. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../server/config/config.ts';
import { StageFailure } from '../server/contract/failure.ts';
import type { CaptionerRequest } from '../server/contract/payload.ts';
import type { CaptionerCompletedResult, CaptionerResult } from '../server/contract/results.ts';
import { captionWordsOf } from '../server/captions/divide/fix-word-times.ts';
import { type ProfileName, profileOf } from '../server/captions/rules/profiles/profiles.ts';
import { compileForRun } from '../server/pipeline/terminology.ts';
import { type MadeTranslation, translatedResult } from '../server/translation/result.ts';
import { sentencesOf } from '../server/translation/sentences.ts';
import type { FileTranslator, Recall } from './translate-files.ts';
import { heardLanguage } from './written-translation.ts';
import { translateSentences } from '../server/translation/translate.ts';
import type { Translator } from '../server/translation/engines/translator.ts';
import { createLog } from '../server/base/log.ts';
import { captionRecording } from '../server/pipeline/captioner-run.ts';
import { createPipeline } from '../server/pipeline/create-pipeline.ts';
import { fileAudio } from './recording.ts';
import { termIn } from '../server/translation/terms.ts';

/** Captions MP3s one after the other; the recogniser stays loaded in between. */
interface Transcriber {
  caption(
    mp3: string,
    request: CaptionerRequest,
    report: (stage: string, progress: number) => void,
    words: (text: string) => void,
  ): Promise<CaptionerResult>;
  /** What translates. */
  translator(): Pick<Translator, 'provider' | 'model' | 'isHere'>;
  /** Translates the captions of a result. @throws {StageFailure} the model does not answer */
  translate(
    result: CaptionerCompletedResult,
    request: CaptionerRequest,
    target: { language: string; profile: ProfileName; recall?: Recall },
    report: (progress: number) => void,
  ): Promise<MadeTranslation['result']>;
  /** Translates captions for which there is no sound. */
  translateCaptions: FileTranslator['translate'];
  /** Removes temporary files. */
  close(): Promise<void>;
}

/**
 * Opens the local pipeline. SIGINT and SIGTERM cancel the current run.
 * @param engine what translates; default: the first that is configured
 */
export async function openTranscriber(config: Config, engine?: string): Promise<Transcriber> {
  const cancel = new AbortController();
  const stop = () =>
    cancel.abort(
      new StageFailure({
        code: 'cancelled',
        message: 'Cancelled.',
        retryable: false,
        suggestions: [],
      }),
    );
  process.once('SIGINT', stop).once('SIGTERM', stop);
  const log = createLog(config.logLevel);
  const tempDir = await mkdtemp(join(tmpdir(), 'captioner-'));
  const { slots } = config.speech;
  const { pipeline, translators, close } = await createPipeline(config, {
    database: null,
    log,
    slots,
    tempDir,
  });
  const choose = (): Translator => translators.choose({ provider: engine });
  return {
    caption: async (mp3, request, report, words) =>
      captionRecording(
        pipeline,
        {
          runId: `run_${randomUUID()}`,
          createdAt: Date.now(),
          audio: await fileAudio(mp3),
          request,
        },
        {
          steps: { run: (_name, work) => work() },
          signal: cancel.signal,
          log,
          report,
          heard: { after: 0, report: (parts) => parts.forEach(({ text }) => words(text)) },
        },
      ),
    translator: choose,
    async translate(result, request, { language, profile: name, recall }, progress) {
      const { audit, captions, transcript } = result;
      const from = heardLanguage(result);
      const words = captionWordsOf(transcript.words);
      const sentences = sentencesOf(captions.cues, from ?? 'und', words);
      const profile = profileOf(name, language);
      const evident = audit.evidentPacks?.map(({ id }) => id);
      const { terms: ofRun } = compileForRun(
        pipeline.packs,
        request,
        undefined,
        undefined,
        evident,
      );
      const terms = ofRun.map(({ category, ...term }) =>
        termIn(language, { ...term, kind: category }),
      );
      const known = recall?.(sentences);
      const job = {
        sentences,
        from,
        to: language,
        terms,
        profile,
        topic: request.topic,
        ...(known && { known }),
      };
      const translated = await translateSentences(job, choose(), {
        signal: cancel.signal,
        progress,
      });
      return translatedResult(sentences, translated, profile).result;
    },
    async translateCaptions(captions, { language, profile: name, from, recall }, report) {
      const sentences = sentencesOf(captions, from ?? 'und');
      const profile = profileOf(name, language);
      const known = recall?.(sentences);
      const job = { sentences, from, to: language, terms: [], profile, ...(known && { known }) };
      const context = { signal: cancel.signal, progress: report };
      const translated = await translateSentences(job, choose(), context);
      return translatedResult(sentences, translated, profile).result;
    },
    async close() {
      close();
      await rm(tempDir, { recursive: true, force: true });
    },
  };
}
