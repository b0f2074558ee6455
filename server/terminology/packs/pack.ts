/** The schema of a terminology pack: a YAML file in terms/, whose path is its id. */
import { closed, enumeration, Type, type Static } from '../../contract/schema.ts';
import type { TermPackList, TermPackSummary } from '../../contract/terminology.ts';
import { TERM_KINDS, termTranslations } from '../../contract/terms.ts';

const phrase = () => Type.String({ minLength: 1, pattern: '\\S' });
const phrases = (description: string) => Type.Optional(Type.Array(phrase(), { description }));

/** A name or term, and the ways in which recognisers get it wrong. */
const PackTerm = closed({
  canonical: phrase(),
  kind: enumeration(TERM_KINDS),
  mishears: phrases('lower-case forms as a recogniser writes them'),
  aliases: phrases('accepted forms, never corrected'),
  say: Type.Optional(phrase()),
  weight: Type.Number({ minimum: 1, maximum: 10 }),
  keyterm: Type.Optional(Type.Boolean({ default: true, description: 'false: audit context only' })),
  risky: phrases('the mishears that are ordinary English'),
  near: phrases('words that allow a risky mishear to be corrected, within 12 tokens'),
  note: Type.Optional(phrase()),
  translations: Type.Optional(termTranslations()),
});

/** A pack as stored in its file. */
export const TermPack = closed({
  id: phrase(),
  version: Type.Integer({ minimum: 1 }),
  title: phrase(),
  description: Type.Optional(phrase()),
  triggers: Type.Array(phrase()),
  relatedPackIds: Type.Array(phrase()),
  terms: Type.Array(PackTerm, { minItems: 1 }),
});
export type TermPack = Static<typeof TermPack>;

/** A pack in the form in which the service lists it. */
export function summarizePack(pack: TermPack): Static<typeof TermPackSummary> {
  return {
    id: pack.id,
    title: pack.title,
    ...(pack.description === undefined ? {} : { description: pack.description }),
    triggers: [...pack.triggers],
    relatedPackIds: [...pack.relatedPackIds],
    termCount: pack.terms.length,
  };
}

/** The response of GET /terminology/packs. The example names the first pack. */
export function termPackList(packs: readonly TermPack[]): TermPackList {
  return {
    packs: packs.map(summarizePack),
    includeWith: 'payload.terminology.packs',
    example: { terminology: { packs: packs.slice(0, 1).map((pack) => pack.id) } },
  };
}
