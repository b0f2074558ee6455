/** A term as the audit of a run uses it. */
import type { TermCategory } from '../contract/terminology.ts';

/** A term that the audit uses. Plain JSON. */
export interface ActiveTerm {
  /** The form shown in captions. */
  canonical: string;
  category: TermCategory;
  mishears: string[];
  risky: string[];
  near: string[];
  aliases: string[];
  say?: string;
  note?: string;
  /** What it is called in other languages, by BCP 47 tag. */
  translations?: Readonly<Record<string, string>>;
  /** 1..10, halved for a related pack; 10 for an explicit term. */
  weight: number;
  /** Whether it may be sent to a recogniser. */
  keyterm: boolean;
  /** Whether the request itself names it. */
  explicit: boolean;
  /** Whether it was given for this very talk, and not only for the workspace. */
  given?: true;
  /** The packs that contain it; empty for a term that only the request names. */
  packIds: string[];
  /** Risky mishears that people have confirmed, as keys. They are corrected if a near word is close by. */
  confirmed?: string[];
  /** Surfaces that are never this term, according to people, as keys. */
  never?: string[];
}
