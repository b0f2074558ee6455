/** Recognises the errors of the operating system. */

/** Whether an error of the operating system has a code, such as ENOENT. */
export const isCode = (error: unknown, code: string): boolean =>
  (error as NodeJS.ErrnoException).code === code;
