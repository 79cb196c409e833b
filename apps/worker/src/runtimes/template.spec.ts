import { describe, expect, it } from '@jest/globals';
import { renderObject, renderText, type TemplateValues } from './template.js';

const HALF = 'x'.repeat(524_288);

const values: TemplateValues = { roots: { params: { half: HALF, list: [HALF] } }, outputOf: () => HALF };

describe('renderText', () => {
  it('inserts nothing for a step without an output, and keeps what an output lacks', () => {
    const outputOf = (step: string): string | null => (step === 'done' ? '{"title": "T"}' : null);
    const template = '[{{steps.never.output}}{{steps.never.output.title}}] {{steps.done.output.title}}';
    expect(renderText(template, { roots: {}, outputOf })).toBe('[] T');
    expect(renderText('{{steps.done.output.absent}}', { roots: {}, outputOf })).toBe('{{steps.done.output.absent}}');
  });
});

describe('renderObject', () => {
  it('renders texts at every depth, and keeps the type of a value that is the whole text', () => {
    const rendered = renderObject(
      { a: ['{{params.n}}'], b: { c: 'n is {{params.n}}' } },
      {
        roots: { params: { n: 5 } },
        outputOf: () => null,
      },
    );
    expect(rendered).toEqual({ a: [5], b: { c: 'n is 5' } });
  });

  it.each(['{{params.half}}', '{{params.list}}', '{{steps.one.output}}', 'The {{params.half}}'])(
    'bounds all texts of one object together: %s',
    (template) => {
      expect(() => renderObject({ a: template }, values)).not.toThrow();
      const object = { a: template, b: [template], c: { d: template } };
      expect(() => renderObject(object, values)).toThrow('more than 1048576 characters');
    },
  );
});
