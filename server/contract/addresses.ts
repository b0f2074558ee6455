/** Addresses that hold what a key would be. */
import { closed, dateTime, Type } from './schema.ts';
import { ADDRESS } from './limits.ts';

/** An address to make. */
export const KeyAddressInput = closed({
  name: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: ADDRESS.maxNameChars,
      pattern: '^[^\\u0000]*$',
      description: 'the program that will use it',
    }),
  ),
});

const address = {
  id: Type.String(),
  name: Type.Union([Type.String(), Type.Null()]),
  createdAt: dateTime(),
};

/** A new address. */
export const NewKeyAddress = closed({
  ...address,
  url: Type.String({ description: 'POST /asr with the token in its query' }),
  endpoint: Type.String({
    description:
      'the address of the service with the token as its password, for programs that add paths to it',
  }),
});

/** The addresses of a workspace. */
export const KeyAddressList = closed({ addresses: Type.Array(closed(address)) });
