/** Who takes mails, however they go out. */

export interface Mail {
  to: string;
  subject: string;
  /** Plain text. */
  text: string;
}

export interface Mailer {
  /**
   * Takes a mail. With an SMTP server it goes out afterwards, again and again where that looks
   * temporary: whether an address takes mail must not show in the answer, nor in how long it takes.
   */
  deliver(mail: Mail): Promise<void>;
  /** Lets what is being sent finish, for so long at most; what waits for another try is given up. */
  close(graceMs: number): Promise<void>;
}
