/** Publishes failed calls to providers for counting, including those that are retried. */
import { channel } from 'node:diagnostics_channel';

export interface ProviderFault {
  /** The provider's name in the contract. */
  provider: string;
  /** A failure code of the contract. */
  code: string;
}

const faults = channel('captioner:provider-fault');

/** Publishes a fault. */
export const tellProviderFault = (fault: ProviderFault): void => faults.publish(fault);

/** Subscribes to all faults of this thread. */
export const onProviderFault = (hear: (fault: ProviderFault) => void): void =>
  faults.subscribe((message) => hear(message as ProviderFault));
