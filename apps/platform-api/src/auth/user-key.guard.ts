import { KeyGuard } from '@app/http';
import { KeyAuthenticator } from '@app/identity';
import { Injectable } from '@nestjs/common';

/** Accepts API keys under the scheme `UserKey`. */
@Injectable()
export class UserKeyGuard extends KeyGuard {
  protected override readonly schemes = ['UserKey'];

  constructor(protected override readonly keys: KeyAuthenticator) {
    super();
  }
}
