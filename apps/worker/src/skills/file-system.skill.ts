import type { JsonObject } from '@app/kernel';
import { ConfinedFiles, describingFailures } from './confined-files.js';
import { inputSchema, textInput, type BuiltInSkill, type SkillContext, type SkillTool } from './skill.js';

const PATH = { type: 'string', description: 'Path relative to the workspace' };
const OFFSET = { type: 'integer', minimum: 0, description: 'Bytes to skip' };

/**
 * Reads, lists, writes and deletes files in the workspace of the run. If `read_only` of its configuration is
 * true, only reads and lists.
 */
export class FileSystemSkill implements BuiltInSkill {
  readonly type = 'file_system';

  tools({ folder, configuration }: SkillContext): readonly SkillTool[] {
    const files = new ConfinedFiles(folder);
    const reading = [readTool(files), listTool(files)];
    return configuration['read_only'] === true ? reading : [...reading, writeTool(files), deleteTool(files)];
  }
}

function readTool(files: ConfinedFiles): SkillTool {
  return {
    name: 'read_file',
    description: 'Reads a text file of the workspace',
    inputSchema: inputSchema({ path: PATH, offset: OFFSET }, ['offset']),
    call: (input) =>
      onPath(input, async (path) => {
        const { offset = 0 } = input;
        if (!Number.isInteger(offset) || Number(offset) < 0) throw new Error('The input offset must be a whole number');
        const { text, size, end } = await files.read(path, Number(offset));
        return end < size ? `${text}\n[${size - end} more bytes from offset ${end}]` : text;
      }),
  };
}

function listTool(files: ConfinedFiles): SkillTool {
  return {
    name: 'list_files',
    description: 'Lists a folder of the workspace',
    inputSchema: inputSchema({ path: { ...PATH, description: 'Folder; `.` is the workspace' } }),
    call: (input) => onPath(input, async (path) => (await files.list(path)).join('\n')),
  };
}

function writeTool(files: ConfinedFiles): SkillTool {
  return {
    name: 'write_file',
    description: 'Creates or replaces a text file of the workspace',
    inputSchema: inputSchema({ path: PATH, content: { type: 'string', description: 'The whole text of the file' } }),
    call: (input) =>
      onPath(input, async (path) => {
        const size = await files.write(path, Buffer.from(textInput(input, 'content')));
        return `Wrote ${size} bytes to ${path}`;
      }),
  };
}

function deleteTool(files: ConfinedFiles): SkillTool {
  return {
    name: 'delete_file',
    description: 'Deletes a file or folder of the workspace',
    inputSchema: inputSchema({ path: PATH }),
    call: (input) =>
      onPath(input, async (path) => {
        await files.delete(path);
        return `Deleted ${path}`;
      }),
  };
}

async function onPath(input: JsonObject, work: (path: string) => Promise<string>): Promise<string> {
  const path = textInput(input, 'path');
  return describingFailures(path, () => work(path));
}
