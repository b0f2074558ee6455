/** The description of an external service, which configuration, registries and documents read. */

/** A service that needs a key. Its settings are `NAME_API_KEY` and `NAME_BASE_URL`. */
export interface ServiceDescription {
  /** The name by which payloads request it. */
  name: string;
  /** The start of its environment variables, such as `DEEPGRAM`. */
  environment: string;
  /** Its address, unless `NAME_BASE_URL` sets another. */
  baseUrl: string;
  /** The model for payloads that do not name one. */
  model: string;
  /** Its limits in a few words, for documents; empty if there are none to mention. */
  limits: string;
  /** The page of its documentation from which these facts come. */
  page: string;
}
