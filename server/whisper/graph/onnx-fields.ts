/** The field numbers and values of ONNX (onnx.proto) that are read or written here. */

/** ModelProto. */
export const MODEL = { graph: 7, operators: 8 };
/** OperatorSetIdProto. */
export const OPERATORS = { domain: 1, version: 2 };
/** GraphProto. */
export const GRAPH = { node: 1, tensor: 5, input: 11, output: 12, valueInfo: 13 };
/** NodeProto. */
export const NODE = { input: 1, output: 2, name: 3, type: 4, attribute: 5, domain: 7 };
/** AttributeProto. */
export const ATTRIBUTE = { name: 1, integer: 3, tensor: 5, graph: 6, integers: 8, type: 20 };
/** AttributeProto.AttributeType: a whole number. */
export const INTEGER = 2;
/** AttributeProto.AttributeType: a list of whole numbers. */
export const INTEGERS = 7;
/** AttributeProto.AttributeType: one graph or several. */
export const GRAPH_ATTRIBUTES = new Set([5, 10]);
/** TensorProto. */
export const TENSOR = {
  dims: 1,
  type: 2,
  floats: 4,
  name: 8,
  raw: 9,
  external: 13,
  location: 14,
};
/** StringStringEntryProto. */
export const ENTRY = { key: 1, value: 2 };
/** TensorProto.DataType. */
export const ELEMENT = { float: 1, int8: 3, int64: 7 };
/** TensorProto.DataLocation: in another file. */
export const EXTERNAL = 1;
/** ValueInfoProto. */
export const VALUE = { name: 1, type: 2 };
/** TypeProto. */
export const TYPE = { tensor: 1 };
/** TypeProto.Tensor. */
export const TENSOR_TYPE = { element: 1, shape: 2 };
/** TensorShapeProto. */
export const SHAPE = { dim: 1 };
/** TensorShapeProto.Dimension. */
export const DIMENSION = { value: 1, name: 2 };
