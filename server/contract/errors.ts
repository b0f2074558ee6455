import { closed, open, Type, type Static } from './schema.ts';

/** The error that an upstream identity provider returned. */
const IdpError = open({
  status: Type.Integer(),
  code: Type.String(),
  request: Type.Optional(
    open({ method: Type.Optional(Type.String()), path: Type.Optional(Type.String()) }),
  ),
});

/** The error body of the service, used everywhere except for two upload errors that give more detail. */
export const ErrorResponse = closed({
  error: open({
    code: Type.String(),
    message: Type.String(),
    idp: Type.Optional(IdpError),
    scope: Type.Optional(Type.String({ description: 'the scope that the key lacks' })),
    details: Type.Optional(
      Type.Array(closed({ path: Type.String(), message: Type.String() }), {
        description: 'the errors in the request, one entry each',
      }),
    ),
  }),
});
export type ErrorResponse = Static<typeof ErrorResponse>;
