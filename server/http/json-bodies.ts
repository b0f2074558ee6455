/** The `json` macro: reads the JSON body of a request within limits, before the route's schema validates it. */
import { Elysia } from 'elysia';
import type { BodyBudget } from './body-budget.ts';
import { readJson } from './json-body.ts';

export interface JsonBodies {
  /** The largest body. A longer one is refused (413) without being read to its end. */
  maxBytes: number;
  /** The budget that counts the bodies of all such requests while they are read. */
  budget: BodyBudget;
  /** The error code for invalid JSON. Default: `invalid_payload`. */
  invalidCode?: string;
}

/** Adds the option `json` to routes. It must come after `scope`. */
export const jsonBodies = new Elysia({ name: 'json-bodies' }).macro({
  json: ({ maxBytes, budget, invalidCode }: JsonBodies) => ({
    async parse({ request }) {
      const share = budget.open();
      const options = { maxBytes, share, ...(invalidCode !== undefined && { invalidCode }) };
      return readJson(request, options).finally(share.release);
    },
  }),
});
