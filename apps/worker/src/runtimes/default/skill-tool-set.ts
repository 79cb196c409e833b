import { dynamicTool, jsonSchema, type ToolExecutionOptions, type ToolSet } from 'ai';
import { isJsonObject } from '@app/kernel';
import { messageOf } from '../../errors/error-text.js';
import type { SkillTool } from '../../skills/skill.js';
import { guardedCall, ToolFailure, type ToolGuards } from './tool-set.js';

/** Returns the tools of built-in skills for the model, under their own names. */
export function skillToolSet(tools: readonly SkillTool[], guards: ToolGuards): ToolSet {
  const entries = tools.map((tool) => {
    const { name, description, inputSchema } = tool;
    const execute = (input: unknown, { abortSignal, toolCallId: id }: ToolExecutionOptions): Promise<string> =>
      guardedCall({ id, name, input, call: (signal) => callSkill(tool, input, signal) }, guards, abortSignal);
    return [name, dynamicTool({ description, inputSchema: jsonSchema(inputSchema), execute })] as const;
  });
  return Object.fromEntries(entries);
}

async function callSkill({ call }: SkillTool, input: unknown, signal: AbortSignal): Promise<object> {
  try {
    const text = await call(isJsonObject(input) ? input : {}, signal);
    return { content: [{ type: 'text', text }] };
  } catch (error) {
    throw new ToolFailure(messageOf(error), 'it failed');
  }
}
