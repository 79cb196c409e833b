import { describe, expect, it } from '@jest/globals';
import { fieldsOf } from './console-forms.js';

describe('the fields of a form', () => {
  it('have the kind, limits and help of their schema', () => {
    const properties = {
      name: { type: 'string', minLength: 1, maxLength: 255, description: 'Name', example: 'mail' },
      notes: { type: ['string', 'null'], description: 'Notes, as free text' },
      content: { type: ['string', 'null'], maxLength: 1_048_576, description: 'Text' },
      status: { type: ['string', 'null'], enum: ['active', 'paused', null], description: 'Status', default: 'active' },
      enabled: { type: ['boolean', 'null'], description: 'Whether it runs', default: true },
      interval: { type: 'integer', minimum: 10, maximum: 300, description: 'Seconds' },
      order: { type: 'integer', minimum: -2_147_483_648, maximum: 2_147_483_647, description: 'Position' },
      tags: { type: ['array', 'null'], items: { type: 'string' }, description: 'Tags' },
      steps: { type: ['array', 'null'], items: { allOf: [{ type: 'object' }] }, description: 'Steps' },
      settings: { anyOf: [{ type: 'object' }, { type: 'null' }], description: 'Settings' },
    };
    expect(fieldsOf({ properties, required: ['name'] })).toEqual([
      { name: 'name', kind: 'line', help: 'Name', isRequired: true, example: 'mail', minLength: 1, maxLength: 255 },
      { name: 'notes', kind: 'text', help: 'Notes, as free text' },
      { name: 'content', kind: 'text', help: 'Text', maxLength: 1_048_576 },
      { name: 'status', kind: 'choice', help: 'Status', choices: ['active', 'paused'], initial: 'active' },
      { name: 'enabled', kind: 'flag', help: 'Whether it runs', initial: true },
      { name: 'interval', kind: 'integer', help: 'Seconds', minimum: 10, maximum: 300 },
      { name: 'order', kind: 'integer', help: 'Position' },
      { name: 'tags', kind: 'lines', help: 'Tags' },
      { name: 'steps', kind: 'json', help: 'Steps' },
      { name: 'settings', kind: 'json', help: 'Settings' },
    ]);
  });
});
