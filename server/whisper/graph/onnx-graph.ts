/**
 * Reads the parts of an ONNX model that are needed to change its graph, and writes the changed model.
 */
import {
  fieldsOf,
  numberField,
  bytesField,
  textField,
  joinedBytes,
  first,
  textOf,
} from './protobuf.ts';
import {
  ATTRIBUTE,
  DIMENSION,
  GRAPH,
  GRAPH_ATTRIBUTES,
  INTEGER,
  INTEGERS,
  MODEL,
  NODE,
  OPERATORS,
  SHAPE,
  TENSOR,
  TENSOR_TYPE,
  TYPE,
  VALUE,
} from './onnx-fields.ts';

/** The domain of the operators that onnxruntime adds to those of ONNX. */
const RUNTIME_OPERATORS = 'com.microsoft';

/** A node of a graph. */
export interface GraphNode {
  type: string;
  /** The names of its inputs, in order; empty for one that is left out. */
  inputs: string[];
  outputs: string[];
  /** The fields with the attributes. */
  attributes: Uint8Array[];
  bytes: Uint8Array;
}

/** A tensor that is part of the model, an input or an output of the graph. */
export interface NamedBytes {
  name: string;
  bytes: Uint8Array;
}

/** A model; nodes come after those that they need. */
export interface OnnxModel {
  nodes: GraphNode[];
  tensors: NamedBytes[];
  inputs: NamedBytes[];
  outputs: NamedBytes[];
  /** The other fields of the graph and of the model. */
  inGraph: Uint8Array[];
  others: Uint8Array[];
}

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/**
 * Reads a model. The shapes that published exports record for values within the graph are left out: the runtime does
 * not need them, and those of a changed graph may differ.
 * @throws {Error} if the bytes are not a model
 */
export function readOnnxModel(bytes: Uint8Array): OnnxModel {
  const graph = first(bytes, MODEL.graph);
  if (!graph) throw new Error('this file is not an ONNX model');
  const others = [...fieldsOf(bytes)]
    .filter(({ number }) => number !== MODEL.graph)
    .map(({ from, to }) => bytes.subarray(from, to));
  return { ...readGraph(graph.bytes), others };
}

function readGraph(bytes: Uint8Array): Omit<OnnxModel, 'others'> {
  const graph = {
    nodes: [] as GraphNode[],
    tensors: [] as NamedBytes[],
    inputs: [] as NamedBytes[],
    outputs: [] as NamedBytes[],
    inGraph: [] as Uint8Array[],
  };
  const lists: Record<number, NamedBytes[]> = {
    [GRAPH.tensor]: graph.tensors,
    [GRAPH.input]: graph.inputs,
    [GRAPH.output]: graph.outputs,
  };
  for (const part of fieldsOf(bytes)) {
    const list = lists[part.number];
    if (part.number === GRAPH.node) graph.nodes.push(readNode(part.bytes));
    else if (list) {
      const name = part.number === GRAPH.tensor ? TENSOR.name : VALUE.name;
      list.push({ name: textOf(part.bytes, name), bytes: part.bytes });
    } else if (part.number !== GRAPH.valueInfo) {
      graph.inGraph.push(bytes.subarray(part.from, part.to));
    }
  }
  return graph;
}

/**
 * A graph within a node, such as a branch of an `If`, as a model of its own with the inputs and the weights of the
 * model that the node is in; null if the node has no such graph.
 */
export function onnxModelWithin(model: OnnxModel, node: GraphNode, name: string): OnnxModel | null {
  const attribute = node.attributes.find((each) => textOf(each, ATTRIBUTE.name) === name);
  const graph = attribute && first(attribute, ATTRIBUTE.graph);
  if (!graph) return null;
  const { nodes, tensors, outputs } = readGraph(graph.bytes);
  return { ...model, nodes, tensors: [...model.tensors, ...tensors], outputs };
}

/** Writes a model. */
export const writeOnnxModel = (model: OnnxModel): Uint8Array =>
  joinedBytes(
    ...model.others,
    bytesField(
      MODEL.graph,
      ...model.inGraph,
      ...model.nodes.map(({ bytes }) => bytesField(GRAPH.node, bytes)),
      ...model.tensors.map(({ bytes }) => bytesField(GRAPH.tensor, bytes)),
      ...model.inputs.map(({ bytes }) => bytesField(GRAPH.input, bytes)),
      ...model.outputs.map(({ bytes }) => bytesField(GRAPH.output, bytes)),
    ),
  );

function readNode(bytes: Uint8Array): GraphNode {
  const node: GraphNode = { type: '', inputs: [], outputs: [], attributes: [], bytes };
  for (const field of fieldsOf(bytes)) {
    if (field.number === NODE.input) node.inputs.push(text(field.bytes));
    if (field.number === NODE.output) node.outputs.push(text(field.bytes));
    if (field.number === NODE.type) node.type = text(field.bytes);
    if (field.number === NODE.attribute) node.attributes.push(field.bytes);
  }
  return node;
}

/** A node with other inputs, the same number of them. */
export function withInputs(node: GraphNode, inputs: readonly string[]): GraphNode {
  let at = 0;
  const parts = [...fieldsOf(node.bytes)].map(({ number, from, to }) =>
    number === NODE.input ? textField(number, inputs[at++]!) : node.bytes.subarray(from, to),
  );
  return readNode(joinedBytes(...parts));
}

/**
 * Makes a node.
 * @param outputs the name of its output, or the names of several
 */
export function makeNode(
  type: string,
  inputs: readonly string[],
  outputs: string | readonly string[],
  attributes: readonly Uint8Array[] = [],
): GraphNode {
  const names = typeof outputs === 'string' ? [outputs] : outputs;
  return readNode(
    joinedBytes(
      ...inputs.map((input) => textField(NODE.input, input)),
      ...names.map((output) => textField(NODE.output, output)),
      textField(NODE.name, names[0]!),
      textField(NODE.type, type),
      ...attributes.map((attribute) => bytesField(NODE.attribute, attribute)),
    ),
  );
}

/** Makes a node with one of onnxruntime's own operators; the model has to declare them by `withRuntimeOperators`. */
export const makeRuntimeNode = (...node: Parameters<typeof makeNode>): GraphNode =>
  readNode(joinedBytes(makeNode(...node).bytes, textField(NODE.domain, RUNTIME_OPERATORS)));

/** Allows a model to use onnxruntime's own operators. */
export function withRuntimeOperators(model: OnnxModel): OnnxModel {
  const allowed = model.others.some((bytes) => {
    const operators = first(bytes, MODEL.operators);
    return operators && textOf(operators.bytes, OPERATORS.domain) === RUNTIME_OPERATORS;
  });
  if (allowed) return model;
  const operators = [
    textField(OPERATORS.domain, RUNTIME_OPERATORS),
    numberField(OPERATORS.version, 1),
  ];
  return { ...model, others: [...model.others, bytesField(MODEL.operators, ...operators)] };
}

/**
 * Makes an input or an output.
 * @param dims the names of its dimensions; of any shape without them
 */
export function makeValue(name: string, element: number, dims?: readonly string[]): NamedBytes {
  const shape = dims?.map((dim) => bytesField(SHAPE.dim, textField(DIMENSION.name, dim)));
  const tensor = [
    numberField(TENSOR_TYPE.element, element),
    ...(shape ? [bytesField(TENSOR_TYPE.shape, ...shape)] : []),
  ];
  const bytes = joinedBytes(
    textField(VALUE.name, name),
    bytesField(VALUE.type, bytesField(TYPE.tensor, ...tensor)),
  );
  return { name, bytes };
}

/** The element type and the dimensions of an input or an output; 0 for a dimension without a fixed number. */
export function shapeOf({ bytes }: NamedBytes): { element: number; dims: number[] } {
  const type = first(bytes, VALUE.type);
  const tensor = type && first(type.bytes, TYPE.tensor);
  const shape = tensor && first(tensor.bytes, TENSOR_TYPE.shape);
  return {
    element: (tensor && first(tensor.bytes, TENSOR_TYPE.element)?.value) ?? 0,
    dims: shape
      ? [...fieldsOf(shape.bytes)].map((dim) => first(dim.bytes, DIMENSION.value)?.value ?? 0)
      : [],
  };
}

/** The value of an attribute that is a whole number; undefined without it. */
export const integerOf = (node: GraphNode, name: string): number | undefined => {
  const found = node.attributes.find((each) => textOf(each, ATTRIBUTE.name) === name);
  return found && first(found, ATTRIBUTE.integer)?.value;
};

/** The values of an attribute that is a list of whole numbers; empty without it. */
export function integersOf(node: GraphNode, name: string): number[] {
  const found = node.attributes.find((each) => textOf(each, ATTRIBUTE.name) === name);
  return [...fieldsOf(found ?? new Uint8Array())].flatMap(({ number, value }) =>
    number === ATTRIBUTE.integers ? [value] : [],
  );
}

/** Whether a node contains graphs; its inputs do not list what these need. */
export const hasGraph = ({ attributes }: GraphNode): boolean =>
  attributes.some((each) => GRAPH_ATTRIBUTES.has(first(each, ATTRIBUTE.type)?.value ?? 0));

/** A whole number as an attribute. */
export const integerAttribute = (name: string, value: number): Uint8Array =>
  joinedBytes(
    textField(ATTRIBUTE.name, name),
    numberField(ATTRIBUTE.integer, value),
    numberField(ATTRIBUTE.type, INTEGER),
  );

/** A list of whole numbers as an attribute. */
export const integersAttribute = (name: string, values: readonly number[]): Uint8Array =>
  joinedBytes(
    textField(ATTRIBUTE.name, name),
    ...values.map((value) => numberField(ATTRIBUTE.integers, value)),
    numberField(ATTRIBUTE.type, INTEGERS),
  );

/** The model without the parts that its outputs do not need. */
export function onlyNeeded(model: OnnxModel): OnnxModel {
  const needed = new Set(model.outputs.map(({ name }) => name));
  const nodes: GraphNode[] = [];
  for (const node of model.nodes.toReversed()) {
    if (!node.outputs.some((name) => needed.has(name))) continue;
    nodes.push(node);
    for (const name of node.inputs) needed.add(name);
  }
  const used = (parts: readonly NamedBytes[]) => parts.filter(({ name }) => needed.has(name));
  return {
    ...model,
    nodes: nodes.toReversed(),
    tensors: used(model.tensors),
    inputs: used(model.inputs),
  };
}
