import { Returns, ReturnsNoContent, CurrentCaller, RequireScope, Summary } from '@app/http';
import { KeyRevocationService, KeyService } from '@app/identity';
import type { Caller } from '@app/kernel';
import { Body, Controller, Delete, Get, Header, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CreateKeyRequest } from './dto/key.request.dto.js';
import { KeysResponse, MintedKeyResponse } from './dto/key.response.dto.js';
import { toKeyResponse, toMintedKeyResponse } from './key.mapper.js';

@ApiTags('auth')
@Controller('api/v1/auth/keys')
export class KeysController {
  constructor(
    private readonly keys: KeyService,
    private readonly revocations: KeyRevocationService,
  ) {}

  /** Ignores `Idempotency-Key`: the response contains the key, which is never stored, not even encrypted. */
  @Post()
  @Summary('Creates an API key with at most the scopes and expiry of the key in use.')
  @RequireScope('admin')
  @Header('Cache-Control', 'no-store')
  @Returns(MintedKeyResponse, { status: 201 })
  async create(@CurrentCaller() caller: Caller, @Body() body: CreateKeyRequest): Promise<MintedKeyResponse> {
    const { description = null, expires_at = null } = body;
    return toMintedKeyResponse(await this.keys.mint(caller, { ...body, description, expires_at }));
  }

  @Get()
  @Summary('Lists API keys, without the keys themselves.')
  @RequireScope('admin')
  @Returns(KeysResponse)
  async list(@CurrentCaller() caller: Caller): Promise<KeysResponse> {
    return { keys: (await this.keys.list(caller)).map(toKeyResponse) };
  }

  @Delete(':key_id')
  @Summary('Revokes an API key; the last working one with the scope `admin` cannot be revoked.')
  @RequireScope('admin')
  @ReturnsNoContent()
  async revoke(@CurrentCaller() caller: Caller, @Param('key_id') keyId: string): Promise<void> {
    await this.revocations.revoke(caller, keyId);
  }
}
