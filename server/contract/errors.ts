import { closed, open, Type, type Static } from './schema.ts';

/** What an upstream identity provider answered. */
const IdpError = open({
  status: Type.Integer(),
  code: Type.String(),
  request: Type.Optional(
    open({ method: Type.Optional(Type.String()), path: Type.Optional(Type.String()) }),
  ),
});

/** Every error of the service, but for the two of uploads that say more. */
export const ErrorResponse = closed({
  error: open({
    code: Type.String(),
    message: Type.String(),
    idp: Type.Optional(IdpError),
    scope: Type.Optional(Type.String({ description: 'the scope a key lacks' })),
    details: Type.Optional(
      Type.Array(closed({ path: Type.String(), message: Type.String() }), {
        description: 'the faults of a request, one line each',
      }),
    ),
  }),
});
export type ErrorResponse = Static<typeof ErrorResponse>;
