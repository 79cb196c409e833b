// Tests run as CommonJS (swc turns our ESM and the ESM-only packages into it); production runs as ESM.
const esmOnlyPackages = [
  '@nestjs',
  '@borewit',
  '@tokenizer',
  'dotenv',
  'es-toolkit',
  'file-type',
  'jose',
  'js-yaml',
  'load-esm',
  'pkce-challenge',
  'strtok3',
  'token-types',
  'uid',
  'uint8array-extras',
  'yargs',
  'uuid',
  'eventsource',
  'eventsource-parser',
  'openapi-fetch',
  'openapi-typescript-helpers',
  're2js',
];
const swc = [
  '@swc/jest',
  {
    swcrc: false,
    jsc: {
      target: 'es2022',
      parser: { syntax: 'typescript', decorators: true },
      transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
      keepClassNames: true,
    },
    module: { type: 'commonjs' },
  },
];
const base = {
  rootDir: __dirname,
  testEnvironment: 'node',
  setupFilesAfterEnv: ['<rootDir>/tools/jest/timeout.cjs'],
  transform: { '^.+\\.(t|m?j)s$': swc },
  transformIgnorePatterns: [`/node_modules/(?!(${esmOnlyPackages.join('|')})(/|@))`],
  moduleNameMapper: {
    '^@app/([^/]+)$': '<rootDir>/libs/$1/src/index.ts',
    '/thread-file\\.js$': '<rootDir>/tools/jest/policy-thread-file.cjs',
    '^fast-check$': '<rootDir>/tools/jest/fast-check.cjs',
  },
  resolver: '<rootDir>/tools/jest/resolver.cjs',
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.data/'],
};

module.exports = {
  projects: [
    { ...base, displayName: 'unit', testMatch: ['<rootDir>/{apps,libs,tools}/**/*.spec.ts'] },
    {
      ...base,
      displayName: 'integration',
      testMatch: ['<rootDir>/{apps,libs,tools}/**/*.int-spec.ts'],
    },
    {
      ...base,
      displayName: 'e2e',
      testEnvironment: '<rootDir>/tools/jest/failure-aware-environment.cjs',
      testMatch: ['<rootDir>/test/**/*.e2e-spec.ts'],
    },
  ],
};
