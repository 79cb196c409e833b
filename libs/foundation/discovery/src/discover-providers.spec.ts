import { describe, expect, it } from '@jest/globals';
import { Injectable, Module, type Provider } from '@nestjs/common';
import { DiscoveryModule, DiscoveryService } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { discoverProviders } from './discover-providers.js';

abstract class Shape {}

@Injectable()
class Circle extends Shape {}

@Injectable()
class Square extends Shape {}

@Injectable()
class Label {}

async function discover(providers: Provider[]): Promise<Shape[]> {
  @Module({ imports: [DiscoveryModule], providers })
  class ShapesModule {}

  const testing = await Test.createTestingModule({ imports: [ShapesModule] }).compile();
  return discoverProviders(testing.get(DiscoveryService, { strict: false }), Shape);
}

describe('discoverProviders', () => {
  it('returns the instances of a class in the order of their registration', async () => {
    expect(await discover([Square, Label, Circle])).toEqual([expect.any(Square), expect.any(Circle)]);
    expect(await discover([Circle, Square])).toEqual([expect.any(Circle), expect.any(Square)]);
  });

  it('ignores providers without an instance', async () => {
    const absent = [
      { provide: 'null', useValue: null },
      { provide: 'undefined', useFactory: () => undefined },
    ];
    expect(await discover([...absent, Circle])).toEqual([expect.any(Circle)]);
  });

  it('returns an instance with several tokens once, and each of two instances of the same class', async () => {
    const found = await discover([
      Circle,
      { provide: Shape, useExisting: Circle },
      Square,
      { provide: 'round', useExisting: Circle },
      { provide: 'other', useClass: Circle },
    ]);
    expect(found).toEqual([expect.any(Circle), expect.any(Square), expect.any(Circle)]);
    expect(found[0]).not.toBe(found[2]);
  });
});
