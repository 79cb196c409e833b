import { describe, expect, it } from '@jest/globals';
import { valuesForSchema } from './schema-values.js';

const numbers = { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] };

describe('valuesForSchema', () => {
  it('uses named values first', () => {
    expect(valuesForSchema(numbers, 'add with b=3 and a=2.')).toEqual({ a: 2, b: 3 });
  });

  it('uses numbers and quoted phrases in order', () => {
    expect(valuesForSchema(numbers, 'add 20 and -4.5')).toEqual({ a: 20, b: -4.5 });
    const schema = {
      type: 'object',
      properties: { x: { type: 'string' }, y: { type: 'string' } },
      required: ['x', 'y'],
    };
    expect(valuesForSchema(schema, 'join "left" with "right"')).toEqual({ x: 'left', y: 'right' });
  });

  it('uses the whole text for an unnamed string and omits unnamed optional properties', () => {
    const schema = { properties: { query: { type: 'string' }, limit: { type: 'integer' } }, required: ['query'] };
    expect(valuesForSchema(schema, 'find the answer')).toEqual({ query: 'find the answer' });
  });

  it('respects enum, const, default, bounds and minimum lengths', () => {
    const schema = {
      properties: {
        unit: { enum: ['celsius', 'kelvin'] },
        kind: { const: 'k' },
        page: { type: 'integer', default: 7 },
        level: { type: 'integer', minimum: 5 },
        tags: { type: 'array', items: { type: 'boolean' }, minItems: 2 },
      },
      required: ['unit', 'kind', 'page', 'level', 'tags'],
    };
    expect(valuesForSchema(schema, 'in Kelvin please')).toEqual({
      unit: 'kelvin',
      kind: 'k',
      page: 7,
      level: 5,
      tags: [true, true],
    });
  });

  it('truncates a deeply nested schema', () => {
    let schema: Record<string, unknown> = { type: 'string' };
    for (let depth = 0; depth < 20; depth += 1)
      schema = { type: 'object', properties: { next: schema }, required: ['next'] };
    expect(JSON.stringify(valuesForSchema(schema, 'x')).match(/next/g)?.length).toBeLessThan(10);
  });
});
