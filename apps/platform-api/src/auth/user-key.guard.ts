import { KeyGuard, OTHER_API, type OtherApi } from '@app/http';
import { KeyAuthenticator } from '@app/identity';
import { Inject, Injectable } from '@nestjs/common';

/** Accepts API keys under the scheme `UserKey`. */
@Injectable()
export class UserKeyGuard extends KeyGuard {
  protected override readonly schemes = ['UserKey'];

  constructor(
    protected override readonly keys: KeyAuthenticator,
    @Inject(OTHER_API) protected override readonly otherApi: OtherApi,
  ) {
    super();
  }
}
