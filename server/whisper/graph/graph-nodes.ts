/** Finds the nodes around a value of a graph. */
import { constantOf, numberOf } from './tensors.ts';
import { type GraphNode, type NamedBytes, type OnnxModel } from './onnx-graph.ts';

/** The name of a value; undefined if an earlier search failed, and then no node is found either. */
type ValueName = string | undefined;

/** Finds the nodes around a value, and the number that it holds. */
export type GraphNodes = ReturnType<typeof nodesOf>;

/** Prepares to find the nodes of a model. */
export function nodesOf({ nodes, tensors }: OnnxModel) {
  const makers = new Map<ValueName, GraphNode>(
    nodes.flatMap((node) => node.outputs.map((name) => [name, node])),
  );
  // A node that reads a value twice is one reader.
  const readers = Map.groupBy<ValueName, { name: ValueName; node: GraphNode }>(
    nodes.flatMap((node) => [...new Set(node.inputs)].map((name) => ({ name, node }))),
    ({ name }) => name,
  );
  const constants = new Map<ValueName, NamedBytes>(tensors.map((tensor) => [tensor.name, tensor]));
  return {
    /** The node that makes a value. */
    maker: (name: ValueName): GraphNode | undefined => makers.get(name),
    /** The only node that reads a value; undefined if there are several. */
    reader: (name: ValueName): GraphNode | undefined => {
      const found = readers.get(name);
      return found?.length === 1 ? found[0]?.node : undefined;
    },
    /** The number that a value holds, if it is a single number. */
    number: (name: ValueName): number | undefined => {
      const made = makers.get(name);
      const tensor = made?.type === 'Constant' ? constantOf(made) : constants.get(name);
      return tensor && numberOf(tensor);
    },
  };
}
