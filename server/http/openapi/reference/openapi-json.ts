/** The parts of the OpenAPI document that the reference reads. */

/** A schema of a component, a parameter or a body. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  description?: string;
  default?: unknown;
  example?: unknown;
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
}

export interface MediaType {
  schema?: Schema;
  /** The schema of each event of a stream. */
  itemSchema?: Schema;
  example?: unknown;
  examples?: Record<string, { value?: unknown }>;
}

export interface Reply {
  $ref?: string;
  description?: string;
  headers?: Record<string, { $ref?: string; description?: string }>;
  content?: Record<string, MediaType>;
}

export interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema?: Schema;
  example?: unknown;
}

export interface Operation {
  summary: string;
  description?: string;
  tags: string[];
  security: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: { content?: Record<string, MediaType> };
  responses: Record<string, Reply>;
}

export interface OpenApi {
  servers: [{ url: string }];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, Schema>;
    responses: Record<string, Reply>;
    headers: Record<string, { description?: string }>;
  };
}

/** The last part of a reference: `#/components/schemas/CaptionCue` is `CaptionCue`. */
export const nameOf = (ref: string): string => ref.replace(/^.*\//, '');
