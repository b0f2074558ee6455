/** Bytes at the end of a recording that end the process which counts its frames. */
export const DEADLY = 'deadly-recording';
