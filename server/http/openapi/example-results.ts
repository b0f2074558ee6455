/** One small example result of each kind. */
import { DEFAULT_CAPTION_SETTINGS } from '../../contract/captions.ts';
import {
  OPENAPI_VERSION,
  RESULT_VERSION,
  type CaptionerBlockedResult,
  type CaptionerCompletedResult,
  type CaptionerFailedResult,
} from '../../contract/results.ts';

const input = {
  topic: 'MCP Night: agent registration',
  glossary: ['AuthKit'],
  language: 'en',
  source: { key: 'talks/keynote.mp3' },
};

const sourceAudio = {
  key: 'talks/keynote.mp3',
  policy: 'delete_after_use',
  status: 'deleted',
  cleanupPhase: 'after_transcription',
} as const;

const line = 'They signed in with AuthKit.';

/** A run with one caption, in which one term was corrected. */
export const completedResult: CaptionerCompletedResult = {
  openapi: OPENAPI_VERSION,
  version: RESULT_VERSION,
  id: 'res_01JD3V7Q4M',
  status: 'completed',
  input,
  metadata: {
    storage: { sourceAudio },
    moderation: {
      source: 'audio_transcript',
      model: 'rules',
      decision: 'allow',
      severity: 'none',
      reason: 'safe',
      chunksChecked: 1,
    },
    terminology: {
      packs: {
        requestedPacks: [],
        selectedPacks: ['vendors/workos'],
        injectedKeyterms: ['AuthKit'],
        auditTerms: ['AuthKit'],
        omittedKeyterms: [],
        explicitTerms: ['AuthKit'],
        availablePacks: [],
      },
      observations: [
        {
          surface: 'off kit',
          category: 'product_name',
          source: 'audit_accepted',
          action: 'add_mishear',
          suggested: 'AuthKit',
          canonical: 'AuthKit',
          confidence: 0.97,
        },
      ],
    },
  },
  transcript: {
    text: line,
    metadata: { language: 'en', duration: 2.4, droppedWords: 0, unheard: [] },
    words: [
      { text: 'They', start: 0.2, end: 0.4 },
      { text: 'signed', start: 0.4, end: 0.8 },
      { text: 'in', start: 0.8, end: 0.9 },
      { text: 'with', start: 0.9, end: 1.1 },
      { text: 'AuthKit.', start: 1.1, end: 1.8, original: ['off', 'kit'] },
    ],
    utterances: [{ text: line, start: 0.2, end: 1.8, firstWord: 0, lastWord: 4 }],
    paragraphs: [{ text: line, start: 0.2, end: 1.8, firstWord: 0, lastWord: 4 }],
  },
  audit: {
    enabled: true,
    mode: 'publishable',
    provider: 'edge',
    model: 'edge-matcher-3',
    minConfidence: 0.85,
    summary: { accepted: 1, needsReview: 0, rejected: 0 },
    corrections: [
      {
        id: 'c1',
        firstWord: 4,
        lastWord: 5,
        start: 1.1,
        end: 1.8,
        before: 'off kit',
        after: 'AuthKit',
        category: 'product_name',
        confidence: 0.97,
        decision: 'accepted',
        reason: 'A mishear that the pack lists.',
        packHints: ['vendors/workos'],
      },
    ],
    calls: 0,
    tokens: 0,
    cached: 0,
  },
  captions: {
    format: 'srt',
    srt: `1\n00:00:00,200 --> 00:00:01,800\n${line}\n`,
    cues: [
      {
        index: 1,
        start: 0.2,
        end: 1.8,
        startTime: '00:00:00,200',
        endTime: '00:00:01,800',
        text: line,
        lines: [line],
      },
    ],
    settings: DEFAULT_CAPTION_SETTINGS,
  },
  quality: {
    captions: {
      score: 1,
      summary: {
        cueCount: 1,
        warningCount: 0,
        maxLineLength: 28,
        maxCharsPerSecond: 17.5,
        maxWordsPerSecond: 3.1,
      },
      warnings: [],
      cues: [
        {
          cue: 1,
          duration: 1.6,
          charsPerSecond: 17.5,
          wordsPerSecond: 3.1,
          chars: 28,
          words: 5,
          lineCount: 1,
          lineLengths: [28],
          flags: [],
        },
      ],
    },
  },
};

/** A run whose transcript moderation blocked at its second chunk. */
export const blockedResult: CaptionerBlockedResult = {
  openapi: OPENAPI_VERSION,
  version: RESULT_VERSION,
  id: 'res_01JD3V7Q4M',
  status: 'blocked',
  input,
  metadata: {
    generatedAt: '2026-11-20T18:00:09.000Z',
    duration: 61.2,
    counts: { words: 140, utterances: 9, paragraphs: 3 },
    models: {
      transcription: { provider: 'edge' },
      moderation: { provider: 'edge', name: 'rules' },
    },
    timingsMs: { transcription: 4100, moderation: 12, total: 4200 },
    storage: { sourceAudio: { ...sourceAudio, cleanupPhase: 'moderation_blocked' } },
    moderation: {
      source: 'audio_transcript',
      model: 'rules',
      decision: 'block',
      severity: 'high',
      reason: 'content_policy_violation',
      chunksChecked: 2,
      flaggedChunk: { index: 1, start: 30.5, end: 58.0 },
      eventLog: { status: 'stored', id: 'mod_01JD3V7Q4M' },
    },
  },
};

/** A run that named a provider for which the service has no key. */
export const failedResult: CaptionerFailedResult = {
  openapi: OPENAPI_VERSION,
  version: RESULT_VERSION,
  id: 'res_01JD3V7Q4M',
  status: 'failed',
  input,
  error: {
    code: 'provider_not_configured',
    stage: 'payload',
    message: 'This service has no key for deepgram.',
    retryable: false,
    suggestions: [
      {
        label: 'Use edge',
        description: 'The edge provider runs on this server.',
        payloadPatch: { transcription: { provider: 'edge', model: null } },
      },
    ],
    runId: 'run_01JD3V7Q4M',
    provider: 'deepgram',
  },
  metadata: {
    generatedAt: '2026-11-20T18:00:01.000Z',
    timingsMs: { total: 3 },
    storage: { sourceAudio: { ...sourceAudio, status: 'deleted', cleanupPhase: 'failure' } },
  },
};
