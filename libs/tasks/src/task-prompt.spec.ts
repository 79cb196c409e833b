import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@app/kernel';
import { taskPrompt } from './task-prompt.js';

describe("a task's prompt", () => {
  it('is the name where there are no parameters', () => {
    expect(taskPrompt('Deploy the site', {})).toBe('Deploy the site');
  });

  it('is followed by the parameters as JSON, in the order in which they were sent', () => {
    const prompt = taskPrompt('Deploy', { zone: 'eu', app: { name: 'site', replicas: 2 } });
    expect(prompt).toBe('Deploy\n\nParameters:\n{"zone":"eu","app":{"name":"site","replicas":2}}');
  });

  it('is hardly longer than what was sent, however deep that nests', () => {
    const deep = JSON.parse(`{"a":${'['.repeat(62)}${'0,'.repeat(1000)}0${']'.repeat(62)}}`) as JsonObject;
    expect(taskPrompt('Deploy', deep).length).toBeLessThan(JSON.stringify(deep).length + 30);
  });

  it('holds what looks like a template as it was written', () => {
    expect(taskPrompt('Say {{ word }}', { word: '{{ name }}' })).toContain('Say {{ word }}');
  });
});
