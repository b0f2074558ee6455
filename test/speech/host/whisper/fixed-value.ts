/** Inputs and outputs of models in tests. */
import {
  bytesField,
  joined,
  numberField,
  textField,
} from '../../../../server/whisper/graph/protobuf.ts';

/** A value of fixed dimensions. */
export const fixed = (name: string, element: number, dims: number[]) => {
  const shape = bytesField(2, ...dims.map((dim) => bytesField(1, numberField(1, dim))));
  const type = bytesField(2, bytesField(1, numberField(1, element), shape));
  return { name, bytes: joined(textField(1, name), type) };
};
