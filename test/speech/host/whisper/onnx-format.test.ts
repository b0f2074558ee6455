/** The parts of an ONNX model, by the field numbers of onnx.proto, which are written out here. */
import { describe, expect, test } from 'bun:test';
import {
  ELEMENT,
  hasGraph,
  integerAttribute,
  integerOf,
  integersAttribute,
  integersOf,
  makeNode,
  makeRuntimeNode,
  makeValue,
  type OnnxModel,
  onlyNeeded,
  readModel,
  shapeOf,
  withInputs,
  withRuntimeOperators,
  writeModel,
  makeIntegers,
} from '../../../../server/whisper/graph/onnx-graph.ts';
import {
  bytesField,
  fieldsOf,
  joined,
  numberField,
  textField,
} from '../../../../server/whisper/graph/protobuf.ts';

const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
/** The fields of a message: the value of a number, and the text of bytes. */
const shown = (message: Uint8Array) =>
  [...fieldsOf(message)].map(({ number, value, bytes }) => [number, value || textOf(bytes)]);

test('element types are those of TensorProto.DataType', () => {
  expect(ELEMENT).toEqual({ float: 1, int8: 3, int64: 7 });
});

describe('a node', () => {
  const node = makeNode('Add', ['a', ''], ['c', 'd'], [integerAttribute('axis', 9)]);

  test('has inputs, outputs, a name, an operator and attributes', () => {
    expect(shown(node.bytes).slice(0, 6)).toEqual([
      [1, 'a'],
      [1, ''],
      [2, 'c'],
      [2, 'd'],
      [3, 'c'],
      [4, 'Add'],
    ]);
    expect([...fieldsOf(node.bytes)].at(-1)).toMatchObject({
      number: 5,
      bytes: integerAttribute('axis', 9),
    });
    expect(shown(makeNode('Add', [], 'c').bytes)).toEqual([
      [2, 'c'],
      [3, 'c'],
      [4, 'Add'],
    ]);
    expect(node).toMatchObject({ type: 'Add', inputs: ['a', ''], outputs: ['c', 'd'] });
  });

  test('of the runtime has its domain', () => {
    expect(shown(makeRuntimeNode('Fused', ['a'], 'b').bytes).at(-1)).toEqual([7, 'com.microsoft']);
  });

  test('can have other inputs, and keeps the rest', () => {
    const other = withInputs(node, ['x', 'y']);
    expect(other).toMatchObject({ type: 'Add', inputs: ['x', 'y'], outputs: ['c', 'd'] });
    expect(other.attributes).toEqual(node.attributes);
  });

  test('has whole numbers and lists of them as attributes', () => {
    expect(shown(integerAttribute('axis', 9))).toEqual([
      [1, 'axis'],
      [3, 9],
      [20, 2],
    ]);
    expect(shown(integersAttribute('perm', [4, 5]))).toEqual([
      [1, 'perm'],
      [8, 4],
      [8, 5],
      [20, 7],
    ]);
    const both = makeNode('X', [], 'y', [
      integerAttribute('axis', 9),
      integersAttribute('perm', [4, 5]),
    ]);
    expect([integerOf(both, 'axis'), integerOf(both, 'none')]).toEqual([9, undefined]);
    expect([integersOf(both, 'perm'), integersOf(both, 'none')]).toEqual([[4, 5], []]);
  });

  test.each([
    [5, true],
    [10, true],
    [2, false],
    [4, false],
  ])('with an attribute of type %d contains a graph: %p', (type, contains) => {
    const attribute = joined(textField(1, 'body'), numberField(20, type));
    expect(hasGraph(makeNode('If', [], 'y', [integerAttribute('a', 1), attribute]))).toBe(contains);
    expect(hasGraph(makeNode('If', [], 'y'))).toBe(false);
  });
});

describe('a value', () => {
  test('has a name, an element type and named dimensions', () => {
    const [name, type] = [...fieldsOf(makeValue('x', 7, ['n', 't']).bytes)];
    expect([name!.number, textOf(name!.bytes), type!.number]).toEqual([1, 'x', 2]);
    const tensor = bytesField(
      1,
      numberField(1, 7),
      bytesField(2, bytesField(1, textField(2, 'n')), bytesField(1, textField(2, 't'))),
    );
    expect(type!.bytes).toEqual(tensor);
    expect(shapeOf(makeValue('x', 7, ['n', 't']))).toEqual({ element: 7, dims: [0, 0] });
  });

  test('may have any shape, fixed dimensions, or no type at all', () => {
    expect(shapeOf(makeValue('x', 1))).toEqual({ element: 1, dims: [] });
    const shape = bytesField(2, bytesField(1, numberField(1, 3)), bytesField(1, textField(2, 'n')));
    const typed = joined(textField(1, 'x'), bytesField(2, bytesField(1, numberField(1, 7), shape)));
    expect(shapeOf({ name: 'x', bytes: typed })).toEqual({ element: 7, dims: [3, 0] });
    expect(shapeOf({ name: 'x', bytes: textField(1, 'x') })).toEqual({ element: 0, dims: [] });
    const untyped = joined(textField(1, 'x'), bytesField(2));
    expect(shapeOf({ name: 'x', bytes: untyped })).toEqual({ element: 0, dims: [] });
  });
});

describe('a model', () => {
  const graph = [
    textField(2, 'graph'),
    bytesField(1, textField(1, 'x'), textField(2, 'y'), textField(4, 'Identity')),
    bytesField(5, numberField(2, 1), textField(8, 'w')),
    bytesField(11, textField(1, 'x')),
    bytesField(12, textField(1, 'y')),
  ];
  const file = joined(numberField(1, 8), bytesField(7, ...graph), textField(2, 'maker'));

  test('has a graph with nodes, tensors, inputs and outputs, and other fields', () => {
    const model = readModel(file);
    expect(model.nodes.map(({ type }) => type)).toEqual(['Identity']);
    const names = [model.tensors, model.inputs, model.outputs].map((all) =>
      all.map((one) => one.name),
    );
    expect(names).toEqual([['w'], ['x'], ['y']]);
    expect([model.inGraph, model.others]).toEqual([
      [textField(2, 'graph')],
      [numberField(1, 8), textField(2, 'maker')],
    ]);
    expect(writeModel(model)).toEqual(
      joined(numberField(1, 8), textField(2, 'maker'), bytesField(7, ...graph)),
    );
  });

  test('imports the operators of the runtime once, by domain and version', () => {
    const model = readModel(file);
    const allowed = withRuntimeOperators(model);
    const imported = bytesField(8, textField(1, 'com.microsoft'), numberField(2, 1));
    expect(allowed.others).toEqual([...model.others, imported]);
    expect(withRuntimeOperators(allowed)).toBe(allowed);
    const others = [bytesField(8, textField(1, 'ai.onnx.ml'), numberField(2, 1))];
    expect(withRuntimeOperators({ ...model, others }).others).toEqual([...others, imported]);
  });

  test('is reduced to the parts that its outputs need', () => {
    const value = (name: string) => makeValue(name, 1);
    const model: OnnxModel = {
      nodes: [
        makeNode('A', ['x', 'w'], 'a'),
        makeNode('B', ['z', 'v'], 'b'),
        makeNode('C', ['a'], ['unused', 'c']),
        makeNode('D', ['c'], 'd'),
      ],
      tensors: [makeIntegers('w', [1]), makeIntegers('v', [1])],
      inputs: ['x', 'z'].map(value),
      outputs: [value('c')],
      inGraph: [],
      others: [],
    };
    const reduced = onlyNeeded(model);
    expect(reduced.nodes.map(({ type }) => type)).toEqual(['A', 'C']);
    expect(reduced.tensors.map(({ name }) => name)).toEqual(['w']);
    expect(reduced.inputs.map(({ name }) => name)).toEqual(['x']);
    expect(reduced.outputs).toEqual(model.outputs);
  });
});
