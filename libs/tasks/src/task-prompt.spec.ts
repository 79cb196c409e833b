import { describe, expect, it } from '@jest/globals';
import { taskPrompt } from './task-prompt.js';

describe("a task's prompt", () => {
  it('is the name where there are no parameters', () => {
    expect(taskPrompt('Deploy the site', {})).toBe('Deploy the site');
  });

  it('is followed by the parameters as JSON, in the order in which they were sent', () => {
    const prompt = taskPrompt('Deploy', { zone: 'eu', app: { name: 'site', replicas: 2 } });
    expect(prompt).toBe(
      [
        'Deploy',
        '',
        'Parameters:',
        '{',
        '  "zone": "eu",',
        '  "app": {',
        '    "name": "site",',
        '    "replicas": 2',
        '  }',
        '}',
      ].join('\n'),
    );
  });

  it('holds what looks like a template as it was written', () => {
    expect(taskPrompt('Say {{ word }}', { word: '{{ name }}' })).toContain('Say {{ word }}');
  });
});
