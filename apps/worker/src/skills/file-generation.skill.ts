import { ConfinedFiles, describingFailures } from './confined-files.js';
import { inputSchema, textInput, type BuiltInSkill, type SkillContext, type SkillTool } from './skill.js';

/** Creates files as results of the run, text or binary. */
export class FileGenerationSkill implements BuiltInSkill {
  readonly type = 'file_generation';

  tools({ folder }: SkillContext): readonly SkillTool[] {
    const files = new ConfinedFiles(folder);
    return [
      {
        name: 'generate_file',
        description: 'Creates a file that the user can download',
        inputSchema: inputSchema(
          {
            name: { type: 'string', description: 'Name with an ending, for example report.csv' },
            content: { type: 'string', description: 'The whole content of the file' },
            encoding: {
              type: 'string',
              enum: ['text', 'base64'],
              description: 'Encoding of the content. Default text',
            },
          },
          ['encoding'],
        ),
        call: async (input) => {
          const name = textInput(input, 'name');
          const content = Buffer.from(textInput(input, 'content'), input['encoding'] === 'base64' ? 'base64' : 'utf8');
          const size = await describingFailures(name, () => files.write(name, content));
          return `Created ${name} with ${size} bytes`;
        },
      },
    ];
  }
}
