import { describe, expect, it } from '@jest/globals';
import { Controller, Post } from '@nestjs/common';
import { SecretParams } from '../routes/secret-param.js';
import { hideSecretParams, loggedPath } from './logged-path.js';

@Controller('api/doors')
class DoorsController {
  @Post(':door_id/open/:token')
  @SecretParams('token')
  open(this: void): void {}
}

describe('the path in the log', () => {
  const instance = new DoorsController();
  const handler = instance.open;
  hideSecretParams([{ controller: DoorsController, instance, methodName: 'open', handler, httpMethod: 'POST' }]);

  it.each([
    ['/api/doors/1/open/secret', '/api/doors/1/open/…'],
    ['/api/doors/1/open/secret?q=1', '/api/doors/1/open/…'],
    ['/api/doors/1/open/secret/more', '/api/doors/1/open/…/more'],
    ['/API/Doors/1/Open/secret', '/API/Doors/1/Open/…'],
    ['http://host/api/doors/1/open/secret', 'http://host/api/doors/1/open/…'],
    ['//api/doors/1/open/secret', '//api/doors/1/open/…'],
    ['/api/doors/1', '/api/doors/1'],
    ['/api/other/1/open/x?q=1', '/api/other/1/open/x'],
    [undefined, ''],
  ])('of %s is %s', (url, logged) => {
    expect(loggedPath(url)).toBe(logged);
  });
});
