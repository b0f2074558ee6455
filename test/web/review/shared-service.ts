/** Several browsers with the same review, on a double of the service with entity tags. */
import { signal } from '@preact/signals';
import { ApiProblem } from '../../../web/api/request.ts';
import type { Review as ServiceReview, ReviewInput } from '../../../server/contract/review.ts';
import { speakersOf } from '../../../web/review/model/cue.ts';
import { giveSpeaker, renameSpeaker } from '../../../web/review/model/cue-speakers.ts';
import { openReview } from '../../../web/review/model/history.ts';
import { setText } from '../../../web/review/model/edit-text.ts';
import { initialDecisions } from '../../../web/review/model/corrections.ts';
import { createReview, type Review } from '../../../web/review/editing/review.ts';
import { reviewExchange, type ReviewExchange } from '../../../web/review/save/save-exchange.ts';
import type { Role } from '../../../web/review/editing/tab-lock.ts';
import type { ServiceCopy } from '../../../web/storage/service-copies.ts';
import { cuesOf, settings } from './support.ts';

const original = cuesOf('one', 'two', 'off kit', 'four', 'five');
const corrections = [
  { id: 'c1', start: 6.2, end: 7, before: 'off kit', after: 'AuthKit', decision: 'needs_review' },
  { id: 'c2', start: 12.2, end: 13, before: 'five', after: 'FIVE', decision: 'needs_review' },
] as unknown as Review['corrections'];

/** The service: one review, with a tag derived from its content. */
export class Service {
  saved: { review: ServiceReview; tag: string } | null = null;
  writes = 0;
  beforeWrite: (() => Promise<void>) | null = null;

  read = async (_key: string, _run: string, tag: string | null) =>
    this.saved === null ? null : this.saved.tag === tag ? ('same' as const) : this.saved;

  write = async (_key: string, runId: string, input: ReviewInput, tag: string | null) => {
    const before = this.beforeWrite;
    this.beforeWrite = null;
    await before?.();
    this.writes += 1;
    if ((this.saved?.tag ?? null) !== tag) throw new ApiProblem(412, 'precondition_failed', '');
    const made = `"${Bun.hash(JSON.stringify(input))}"`;
    this.saved = {
      review: { ...input, runId, savedAt: '' } as unknown as ServiceReview,
      tag: made,
    };
    return made;
  };

  texts = (): string[] => this.saved?.review.cues.map(({ lines }) => lines.join('\n')) ?? [];
}

/** One browser: its review, and its copy of the service's version. */
export class Desk {
  review!: Review;
  exchange!: ReviewExchange;
  kept: ServiceCopy | undefined;
  /** Whether this tab writes the review. */
  readonly role = signal<Role>('writing');
  readonly service: Service;

  constructor(service: Service) {
    this.service = service;
    this.open();
  }

  /** Like a reloaded page: the journal has every change, the rest comes from storage. */
  open(): void {
    const { changes = [] } = (this.review as Review | undefined)?.state.peek() ?? {};
    const { state } = openReview(original, initialDecisions(corrections), changes);
    const source = {
      runId: 'run_1',
      name: 'talk.mp3',
      settings,
      language: 'en',
      words: [],
      corrections,
      original,
    };
    this.review = createReview(source, state, { role: this.role, announce() {} });
    this.exchange = reviewExchange(this.review, {
      read: (key, runId, tag) => this.service.read(key, runId, tag),
      write: this.service.write,
      load: async () => structuredClone(this.kept),
      keep: async (_runId, copy) => {
        this.kept = structuredClone(copy);
      },
    });
  }

  type(at: number, text: string): void {
    this.review.edit('text', setText(this.review.cues.peek(), at, text));
  }
  /** Sets the speaker of captions; an empty name removes it. */
  speak(name: string, ...at: number[]): void {
    this.review.edit('speaker', giveSpeaker(this.review.cues.peek(), at, name));
  }
  rename(from: string, to: string): void {
    this.review.edit('speakerName', renameSpeaker(this.review.cues.peek(), from, to));
  }
  decide(after: 'accepted' | 'rejected', text: string, id = 'c1'): void {
    const splice = setText(this.review.cues.peek(), id === 'c1' ? 2 : 4, text);
    const before = this.review.decisions.peek().get(id) ?? 'open';
    this.review.edit('accept', splice, { decisions: [{ id, before, after }] });
  }
  save = (asks = false): Promise<void> =>
    this.exchange.exchange('key', asks, new AbortController().signal);
  speakers = (): string[] => this.review.cues.peek().map((cue) => speakersOf(cue).join('/'));
  texts = (): string[] => this.review.cues.peek().map(({ lines }) => lines.join('\n'));
}

/** Ann and Ben, who have opened the same review. */
export const two = (): { service: Service; ann: Desk; ben: Desk } => {
  const service = new Service();
  return { service, ann: new Desk(service), ben: new Desk(service) };
};
