import { describe, expect, it } from '@jest/globals';
import { Controller, Get } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Test, type TestingModule } from '@nestjs/testing';
import { AnyKey, Public, RequireScope } from './access.js';
import { RouteAudit } from './route-audit.js';
import { Summary } from '../routes/summary.js';

@Controller('declared')
class DeclaredController {
  @Get('a')
  @Summary('Reads a.')
  @Public()
  a(): void {}

  @Get('b')
  @Summary('Reads b.')
  @AnyKey()
  b(): void {}

  @Get('c')
  @Summary('Reads c.')
  @RequireScope('tasks:read')
  c(): void {}
}

// @ts-expect-error: the decorator is for routes, not for classes
@RequireScope('agents:read')
@Controller('as-a-class')
class DeclaredAsClassController {
  @Get()
  read(): void {}
}

@Controller('unexplained')
class UnexplainedController {
  @Get()
  @Public()
  @Summary('Reads it.')
  explained(): void {}

  @Get('obscure')
  @Public()
  obscure(): void {}
}

@Controller('silent')
class SilentController {
  @Get()
  @Public()
  spoken(): void {}

  @Get('forgotten')
  forgotten(): void {}
}

async function start(...controllers: (new () => object)[]): Promise<TestingModule> {
  const testing = await Test.createTestingModule({
    imports: [DiscoveryModule],
    controllers,
    providers: [RouteAudit],
  }).compile();
  return testing.init();
}

describe('an application', () => {
  it('starts if every route declares its access', async () => {
    const testing = await start(DeclaredController);
    expect(testing.get(RouteAudit).routes()).toHaveLength(3);
    await testing.close();
  });

  it('does not start with a route without access, and names it', async () => {
    await expect(start(SilentController)).rejects.toThrow('SilentController.forgotten');
  });

  it('does not start with a route without a summary, and names it', async () => {
    await expect(start(UnexplainedController)).rejects.toThrow(
      'Routes without @Summary: UnexplainedController.obscure',
    );
  });

  it('does not start with access declared on a class, which a new route would inherit unnoticed', async () => {
    await expect(start(DeclaredController, DeclaredAsClassController)).rejects.toThrow(
      'DeclaredAsClassController.read',
    );
  });
});
