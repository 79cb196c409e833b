import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { projectRoot } from '../provision/project-root.js';

/** The end of every generated section. */
const END = '<!-- end of the generated part -->';

/** Returns the Markdown file with the section between the comment `start` and the next end comment replaced. */
export async function replaceSection(text: string, path: string, start: string, section: string): Promise<string> {
  const [before, rest] = text.split(start);
  const end = rest?.indexOf(END) ?? -1;
  if (before === undefined || rest === undefined || end < 0)
    throw new Error(`${path} lacks the comments that mark its generated part: ${start} and ${END}`);
  const replaced = `${before}${start}\n\n${section}\n\n${rest.slice(end)}`;
  return format(replaced, { ...(await resolveConfig(join(projectRoot, path))), parser: 'markdown' });
}
