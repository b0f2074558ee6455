/** All named schemas of the contract: the components of /openapi.json. */
import { AuditReport, TranscriptSpan, TranscriptWord } from './results.ts';
import * as addresses from './addresses.ts';
import * as audio from './audio.ts';
import * as captions from './captions.ts';
import * as discovery from './discovery.ts';
import { ErrorResponse } from './failure.ts';
import * as failure from './failure.ts';
import * as moderation from './results.ts';
import { CaptionerPayload } from './payload.ts';
import * as members from './members.ts';
import * as openai from './openai.ts';
import * as registration from './registration.ts';
import * as learning from './workspace-terms.ts';
import * as proposals from './workspace-terms.ts';
import * as workspaceTerms from './workspace-terms.ts';
import * as review from './review.ts';
import * as versions from './review-versions.ts';
import * as results from './results.ts';
import * as runs from './runs.ts';
import * as evidence from './evidence.ts';
import * as sharing from './sharing.ts';
import type { TSchema } from './schema.ts';
import { CaptionerScope } from './registration.ts';
import * as terminology from './terminology.ts';
import { ResumableUploadState } from './audio.ts';
import { RunErasure, WorkspaceErasure } from './runs.ts';
import * as translations from './translations.ts';
import * as webhooks from './webhooks.ts';

/** The schemas by name, in the order of the contract. */
export const COMPONENTS = {
  CaptionerScope,
  TermPackId: terminology.TermPackId,
  CaptionerPayload,
  WorkflowAccepted: results.WorkflowAccepted,
  WorkflowResultEnvelope: results.WorkflowResultEnvelope,
  CaptionerResult: results.CaptionerResult,
  CaptionerCompletedResult: results.CaptionerCompletedResult,
  CaptionerBlockedResult: results.CaptionerBlockedResult,
  CaptionerFailedResult: results.CaptionerFailedResult,
  AuditReport,
  TermCorrection: terminology.TermCorrection,
  TranscriptWord,
  TranscriptSpan,
  CaptionerWorkflowError: failure.CaptionerWorkflowError,
  CaptionerErrorSuggestion: failure.CaptionerErrorSuggestion,
  CaptionerStage: failure.CaptionerStage,
  SourceAudioRetention: results.SourceAudioRetention,
  ContentModerationSummary: moderation.ContentModerationSummary,
  ContentModerationLogResult: moderation.ContentModerationLogResult,
  CompiledTerminology: terminology.CompiledTerminology,
  TermPackSummary: terminology.TermPackSummary,
  TermPackList: terminology.TermPackList,
  TermObservation: terminology.TermObservation,
  TermCategory: terminology.TermCategory,
  CaptionCue: captions.CaptionCue,
  CaptionSettings: captions.CaptionSettings,
  CaptionQuality: captions.CaptionQuality,
  CaptionQualityWarning: captions.CaptionQualityWarning,
  CaptionCueQuality: captions.CaptionCueQuality,
  CaptionQualityFlag: captions.CaptionQualityFlag,
  AudioObjectReceipt: audio.AudioObjectReceipt,
  ResumableUploadState,
  AgentAuthRequest: registration.AgentAuthRequest,
  AgentAuthStarted: registration.AgentAuthStarted,
  AgentAuthCompleteRequest: registration.AgentAuthCompleteRequest,
  AgentAuthCompleted: registration.AgentAuthCompleted,
  ProtectedResourceMetadata: discovery.ProtectedResourceMetadata,
  AuthorizationServerMetadata: discovery.AuthorizationServerMetadata,
  AgentAuthMetadata: discovery.AgentAuthMetadata,
  AgentSkillsIndex: discovery.AgentSkillsIndex,
  ApiCatalog: discovery.ApiCatalog,
  Health: discovery.Health,
  ErrorResponse,
  Mp3RequiredError: audio.Mp3RequiredError,
  Mp3TooLargeError: audio.Mp3TooLargeError,
  VideoExtractionRecommendation: audio.VideoExtractionRecommendation,
  WorkflowRun: runs.WorkflowRun,
  WorkflowRunList: runs.WorkflowRunList,
  WorkflowRunEvent: runs.WorkflowRunEvent,
  RunTranscriptEvent: runs.RunTranscriptEvent,
  TranscriptPart: runs.TranscriptPart,
  PartialTranscript: runs.PartialTranscript,
  RunErasure,
  WorkspaceErasure,
  Review: review.Review,
  ReviewInput: review.ReviewInput,
  ReviewReceipt: review.ReviewReceipt,
  ReviewDecision: review.ReviewDecision,
  MeasurementInput: evidence.MeasurementInput,
  JudgementInput: evidence.JudgementInput,
  Measurement: evidence.Measurement,
  MeasurementList: evidence.MeasurementList,
  JudgementReceipt: evidence.JudgementReceipt,
  ReviewVersion: versions.ReviewVersion,
  ReviewVersionList: versions.ReviewVersionList,
  ReviewVersionPatch: versions.ReviewVersionPatch,
  ReviewState: versions.ReviewState,
  ReviewStatePatch: versions.ReviewStatePatch,
  ReviewStateList: versions.ReviewStateList,
  ReviewLinkInput: sharing.ReviewLinkInput,
  ReviewLink: sharing.ReviewLink,
  NewReviewLink: sharing.NewReviewLink,
  ReviewLinkList: sharing.ReviewLinkList,
  ReviewCommentInput: sharing.ReviewCommentInput,
  ReviewCommentPatch: sharing.ReviewCommentPatch,
  ReviewComment: sharing.ReviewComment,
  ReviewCommentList: sharing.ReviewCommentList,
  Translation: translations.Translation,
  TranslationList: translations.TranslationList,
  TranslationEdits: translations.TranslationEdits,
  TranslationResult: translations.TranslationResult,
  TranslatedSentence: translations.TranslatedSentence,
  TranslationDoubt: translations.TranslationDoubt,
  TranslationWarning: translations.TranslationWarning,
  TranslationCounts: translations.TranslationCounts,
  WorkspaceTerm: workspaceTerms.WorkspaceTerm,
  WorkspaceTerms: workspaceTerms.WorkspaceTerms,
  WorkspaceTermsInput: workspaceTerms.WorkspaceTermsInput,
  WorkspaceTermsPatch: workspaceTerms.WorkspaceTermsPatch,
  LearnedRule: learning.LearnedRule,
  LearnedRules: learning.LearnedRules,
  RulePatch: learning.RulePatch,
  LearningSettings: learning.LearningSettings,
  TermTextInput: proposals.TermTextInput,
  TermProposal: proposals.TermProposal,
  TermProposals: proposals.TermProposals,
  WebhookInput: webhooks.WebhookInput,
  Webhook: webhooks.Webhook,
  NewWebhook: webhooks.NewWebhook,
  WebhookList: webhooks.WebhookList,
  WebhookDelivery: webhooks.WebhookDelivery,
  WebhookDeliveryList: webhooks.WebhookDeliveryList,
  RunEvent: webhooks.RunEvent,
  ReviewSavedEvent: webhooks.ReviewSavedEvent,
  ReviewCommentEvent: webhooks.ReviewCommentEvent,
  ReviewStateEvent: webhooks.ReviewStateEvent,
  TranslationEvent: webhooks.TranslationEvent,
  KeyAddressInput: addresses.KeyAddressInput,
  NewKeyAddress: addresses.NewKeyAddress,
  KeyAddressList: addresses.KeyAddressList,
  Role: members.Role,
  Account: members.Account,
  Member: members.Member,
  MemberList: members.MemberList,
  MemberChange: members.MemberChange,
  MemberKeyList: members.MemberKeyList,
  InvitationInput: members.InvitationInput,
  Invitation: members.Invitation,
  InvitationList: members.InvitationList,
  InvitationCode: members.InvitationCode,
  InvitationAccepted: members.InvitationAccepted,
  WorkspaceUsage: members.Usage,
  Retention: members.Retention,
  RetentionAnswer: members.RetentionAnswer,
  AuditList: members.AuditList,
  AsrTranscription: openai.AsrTranscription,
  AsrForm: openai.AsrForm,
  DetectedLanguage: openai.DetectedLanguage,
  OpenAiError: openai.OpenAiError,
  OpenAiTranscription: openai.OpenAiTranscription,
  OpenAiVerboseTranscription: openai.OpenAiVerboseTranscription,
  OpenAiDiarizedTranscription: openai.OpenAiDiarizedTranscription,
  OpenAiTranscriptionForm: openai.OpenAiTranscriptionForm,
  OpenAiTranslationForm: openai.OpenAiTranslationForm,
  OpenAiModel: openai.OpenAiModel,
  OpenAiModelList: openai.OpenAiModelList,
} satisfies Record<string, TSchema>;
