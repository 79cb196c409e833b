import { checkAccess, CurrentCaller, NaturallyIdempotent, RequireScope, Returns, Summary } from '@app/http';
import type { Caller } from '@app/kernel';
import { PolicyBacktestService, PolicyValidationService } from '@app/policies';
import { Body, Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import {
  BacktestPolicyRequest,
  FormatPolicyRequest,
  ValidatePolicyDraftRequest,
} from './dto/policy-draft.request.dto.js';
import {
  BacktestResponse,
  FormattedPolicyResponse,
  PolicyDraftValidationResponse,
} from './dto/policy-draft.response.dto.js';
import { toBacktestPolicy, toBacktestResponse, toPolicyDraftValidationResponse } from './policy-draft.mapper.js';

/** What an editor of policies asks while a text is written. Nothing is stored or recorded. */
@ApiTags('policies')
@Controller('api/v1/policies')
export class PolicyDraftsController {
  constructor(
    private readonly validations: PolicyValidationService,
    private readonly backtests: PolicyBacktestService,
  ) {}

  @Post('validate')
  @Summary('Compiles source that is not stored and, with an input, evaluates it once.')
  @RequireScope('agents:read')
  @NaturallyIdempotent()
  @Returns(PolicyDraftValidationResponse, {
    description: 'Result of the validation, also for source that does not compile',
  })
  async validate(
    @CurrentCaller() caller: Caller,
    @Body() body: ValidatePolicyDraftRequest,
  ): Promise<PolicyDraftValidationResponse> {
    return toPolicyDraftValidationResponse(await this.validations.validateDraft(caller, body));
  }

  @Post('format')
  @Summary('Returns the source of a policy in the standard layout.')
  @RequireScope('agents:read')
  @NaturallyIdempotent()
  @Returns(FormattedPolicyResponse, { description: 'Formatted source' })
  async format(@CurrentCaller() caller: Caller, @Body() body: FormatPolicyRequest): Promise<FormattedPolicyResponse> {
    return { policy_content: await this.validations.format(caller, body.policy_content) };
  }

  /** Needs both scopes, because a text can report what the inputs of executions contain. */
  @Post('backtest')
  @Summary('Evaluates source on the inputs of recorded decisions. Also requires `tasks:read`.')
  @RequireScope('agents:read')
  @NaturallyIdempotent()
  @Returns(BacktestResponse, { description: 'What the source would have changed. Nothing is recorded' })
  async backtest(@CurrentCaller() caller: Caller, @Body() body: BacktestPolicyRequest): Promise<BacktestResponse> {
    checkAccess({ kind: 'scope', scope: 'tasks:read' }, caller);
    return toBacktestResponse(await this.backtests.run(caller, toBacktestPolicy(body)));
  }
}
