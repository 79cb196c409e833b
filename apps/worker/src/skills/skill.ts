import type { JsonObject } from '@app/kernel';

/** A skill of an agent, as the control plane resolved it. */
export interface SkillSpec {
  readonly name: string;
  readonly type: string;
  readonly configuration: JsonObject;
}

/** The environment in which the tools of a skill run. */
export interface SkillContext {
  /** The folder in which the tools work: absolute, without links. They never leave it. */
  readonly folder: string;
  /** Variables of the worker's environment that processes of tools receive. */
  readonly inherited: Readonly<Record<string, string>>;
  /** The inherited variables and those of the run: the environment of processes that tools start in the folder. */
  readonly environment: Readonly<Record<string, string>>;
  readonly configuration: JsonObject;
}

/** A tool that the model can call. */
export interface SkillTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the input. Models do not always follow it. */
  readonly inputSchema: JsonObject;
  /**
   * Returns the output. Throws an error with a message for the model. An aborted signal ends everything that the call
   * started.
   */
  readonly call: (input: JsonObject, signal: AbortSignal) => Promise<string>;
}

/** The tools that a type of skill gives to an agent. */
export interface BuiltInSkill {
  /** The `type` of the skills that it serves. */
  readonly type: string;
  tools(context: SkillContext): readonly SkillTool[];
}

export function textInput(input: JsonObject, name: string): string {
  const value = input[name];
  if (typeof value !== 'string') throw new Error(`The input ${name} must be a text`);
  return value;
}

/** Returns the schema of an input whose fields are required, except `optional`. */
export function inputSchema(
  properties: Readonly<Record<string, JsonObject>>,
  optional: readonly string[] = [],
): JsonObject {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', properties, required, additionalProperties: false };
}
