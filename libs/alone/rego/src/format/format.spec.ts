import { describe, expect, it } from '@jest/globals';
import { format } from './format.js';

describe('the comments of a formatted module', () => {
  it.each([
    ['after the last statement', 'allow if {\n\tinput.x\n\t# input.y\n}'],
    ['after the last statement, apart from it', 'allow if {\n\tinput.x\n\n\t# input.y\n}'],
    ['after the last statement of an else', 'x := 1 if {\n\tinput.x\n\t# one\n} else := 2 if {\n\tinput.y\n\t# two\n}'],
    ['at the end of an every', 'x if {\n\tevery y in input {\n\t\ty > 1\n\t\t# y > 2\n\t} # each\n\t# input.x\n}'],
    ['at the ends of lines', 'x if { # why\n\tinput.x # one\n\tinput.y # two\n}'],
    ['between statements and rules', 'x if {\n\t# one\n\tinput.x\n\n\t# two\n\tinput.y\n}\n\n# y\ny := 1'],
    ['in a collection', 'x := {\n\t# one\n\t"a": 1, # two\n}'],
  ])('keep their position %s', (_, rules) => {
    const text = `package a\n\n${rules}\n`;
    expect(format(text)).toBe(text);
  });

  it('move into the body of a rule of the older grammar', () => {
    expect(format('package a\nx { input.x\n  # last\n}')).toBe('package a\n\nx if {\n\tinput.x\n\t# last\n}\n');
  });
});
