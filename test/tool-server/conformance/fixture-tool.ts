import type { CallToolResult, InputRequiredResult, JsonSchemaType, ServerContext } from '@modelcontextprotocol/server';

/** A tool that a scenario of the suite calls. The names and results are those that the scenarios expect. */
export interface FixtureTool {
  readonly name: string;
  readonly description: string;
  /** Default: no arguments. */
  readonly input?: JsonSchemaType;
  readonly run: (context: ServerContext) => FixtureResult | Promise<FixtureResult>;
}

type FixtureResult = CallToolResult | InputRequiredResult;
