import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@app/kernel';
import { taskPrompt } from './task-prompt.js';

describe('taskPrompt', () => {
  it('returns the name if there are no parameters', () => {
    expect(taskPrompt('Deploy the site', {})).toBe('Deploy the site');
  });

  it('appends the parameters as JSON in their order', () => {
    const prompt = taskPrompt('Deploy', { zone: 'eu', app: { name: 'site', replicas: 2 } });
    expect(prompt).toBe('Deploy\n\nParameters:\n{"zone":"eu","app":{"name":"site","replicas":2}}');
  });

  it('adds at most 30 characters to deeply nested parameters', () => {
    const deep = JSON.parse(`{"a":${'['.repeat(62)}${'0,'.repeat(1000)}0${']'.repeat(62)}}`) as JsonObject;
    expect(taskPrompt('Deploy', deep).length).toBeLessThan(JSON.stringify(deep).length + 30);
  });

  it('does not expand placeholders', () => {
    expect(taskPrompt('Say {{ word }}', { word: '{{ name }}' })).toContain('Say {{ word }}');
  });
});
