import { describeConfig } from '@app/config';
import { settingsClasses } from '../start/check-settings.js';

const HEADER = `# Every setting of the platform. With \`npm start\` all of them are optional, because it runs its own PostgreSQL and Redis.
# The value shown is the default. A setting without a value is not set by default.
`;

export function envExample(): string {
  const seen = new Set<string>();
  const sections = settingsClasses().map((declared) => {
    const lines = describeConfig(declared).flatMap((variable) => {
      if (seen.has(variable.variable)) return [];
      seen.add(variable.variable);
      return [
        `# ${variable.doc}${variable.required ? ' (required)' : ''}`,
        `#${variable.variable}=${format(variable.default)}`,
      ];
    });
    return lines.join('\n');
  });
  return `${HEADER}\n${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

/** Formats a default in the form that its parser accepts. */
function format(value: unknown): string {
  if (value === null) return '';
  if (Array.isArray(value)) return value.join(',');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
