/** The `json` macro: a route that carries it gets its JSON body read within bounds, before its schema checks it. */
import { Elysia } from 'elysia';
import type { BodyBudget } from './body-budget.ts';
import { readJson } from './json-body.ts';

export interface JsonBodies {
  /** A longer body is refused (413) without being read to its end. */
  maxBytes: number;
  /** What the bodies of all such requests are counted in while they are read. */
  budget: BodyBudget;
  /** The error code of what is not JSON. Default: `invalid_payload`. */
  faultCode?: string;
}

/** Gives routes the option `json`. It comes after `scope`. */
export const jsonBodies = new Elysia({ name: 'json-bodies' }).macro({
  json: ({ maxBytes, budget, faultCode }: JsonBodies) => ({
    async parse({ request }) {
      const share = budget.open();
      const options = { maxBytes, share, ...(faultCode !== undefined && { faultCode }) };
      return readJson(request, options).finally(share.release);
    },
  }),
});
