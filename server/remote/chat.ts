/** Language models as they are asked here: messages in, text out. One file beside this for each wire. */

export interface ChatMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

export interface ChatRequest {
  model: string;
  messages: ChatMessage[];
  /** JSON Schema of the answer, to be kept strictly; absent: the answer is free text. */
  schema?: { name: string; schema: object };
  /** How much chance is in the answer, from 0; absent: the model's own default. */
  temperature?: number;
  timeoutMs: number;
  signal: AbortSignal;
}

export interface ChatAnswer {
  /** What the model wrote; empty where it refused. */
  text: string;
  /** Tokens that question and answer took together, as far as the service tells. */
  tokens: number;
  /** The answer was cut off. */
  cut: boolean;
}

/** A service that runs language models. */
export interface ChatService {
  /** Name on the wire of Captioner. */
  readonly provider: string;
  /**
   * Asks a model.
   * @throws {StageFailure} after the retries of a call; `provider_bad_response` where it is no answer
   */
  chat(request: ChatRequest): Promise<ChatAnswer>;
}

/** Tokens as a service tells them. */
export const tokensTold = (total: number | undefined): number =>
  Math.max(0, Math.round(total ?? 0));
