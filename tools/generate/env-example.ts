import { describeConfig } from '@app/config';
import { settingsClasses } from '../start/check-settings.js';

const HEADER = `# Every variable the platform reads. All are optional with \`npm start\`, which brings its own PostgreSQL and Redis.
# A value here is the default; a line without one is off or required as it says.
`;

export function envExample(): string {
  const seen = new Set<string>();
  const sections = settingsClasses().map((declared) => {
    const lines = describeConfig(declared).flatMap((variable) => {
      if (seen.has(variable.variable)) return [];
      seen.add(variable.variable);
      const value = variable.default === null ? '' : JSON.stringify(variable.default).replaceAll('"', '');
      return [`# ${variable.doc}${variable.required ? ' (required)' : ''}`, `#${variable.variable}=${value}`];
    });
    return lines.join('\n');
  });
  return `${HEADER}\n${sections.filter((section) => section !== '').join('\n\n')}\n`;
}
