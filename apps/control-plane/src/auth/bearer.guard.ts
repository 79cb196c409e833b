import { KeyGuard } from '@app/http';
import { KeyService } from '@app/identity';
import { Injectable } from '@nestjs/common';

/** Workers send `UserKey`, everybody else `Bearer`; both carry the same keys. */
@Injectable()
export class BearerGuard extends KeyGuard {
  protected override readonly schemes = ['Bearer', 'UserKey'];

  constructor(protected override readonly keys: KeyService) {
    super();
  }
}
