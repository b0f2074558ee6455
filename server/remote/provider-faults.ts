/** Calls to providers that failed, told to whoever counts them: each of them, also those that are made again. */
import { channel } from 'node:diagnostics_channel';

export interface ProviderFault {
  /** Names on the wire. */
  provider: string;
  /** A failure code of the contract. */
  code: string;
}

const faults = channel('captioner:provider-fault');

/** Tells of a fault. */
export const tellProviderFault = (fault: ProviderFault): void => faults.publish(fault);

/** Hears of every fault in this thread. */
export const onProviderFault = (hear: (fault: ProviderFault) => void): void =>
  faults.subscribe((message) => hear(message as ProviderFault));
