/** How a report is worded: its sentences and shares in the language of whoever reads it. */

/** The words of a language. */
export interface ReportWords {
  /** The BCP 47 tag. */
  language: string;
  /** A sentence by its name, with its values. */
  say(name: string, values?: Record<string, string | number>): string;
  /** A share with one decimal; without it if `isShort` and it is a whole number of hundredths. */
  percent(share: number, isShort?: boolean): string;
}
