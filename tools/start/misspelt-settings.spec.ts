import { describe, expect, it } from '@jest/globals';
import { misspeltSettingWarnings } from './misspelt-settings.js';

describe('misspelt settings', () => {
  it('are reported with the most similar setting', () => {
    expect(misspeltSettingWarnings(['CONTROL_PLAN_PORT', 'MY_OWN_THING'], { LLM_GATWAY_URL: 'http://x' })).toEqual([
      '.env sets CONTROL_PLAN_PORT, which is not a setting; did you mean CONTROL_PLANE_PORT?',
      '.env sets MY_OWN_THING, which is not a setting; all settings are in .env.example',
      'LLM_GATWAY_URL is set, which is not a setting; did you mean LLM_GATEWAY_URL?',
    ]);
  });

  it('are reported once if the file has set them in the environment', () => {
    expect(misspeltSettingWarnings(['DATA_DIRR'], { DATA_DIRR: 'x' })).toHaveLength(1);
  });

  it('are not reported for variables of other programs', () => {
    const env = { PATH: '', HOME: '', LOG_LEVEL: 'info', NODE_ENV: '', npm_config_cache: '', LOGNAME: '', PGPORT: '' };
    expect(misspeltSettingWarnings(['DATA_DIR', 'NATS_URL'], env)).toEqual([]);
  });
});
