import { Returns, AnyKey, CurrentCaller, Summary } from '@app/http';
import { OrganizationService, UserService } from '@app/identity';
import type { Caller } from '@app/kernel';
import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { MeResponse, ValidationResponse } from './dto/identity.response.dto.js';
import { toMeResponse, toValidationResponse } from './identity.mapper.js';

@ApiTags('auth')
@Controller('api/v1/auth')
export class IdentityController {
  constructor(
    private readonly organizations: OrganizationService,
    private readonly users: UserService,
  ) {}

  @Get('validate')
  @Summary('Returns the user and the organization of the API key.')
  @AnyKey()
  @Returns(ValidationResponse, {
    description: 'User and organization of the valid key. HEAD returns the same status without a body',
  })
  async validate(@CurrentCaller() caller: Caller): Promise<ValidationResponse> {
    const user = await this.users.read(caller, caller.userId);
    return toValidationResponse(await this.organizations.read(caller), user);
  }

  @Get('me')
  @Summary('Returns the API key in use with its scopes.')
  @AnyKey()
  @Returns(MeResponse)
  me(@CurrentCaller() caller: Caller): MeResponse {
    return toMeResponse(caller);
  }
}
