import { assertionNames, assertions, assertionUsage } from '../../src/api/contract/assertions.ts'
import * as z from 'zod'
import { allEndpoints, publishedEndpoints } from '../../src/api/contract/contract.ts'
import type { AnyEndpoint } from '../../src/api/contract/endpoint.ts'

const RISKS: Record<AnyEndpoint['risk'], string> = {
  read: 'reads only',
  write: 'writes',
  external: 'side effects on somebody else’s server',
  spend: 'spends credits, uses a quota or occupies a run slot',
  end: 'ends something live',
  expose: 'opens data to more people',
  delete: 'cannot be undone',
}

const SOURCES: Record<AnyEndpoint['source'], string> = {
  prose: 'prose document',
  openapi: 'OpenAPI file',
  local: 'local workspaces only',
}

function schema(schemaOf: z.ZodType): string {
  const json = z.toJSONSchema(schemaOf, { io: 'input', unrepresentable: 'any' })
  const { $schema: _, ...rest } = json
  return JSON.stringify(rest)
}

function section(endpoint: AnyEndpoint): string {
  const facts = [
    SOURCES[endpoint.source],
    RISKS[endpoint.risk],
    endpoint.idempotency === 'header' ? 'takes `Idempotency-Key`' : '',
    endpoint.idempotency === 'caller' ? 'takes `Idempotency-Key`, never repeated by itself' : '',
    endpoint.idempotency === 'natural' ? 'a repeat is harmless' : '',
    endpoint.cursor ? `pages by ${endpoint.cursor.in} \`${endpoint.cursor.name}\`` : '',
  ].filter(Boolean)
  return [
    `### \`${endpoint.resource}.${endpoint.name}\` · ${endpoint.method} ${endpoint.path}`,
    '',
    `${endpoint.summary} (\`${endpoint.operation}\`; ${facts.join('; ')})`,
    '',
    ...(endpoint.query ? [`- query: \`${schema(endpoint.query)}\``] : []),
    ...(endpoint.body ? [`- body: \`${schema(endpoint.body)}\``] : []),
    `- answers ${endpoint.status ?? 200}${endpoint.errors?.length ? `; beside the usual errors ${endpoint.errors.map(code => `\`${code}\``).join(', ')}` : ''}`,
    '',
  ].join('\n')
}

/** docs/api.md: every declared operation, from the contract. */
export function apiDocument(): string {
  const endpoints = publishedEndpoints()
  const local = allEndpoints().filter(endpoint => endpoint.local)
  return [
    '# Operations',
    '',
    `Written by \`npm run docs\` from the declarations in \`src/api/contract\`: ${endpoints.length} operations.`,
    '',
    ...endpoints.map(section),
    '## In local workspaces only',
    '',
    `${local.length} operations that are not in the published contract: a local workspace announces them in its capabilities, and the`,
    'client sends them nowhere else.',
    '',
    ...local.map(section),
    '### Assertions',
    '',
    'Of `assert` steps and `checks`, each an object with its `type` and the fields named here; those with `?` may be left out.',
    'Other types survive reading, and the local workspace fails a trial that asserts one.',
    '',
    '| type and fields | holds when |',
    '|---|---|',
    ...assertionNames.map(name => `| \`${assertionUsage(name)}\` | ${assertions[name].holds} |`),
    '',
  ].join('\n')
}
