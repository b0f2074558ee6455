/** The interface of language models: messages in, text out. Each API has a file of its own in this folder. */

export interface ChatMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

export interface ChatRequest {
  model: string;
  messages: ChatMessage[];
  /** JSON Schema of the answer, enforced strictly; absent for free text. */
  schema?: { name: string; schema: object };
  /** Sampling temperature, from 0; absent for the model's own default. */
  temperature?: number;
  timeoutMs: number;
  signal: AbortSignal;
}

export interface ChatAnswer {
  /** The model's text; empty if it refused. */
  text: string;
  /** The total tokens of question and answer, if the service reports them. */
  tokens: number;
  /** Whether the answer was cut off. */
  cut: boolean;
}

/** A service that runs language models. */
export interface ChatService {
  /** Its name in Captioner's contract. */
  readonly provider: string;
  /**
   * Asks a model.
   * @throws {StageFailure} after the retries of a call; `provider_bad_response` for an invalid
   *   response
   */
  chat(request: ChatRequest): Promise<ChatAnswer>;
}

/** The tokens that a service reports; 0 if it reports none. */
export const reportedTokens = (total = 0): number => Math.max(0, Math.round(total));
