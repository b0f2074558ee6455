/** Writes an ONNX model node by node, with weights that come from elsewhere. */
import {
  integerAttribute,
  integersAttribute,
  makeNode,
  makeValue,
  type GraphNode,
  type NamedBytes,
  writeOnnxModel,
} from '../../whisper/graph/onnx-graph.ts';
import { ELEMENT } from '../../whisper/graph/onnx-fields.ts';
import { bytesField, numberField, textField, joinedBytes } from '../../whisper/graph/protobuf.ts';
import { makeIntegers, makeTensor } from '../../whisper/graph/tensors.ts';
import type { Weights } from './torch-weights.ts';

/** The field numbers of ONNX (onnx.proto). */
const MODEL = { version: 1, producer: 2, operators: 8, metadata: 14 };
const IR_VERSION = 8;
const OPERATORS = 13;
const ATTRIBUTE = { name: 1, text: 4, type: 20 };
const TEXT = 3;

type Attributes = Readonly<Record<string, number | readonly number[] | string>>;

/** Writes the nodes of one model. Values are named by numbers in the order in which they are made. */
export type GraphWriter = ReturnType<typeof createGraphWriter>;

/** Begins a model whose input is `x`. */
export function createGraphWriter() {
  const nodes: GraphNode[] = [];
  const tensors: NamedBytes[] = [];
  let made = 0;
  const named = (): string => `v${(made += 1)}`;
  return {
    /** Adds a node, and returns the name of what it makes. */
    node(type: string, inputs: readonly string[], attributes: Attributes = {}): string {
      const output = named();
      nodes.push(makeNode(type, inputs, output, Object.entries(attributes).map(attribute)));
      return output;
    },
    /** Adds weights, and returns their name. */
    weights({ shape, values }: Weights): string {
      const name = named();
      tensors.push(makeTensor(name, ELEMENT.float, shape, values));
      return name;
    },
    /** Adds a list of whole numbers, and returns its name. */
    integers(...values: number[]): string {
      const name = named();
      tensors.push(makeIntegers(name, values));
      return name;
    },
    /** The model that makes `y` of `x`; both have the dimensions named. */
    model(
      output: string,
      shapes: { x: readonly string[]; y: readonly string[] },
      metadata: Readonly<Record<string, string>>,
    ): Uint8Array {
      return writeOnnxModel({
        others: [
          numberField(MODEL.version, IR_VERSION),
          textField(MODEL.producer, 'captioner'),
          bytesField(MODEL.operators, textField(1, ''), numberField(2, OPERATORS)),
          ...Object.entries(metadata).map(([key, text]) =>
            bytesField(MODEL.metadata, textField(1, key), textField(2, text)),
          ),
        ],
        inGraph: [textField(2, 'graph')],
        nodes: [...nodes, makeNode('Identity', [output], 'y')],
        tensors,
        inputs: [makeValue('x', ELEMENT.float, shapes.x)],
        outputs: [makeValue('y', ELEMENT.float, shapes.y)],
      });
    },
  };
}

function attribute([name, value]: [string, number | readonly number[] | string]): Uint8Array {
  if (typeof value === 'number') return integerAttribute(name, value);
  if (typeof value !== 'string') return integersAttribute(name, value);
  return joinedBytes(
    textField(ATTRIBUTE.name, name),
    textField(ATTRIBUTE.text, value),
    numberField(ATTRIBUTE.type, TEXT),
  );
}
