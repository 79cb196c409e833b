import { afterEach, describe, expect, it } from '@jest/globals';
import { createTestContext, type TestContext } from '@app/testing';
import { Injectable, Module, type Type } from '@nestjs/common';
import { EntityResolver, EntityResolvers } from './entity-resolvers.js';

const scope = { organizationId: 'organization-1' };

@Injectable()
class Shelves extends EntityResolver {
  override readonly kind: string = 'shelf';
  readonly asked: string[] = [];

  override async resolveId(_scope: object, idOrName: string): Promise<string> {
    this.asked.push(idOrName);
    return idOrName === 'by the door' ? 'shelf-1' : idOrName;
  }
}

@Injectable()
class Books extends Shelves {
  override readonly kind = 'book';
}

@Injectable()
class Readers extends Shelves {
  override readonly kind = 'reader';

  override async namesOf(): Promise<ReadonlyMap<string, string>> {
    return new Map();
  }

  override async markUpdated(_caller: object, idOrName: string): Promise<string> {
    return idOrName;
  }
}

@Injectable()
class OtherShelves extends Shelves {}

describe('EntityResolvers', () => {
  let context: TestContext | undefined;

  afterEach(async () => {
    await context?.close();
    context = undefined;
  });

  async function start(resolvers: Type<EntityResolver>[]): Promise<EntityResolvers> {
    @Module({ providers: resolvers })
    class LibraryModule {}

    context = await createTestContext([LibraryModule]);
    return context.get(EntityResolvers);
  }

  it('asks the resolver of the kind, and fails for other kinds', async () => {
    const entities = await start([Books, Shelves]);
    await expect(entities.resolveId(scope, 'shelf', 'by the door')).resolves.toBe('shelf-1');
    expect(context?.get(Books).asked).toEqual([]);
    await expect(entities.resolveId(scope, 'reader', 'r')).rejects.toThrow('reader');
  });

  it('looks up the entity again, by its id, after it has locked it', async () => {
    const entities = await start([Shelves]);
    await expect(context?.database.transaction(() => entities.lock(scope, 'shelf', 'by the door'))).resolves.toBe(
      'shelf-1',
    );
    expect(context?.get(Shelves).asked).toEqual(['by the door', 'shelf-1']);
  });

  it('returns the resolvers of kinds with skills only, and names these kinds otherwise', async () => {
    const entities = await start([Shelves, Readers]);
    expect(entities.skillHolder('readers')).toBe(context?.get(Readers));
    expect(() => entities.skillHolder('shelf')).toThrow(
      expect.objectContaining({ faults: [expect.objectContaining({ msg: "Input should be 'reader'" })] }),
    );
  });

  it('prevents the start when a kind has two resolvers', async () => {
    await expect(start([Shelves, OtherShelves])).rejects.toThrow('The kind shelf has two resolvers');
  });
});
