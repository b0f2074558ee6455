/** The `json` macro: reads the JSON body of a request within limits, before the route's schema validates it. */
import { Elysia } from 'elysia';
import type { TSchema } from '../../contract/schema.ts';
import { response } from '../openapi/responses.ts';
import { mediaTypeOf } from '../request.ts';
import { type Wire, wireRead } from '../wire.ts';
import { HERE_BYTES, type Task, type WorkPool } from '../work/pool.ts';
import type { BodyBudget } from './body-budget.ts';
import { workspaceOf } from './body-rate.ts';
import { jsonOfBody, readBody, requireJson } from './read-body.ts';

interface JsonBodies {
  /** The largest body. A longer one is refused (413) without being read to its end. */
  maxBytes: number;
  /** The budget that counts the bodies of all such requests while they are read. */
  budget: BodyBudget;
  /** The error code for invalid JSON. Default: `invalid_payload`. */
  invalidCode?: string;
  /** Reads and validates bodies that may have more than HERE_BYTES, in the pool. Their route uses `wireBody`. */
  large?: { pool: WorkPool; read: Task<Uint8Array, object> };
  /** Reads bodies of other media types, always in the pool. */
  files?: { types: RegExp; pool: WorkPool; read: Task<SentFile, object> };
}

/** A body that is a file, so that its query says what JSON would say beside it. */
export interface SentFile {
  bytes: Uint8Array;
  query: Record<string, string>;
}

/**
 * Adds the option `json` to routes, and its refusals to their descriptions. It must come after `scope`. A route whose
 * bodies may have more than HERE_BYTES and that does not say how the pool reads them cannot be created.
 */
export const jsonBodies = new Elysia({ name: 'json-bodies' }).macro({
  json: ({ maxBytes, budget, invalidCode, large, files }: JsonBodies) => {
    if (maxBytes > HERE_BYTES && !large) {
      throw new Error(`a body of ${maxBytes} bytes has to be read in the pool: pass \`large\``);
    }
    return {
      detail: { responses: invalidCode === undefined ? BODY_REFUSALS : TOO_LARGE_OR_OTHER },
      async parse({ request }) {
        const isFile = files?.types.test(mediaTypeOf(request.headers)) ?? false;
        if (!isFile) requireJson(request);
        const share = budget.open();
        try {
          const bytes = await readBody(request, { maxBytes, share });
          if (files && isFile) {
            const query = Object.fromEntries(new URL(request.url).searchParams);
            // What a file says is not known to take time in proportion to its length.
            const size = Math.max(HERE_BYTES + 1, bytes.byteLength);
            const load = { workspace: workspaceOf(request), size };
            const value = await files.pool.do(files.read, { bytes, query }, load);
            valid.add(value);
            return value;
          }
          if (!large) return jsonOfBody(bytes, { invalidCode });
          const load = { workspace: workspaceOf(request), size: bytes.byteLength };
          const value = await large.pool.do(large.read, bytes, load);
          valid.add(value);
          return value;
        } finally {
          share.release();
        }
      },
    };
  },
});

/** The refusals of a body before it is read. */
const TOO_LARGE_OR_OTHER = { 413: response('BodyTooLarge'), 415: response('NotJson') };
/** The refusals of any body that is read, unless its route has error codes of its own. */
export const BODY_REFUSALS = {
  400: response('BrokenBody'),
  ...TOO_LARGE_OR_OTHER,
  422: response('InvalidPayload'),
};

/** Bodies that a task has read and validated. */
const valid = new WeakSet();

/**
 * The schema of a body that a task of the pool reads.
 * @param check does the same for a value that the task has not seen, because the request has no body
 */
export const wireBody = <S extends TSchema, Value extends object>(
  schema: S,
  check: (value: unknown) => Value,
): Wire<S, Value> =>
  wireRead(schema, (value) =>
    typeof value === 'object' && value !== null && valid.has(value)
      ? (value as Value)
      : check(value),
  );
