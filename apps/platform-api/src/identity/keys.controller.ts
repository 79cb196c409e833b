import { Answers, AnswersNothing, CurrentCaller, RequireScope, Summary } from '@app/http';
import { KeyService } from '@app/identity';
import type { Caller } from '@app/kernel';
import { Body, Controller, Delete, Get, Header, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CreateKeyRequest } from './dto/key.request.dto.js';
import { KeysResponse, MintedKeyResponse } from './dto/key.response.dto.js';
import { toKeyResponse, toMintedKeyResponse } from './key.mapper.js';

@ApiTags('auth')
@Controller('api/v1/auth/keys')
export class KeysController {
  constructor(private readonly keys: KeyService) {}

  /** Honours no `Idempotency-Key`: a key is shown once, so its answer is not kept, not even sealed. */
  @Post()
  @Summary('Mints an API key, within the powers of the key that asks.')
  @RequireScope('admin')
  @Header('Cache-Control', 'no-store')
  @Answers(MintedKeyResponse, { status: 201 })
  async create(@CurrentCaller() caller: Caller, @Body() body: CreateKeyRequest): Promise<MintedKeyResponse> {
    const { description = null, expires_at = null } = body;
    return toMintedKeyResponse(await this.keys.mint(caller, { ...body, description, expires_at }));
  }

  @Get()
  @Summary('Lists the API keys, without their values.')
  @RequireScope('admin')
  @Answers(KeysResponse)
  async list(@CurrentCaller() caller: Caller): Promise<KeysResponse> {
    return { keys: (await this.keys.list(caller)).map(toKeyResponse) };
  }

  @Delete(':key_id')
  @Summary('Revokes an API key.')
  @RequireScope('admin')
  @AnswersNothing()
  async revoke(@CurrentCaller() caller: Caller, @Param('key_id') keyId: string): Promise<void> {
    await this.keys.revoke(caller, keyId);
  }
}
