/** The bytes at the end of a recording that crash the process. */
export const DEADLY = 'deadly-recording';
