import { headOf } from '@app/kernel';
import type { KnowledgeText, KnowledgeTitle } from '../control-plane/control-plane.port.js';
import { inputSchema, textInput, type SkillTool } from './skill.js';

/** Maximum number of characters of an entry that one call returns. */
const PART_LENGTH = 30_000;
const MAX_MATCHES = 10;

/** Reads the knowledge in the context of one run. */
export interface KnowledgeReader {
  /** The best matches first. */
  readonly search: (query: string, signal: AbortSignal) => Promise<readonly KnowledgeTitle[]>;
  readonly read: (id: string, signal: AbortSignal) => Promise<KnowledgeText>;
}

/**
 * Returns the tools for the entries with these ids, which are those in the context of one agent; none without entries.
 */
export function knowledgeTools(ids: readonly string[], reader: KnowledgeReader): readonly SkillTool[] {
  return ids.length === 0 ? [] : [searchTool(ids, reader), readTool(ids, reader)];
}

/**
 * Filters by `ids`, because the platform searches the entries of the whole run, including those of members and steps.
 */
function searchTool(ids: readonly string[], { search }: KnowledgeReader): SkillTool {
  return {
    name: 'search_knowledge',
    description: 'Searches the knowledge entries by words and returns the ids and names of the best matches',
    inputSchema: inputSchema({
      query: { type: 'string', maxLength: 500, description: 'Words; "a phrase", one or another, -without' },
    }),
    call: async (input, signal) => {
      const found = await search(headOf(textInput(input, 'query'), 500), signal);
      const own = found.filter(({ id }) => ids.includes(id)).slice(0, MAX_MATCHES);
      return JSON.stringify(own.map(({ id, name, description }) => ({ id, name, description })));
    },
  };
}

function readTool(ids: readonly string[], { read }: KnowledgeReader): SkillTool {
  return {
    name: 'read_knowledge',
    description: 'Reads a knowledge entry',
    inputSchema: inputSchema(
      {
        id: { type: 'string', description: 'Id of the entry' },
        offset: { type: 'integer', minimum: 0, description: 'Characters to skip' },
      },
      ['offset'],
    ),
    call: async (input, signal) => {
      const id = textInput(input, 'id');
      const { offset = 0 } = input;
      if (!Number.isInteger(offset) || Number(offset) < 0) throw new Error('The input offset must be a whole number');
      if (!ids.includes(id)) throw new Error(`There is no knowledge entry ${id.slice(0, 100)}`);
      const content = (await read(id, signal)).content ?? '';
      const end = Number(offset) + PART_LENGTH;
      const part = content.slice(Number(offset), end);
      return content.length <= end ? part : `${part}\n[${content.length - end} more characters from offset ${end}]`;
    },
  };
}
