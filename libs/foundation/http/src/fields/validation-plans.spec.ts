import { describe, expect, it } from '@jest/globals';
import { IsString, MetadataStorage, MinLength, validateSync } from 'class-validator';
import { keepValidationPlans } from './validation-plans.js';
import './parse.js';

const propertiesWithFaults = (value: object): string[] => validateSync(value).map(({ property }) => property);

describe('The cached checks of validations', () => {
  it('contain the inherited checks', () => {
    class Base {
      @IsString() name: unknown = 1;
    }
    class Derived extends Base {
      @IsString() title: unknown = 1;
    }

    expect(propertiesWithFaults(new Base())).toEqual(['name']);
    expect(propertiesWithFaults(new Derived())).toEqual(['title', 'name']);
    expect(propertiesWithFaults(new Base())).toEqual(['name']);
  });

  it('contain the checks that are added to a class after its first validation', () => {
    class Late {
      @IsString() name: unknown = 'a';
    }
    expect(propertiesWithFaults(new Late())).toEqual([]);

    MinLength(2)(Late.prototype, 'name');

    expect(propertiesWithFaults(new Late())).toEqual(['name']);
  });

  it('are collected once per class, but each time for validations with groups', () => {
    const storage = new MetadataStorage();
    let collected = 0;
    storage.getTargetValidationMetadatas = () => {
      collected += 1;
      return [];
    };
    keepValidationPlans(storage);
    const plan = (shape: new () => object, groups?: string[]): unknown =>
      storage.getTargetValidationMetadatas(shape, '', false, false, groups);

    plan(class First {});
    class Second {}
    plan(Second);
    plan(Second);
    expect(collected).toBe(2);
    plan(Second, ['admin']);
    plan(Second, ['admin']);
    expect(collected).toBe(4);
  });
});
