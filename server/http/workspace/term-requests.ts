/** Reads and changes a workspace's terms, for HTTP and MCP. */
import { validator, type TSchema, type Static } from '../../contract/schema.ts';
import {
  TermTextInput,
  type TermProposals,
  WorkspaceTermsInput,
  WorkspaceTermsPatch,
  type TermSource,
  type WorkspaceTerms,
} from '../../contract/workspace-terms.ts';
import {
  termsFromList,
  termsToList,
  termsFromYaml,
  termsToYaml,
  patchTerms,
  replaceTerms,
  storedTerm,
  termsIssues,
} from '../../learning/edit-terms.ts';
import {
  TermsChanged,
  type TerminologyStore,
  type VersionedText,
  documentText,
  TooManyTerms,
  type WorkspaceDocument,
} from '../../learning/terminology-store.ts';
import { phraseKey } from '../../terminology/match/normalize.ts';
import { proposeTerms } from '../../terminology/packs/propose-terms.ts';
import { storesDocument } from '../../storage/write-limit.ts';
import { Problem } from '../problems.ts';
import type { WorkPool } from '../work/pool.ts';
import { HANDOUT, TERM } from '../../contract/limits.ts';
import { preconditionFailed } from '../preconditions.ts';
import { isJsonType, jsonOfBody, textOfBody } from '../bodies/read-body.ts';
import { type HandoutLine, UnreadableHandout } from '../../handouts/lines.ts';
import { type HandoutFile, readHandout, textLines } from '../../handouts/read-handout.ts';

const NOT_FIT = 'The terms are invalid.';

function checked<S extends TSchema>(schema: S, value: unknown, message = NOT_FIT): Static<S> {
  const found = validator(schema);
  if (found.check(value)) return value;
  throw Problem.invalidPayload(message, found.issues(value));
}

/** The tag of a version of the terms. */
export const termsTag = ({ version }: Pick<VersionedText, 'version'>): string => `terms-${version}`;

/** The versions that entity tags name; NaN for any other tag. */
export const termVersionsOf = (tags: readonly string[]): number[] =>
  tags.map((tag) => Number(/^terms-(\d{1,15})$/.exec(tag)?.[1]));

/** The formats of terms, as JSON, as a pack and as a plain list. */
export type TermFormat = 'json' | 'yaml' | 'txt';

/** Writes the terms of a stored document. A task. */
export function writtenTerms({ text, format }: { text: string; format: TermFormat }): string {
  const { terms }: WorkspaceDocument = JSON.parse(text);
  if (format === 'yaml') return termsToYaml(terms);
  if (format === 'txt') return termsToList(terms);
  return JSON.stringify({ terms, limit: TERM.maxTerms } satisfies WorkspaceTerms);
}

/** A change of terms. */
export type TermChange = {
  /** The time of the request, as RFC 3339. */
  at: string;
} & (
  | {
      /** Replaces all terms, or adds and removes some. */
      how: 'put' | 'patch';
      /** The terms as sent: a body in a format, or a value. */
      sent: { format: TermFormat; body: Uint8Array } | { value: unknown };
    }
  | {
      /** Removes terms by their canonical forms, or all if none is named. */
      how: 'remove';
      names: readonly string[];
    }
);

/**
 * Changes the terms of a stored document; null if nothing changes. A task.
 * @throws {Problem} 400 for an unreadable body, 404 for an unknown term, 422 if the new terms are invalid
 */
export function changedTerms({
  text,
  change,
}: {
  text: string;
  change: TermChange;
}): string | null {
  const document: WorkspaceDocument = JSON.parse(text);
  const changed = withChange(document, change);
  if (changed === document) return null;
  if (changed.terms.length > TERM.maxTerms) {
    throw tooMany(`must not be more than ${TERM.maxTerms}`);
  }
  const issues = termsIssues(changed.terms);
  if (issues.length > 0) throw Problem.invalidPayload(NOT_FIT, issues);
  try {
    return documentText(changed, document).text;
  } catch (error) {
    if (error instanceof TooManyTerms) throw tooMany(`must be fewer or shorter. ${error.message}`);
    throw error;
  }
}

const tooMany = (message: string): Problem =>
  Problem.invalidPayload('There are too many terms.', [{ path: 'terms', message }]);

function withChange(document: WorkspaceDocument, change: TermChange): WorkspaceDocument {
  if (change.how === 'remove') {
    const { names } = change;
    if (names.length === 0) {
      return document.terms.length === 0 ? document : { ...document, terms: [] };
    }
    const left = patchTerms(document, { remove: names }, { kind: 'person', at: change.at });
    if (left.terms.length < document.terms.length) return left;
    throw new Problem(404, 'term_not_found', 'The workspace has no such term.');
  }
  const { sent, how } = change;
  const isFile = 'format' in sent && sent.format !== 'json';
  const source: TermSource = { kind: isFile ? 'import' : 'person', at: change.at };
  const value = 'format' in sent ? readTerms(sent) : sent.value;
  if (how === 'put') {
    return replaceTerms(document, checked(WorkspaceTermsInput, value).terms, source);
  }
  const patch = checked(WorkspaceTermsPatch, value);
  // Checked before merging, so that issues refer to the terms as they were sent.
  const issues = termsIssues((patch.terms ?? []).map((term) => storedTerm(term, source)));
  if (issues.length > 0) throw Problem.invalidPayload(NOT_FIT, issues);
  return patchTerms(document, patch, source);
}

/** The terms in a body. @throws {Problem} 400 */
function readTerms({ format, body }: { format: TermFormat; body: Uint8Array }): unknown {
  if (format === 'json') return jsonOfBody(body, { most: TERM.most });
  const text = textOfBody(body);
  if (format === 'txt') return { terms: termsFromList(text) };
  const read = termsFromYaml(text);
  if ('value' in read) return read.value;
  throw new Problem(400, 'invalid_payload', 'The body is not YAML, or it has aliases.');
}

/** What requests for terms need. */
export interface TermServices {
  terminology: TerminologyStore;
  pool: WorkPool;
}

/**
 * Changes the terms of a workspace.
 * @param expected the versions that may be changed; null for any
 * @throws {Problem} as `changedTerms` does, and 412 if the stored version is not an expected one
 */
export async function changeTerms(
  { terminology, pool }: TermServices,
  workspace: string,
  change: TermChange,
  expected: readonly number[] | null,
): Promise<VersionedText> {
  if (change.how !== 'remove') storesDocument();
  try {
    return await terminology.rewrite(
      workspace,
      async (text) => {
        const size = 'sent' in change ? Infinity : text.length;
        return pool.do(changedTerms, { text, change: copyOf(change) }, { workspace, size });
      },
      expected,
    );
  } catch (error) {
    if (!(error instanceof TermsChanged)) throw error;
    throw preconditionFailed('Somebody has changed the terms. Read them again.', termsTag(error));
  }
}

/** A change whose body is handed over to the pool, and is still here if it has to be made again. */
const copyOf = (change: TermChange): TermChange =>
  'sent' in change && 'body' in change.sent
    ? { ...change, sent: { ...change.sent, body: change.sent.body.slice() } }
    : change;

/** The terms of a workspace in a format. */
export const termsText = (
  pool: WorkPool,
  workspace: string,
  { text }: VersionedText,
  format: TermFormat,
): Promise<string> => pool.do(writtenTerms, { text, format }, { workspace, size: text.length });

/** A text, a file or a body in which names and terms are looked for. */
type Handout =
  | { text: string }
  | HandoutFile
  | {
      body: Uint8Array<ArrayBuffer>;
      /** Its media type with parameters, as sent; empty or JSON for a text in JSON. */
      type: string;
    };

/**
 * The names and terms found in a text, a file or a form of files, and whether a stored document already has them. A
 * task.
 * @throws {Problem} 400, 413, 415, 422
 */
export async function foundTerms({
  handout,
  stored,
}: {
  handout: Handout;
  stored: string;
}): Promise<Static<typeof TermProposals>> {
  const { terms }: WorkspaceDocument = JSON.parse(stored);
  const has = new Set(terms.map(({ canonical }) => phraseKey(canonical)));
  return {
    proposals: proposeTerms(await linesOf(handout)).map((found) => ({
      ...found,
      known: has.has(phraseKey(found.term)),
    })),
  };
}

async function linesOf(handout: Handout): Promise<HandoutLine[]> {
  try {
    if ('text' in handout) return textLines(handout.text);
    if ('bytes' in handout) return await readHandout(handout);
    const { body, type } = handout;
    if (isJsonType(type))
      return textLines(checked(TermTextInput, jsonOfBody(body), 'The payload is invalid.').text);
    const files = type.startsWith('multipart/form-data') ? await filesOf(body, type) : [];
    if (files.length === 0) return await readHandout({ bytes: body, hint: type });
    const lines: HandoutLine[] = [];
    for (const file of files) lines.push(...(await readHandout(file)));
    return lines;
  } catch (error) {
    if (!(error instanceof UnreadableHandout)) throw error;
    const { reason, message } = error;
    if (reason === 'type') throw new Problem(415, 'unsupported_media_type', message);
    if (reason === 'size') throw new Problem(413, 'payload_too_large', message);
    throw Problem.invalidPayload(message, [{ path: '', message }]);
  }
}

const isFile = (value: unknown): value is File => value instanceof Blob;

/** The files of a form. @throws {Problem} 400 for a form that cannot be read, 422 for one without files */
async function filesOf(
  body: Uint8Array<ArrayBuffer>,
  type: string,
): Promise<{ bytes: Uint8Array<ArrayBuffer>; hint: string }[]> {
  const form = await new Response(body, { headers: { 'content-type': type } })
    .formData()
    .catch(() => {
      throw new Problem(400, 'invalid_payload', 'The form cannot be read.');
    });
  const files = [...form.values()].flatMap((value) => (isFile(value) ? [value] : []));
  if (files.length === 0 || files.length > HANDOUT.maxFiles) {
    const message = `must have 1 to ${HANDOUT.maxFiles} files`;
    throw Problem.invalidPayload(`The form ${message}.`, [{ path: '', message }]);
  }
  return Promise.all(
    files.map(async (file) => ({
      bytes: new Uint8Array(await file.arrayBuffer()),
      hint: file.name || file.type,
    })),
  );
}

/** The names and terms found in a text or a body, and whether the workspace already has them. */
export async function proposalsFor(
  { terminology, pool }: TermServices,
  workspace: string,
  handout: Handout,
): Promise<Static<typeof TermProposals>> {
  const { text: stored } = await terminology.read(workspace);
  return pool.do(foundTerms, { handout, stored }, { workspace });
}
