import { Answers, AnyKey, CurrentCaller, Summary } from '@app/http';
import { OrganizationService } from '@app/identity';
import type { Caller } from '@app/kernel';
import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { MeResponse, ValidationResponse } from './dto/identity.response.dto.js';
import { toMeResponse, toValidationResponse } from './identity.mapper.js';

@ApiTags('auth')
@Controller('api/v1/auth')
export class IdentityController {
  constructor(private readonly organizations: OrganizationService) {}

  @Get('validate')
  @Summary('Tells whose the key is, if it is valid.')
  @AnyKey()
  @Answers(ValidationResponse, { description: 'The key is valid. HEAD answers the same without a body' })
  async validate(@CurrentCaller() caller: Caller): Promise<ValidationResponse> {
    return toValidationResponse(await this.organizations.read(caller), caller);
  }

  @Get('me')
  @Summary('Tells what the key that asks may do.')
  @AnyKey()
  @Answers(MeResponse)
  me(@CurrentCaller() caller: Caller): MeResponse {
    return toMeResponse(caller);
  }
}
