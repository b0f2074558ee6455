/** The keys that the providers' doubles accept; they refuse any other. None may reach a log. */
export const DEEPGRAM_KEY = 'deepgram-secret-key';
export const ASSEMBLYAI_KEY = 'assemblyai-secret-key';
export const OPENAI_KEY = 'openai-secret-key';
export const GROQ_KEY = 'groq-secret-key';
export const CLOUDFLARE_TOKEN = 'cloudflare-secret-key';
