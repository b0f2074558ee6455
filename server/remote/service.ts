/** The description of a service that somebody else runs: what a configuration, a registry and the documents read. */

/** Whatever needs a key. Its settings are `NAME_API_KEY` and `NAME_BASE_URL`. */
export interface ServiceDescription {
  /** Its name on the wire: what a payload asks for. */
  name: string;
  /** The start of its environment variables, such as `DEEPGRAM`. */
  environment: string;
  /** Its address, unless `NAME_BASE_URL` says otherwise. */
  baseUrl: string;
  /** The model for payloads that name none. */
  model: string;
  /** Its limits in a few words, for documents; empty where there is nothing to say. */
  limits: string;
  /** The page of its own documentation that these facts come from. */
  page: string;
}
