/** Publishes failed calls to providers for counting, including those that are retried. */
import { channel } from 'node:diagnostics_channel';

export interface ProviderError {
  /** The provider's name in the contract. */
  provider: string;
  /** A failure code of the contract. */
  code: string;
}

const errors = channel('captioner:provider-error');

/** Publishes an error. */
export const reportProviderError = (error: ProviderError): void => errors.publish(error);

/** Subscribes to all errors of this thread. */
export const onProviderError = (onError: (error: ProviderError) => void): void =>
  errors.subscribe((message) => onError(message as ProviderError));
