/** The interface of mailers. */

export interface Mail {
  to: string;
  subject: string;
  /** Plain text. */
  text: string;
}

export interface Mailer {
  /**
   * Accepts a mail. With an SMTP server it is sent later, with retries after temporary failures, because neither the
   * response nor its duration may reveal whether an address accepts mail.
   */
  deliver(mail: Mail): Promise<void>;
  /** Waits at most this long for emails in transmission; emails waiting for a retry are dropped. */
  close(graceMs: number): Promise<void>;
}
