import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { allEndpoints, API_PREFIX, publishedEndpoints } from '../../src/api/contract/contract.ts'
import { type AnyEndpoint, PROJECT_ROLES, requiredRole } from '../../src/api/contract/endpoint.ts'
import { FAULT_KINDS } from '../../src/service/faults/kinds.ts'
import { GATES, LIMITS } from '../../src/service/core/limits.ts'
import { refusalOf } from '../../src/service/core/refusals.ts'
import { answerDeviations, type AnswerDeviation } from '../../test/contract/answer-deviations.ts'
import { root } from '../paths.ts'
import { testUses } from './test-uses.ts'

const SERVICE = 'src/service'

/** docs/service.md: what the local workspace is, and who serves and who tests each operation of the contract. */
export function serviceDocument(): string {
  const endpoints = allEndpoints()
  const refused = endpoints.filter(endpoint => refusalOf(endpoint) !== undefined)
  const tests = testUses(refused.map(nameOf))
  const files = handlerFiles()
  requireComplete(endpoints, files, tests)
  const resources = [...new Set(endpoints.map(({ resource }) => resource))]
  return [
    introduction(publishedEndpoints().length, refused.length),
    ...resources.map(resource =>
      section(
        resource,
        endpoints.filter(endpoint => endpoint.resource === resource),
        files,
        tests,
      ),
    ),
  ].join('\n')
}

function nameOf({ resource, name }: AnyEndpoint): string {
  return `${resource}.${name}`
}

/** The file that makes each resource's handlers, as `handlers.ts` puts them together. */
function handlerFiles(): Map<string, string> {
  const text = readFileSync(join(root, SERVICE, 'workspace/handlers.ts'), 'utf8')
  const homes = new Map(
    [...text.matchAll(/import \{([^}]*)\} from '\.\.\/([^']+)'/g)].flatMap(([, list = '', file = '']) =>
      list.split(',').map((name): [string, string] => [name.trim(), `${SERVICE}/${file}`]),
    ),
  )
  return new Map(
    [...text.matchAll(/^ {4}(\w+): (\w+)\(/gm)].map(([, resource = '', maker = '']): [string, string] => [
      resource,
      homes.get(maker) ?? '',
    ]),
  )
}

/** @throws Error naming every operation that nothing serves or refuses, or that no test exercises */
export function requireComplete(
  endpoints: readonly AnyEndpoint[],
  files: ReadonlyMap<string, string>,
  tests: ReadonlyMap<string, readonly string[]>,
): void {
  const isServed = (endpoint: AnyEndpoint) => existsSync(join(root, files.get(endpoint.resource) ?? 'nowhere'))
  const unserved = endpoints.filter(endpoint => refusalOf(endpoint) === undefined && !isServed(endpoint))
  const untested = endpoints.filter(endpoint => (tests.get(nameOf(endpoint)) ?? []).length === 0)
  const problems = [
    { what: 'without a server and without a refusal', which: unserved },
    { what: 'without a test', which: untested },
  ].filter(({ which }) => which.length > 0)
  if (problems.length === 0) return
  const lines = problems.map(({ what, which }) => `Operations ${what}: ${which.map(nameOf).join(', ')}.`)
  throw new Error(lines.join('\n'))
}

function section(
  resource: string,
  endpoints: readonly AnyEndpoint[],
  files: ReadonlyMap<string, string>,
  tests: ReadonlyMap<string, readonly string[]>,
): string {
  const rows = endpoints.map(endpoint => {
    const refusal = refusalOf(endpoint)
    const cells = [
      `\`${endpoint.name}\``,
      `${endpoint.method} ${endpoint.path}`,
      refusal === undefined ? `\`${files.get(resource)}\`` : `refused: ${refusal}`,
      refusal === undefined ? (endpoint.public ? 'no key' : (requiredRole(endpoint) ?? 'any key')) : '',
      endpoint.gate ? GATES[endpoint.gate] : '',
      (tests.get(nameOf(endpoint)) ?? []).map(shortName).join(', '),
    ]
    return `| ${cells.map(cell => cell.replaceAll('|', '\\|')).join(' | ')} |`
  })
  const head = '| operation | method and path | served by | lowest role | gate | tests |\n|---|---|---|---|---|---|'
  return `### ${resource}\n\n${head}\n${rows.join('\n')}\n`
}

function deviationRow({ operations, what, reason }: AnswerDeviation): string {
  const cells = [operations.map(name => `\`${name}\``).join(', '), what, reason]
  return `| ${cells.map(cell => cell.replaceAll('|', '\\|')).join(' | ')} |`
}

/** Tests of `test/service` go by their name, others by their path. */
function shortName(file: string): string {
  return file.replace(/^test\/service\//, '').replace(/\.test\.tsx?$/, '')
}

function introduction(operations: number, refused: number): string {
  const publicPaths = allEndpoints()
    .filter(endpoint => endpoint.public)
    .map(({ method, path }) => `\`${method} ${path}\``)
    .join(' and ')
  const limits = Object.entries(LIMITS).map(([name, { value, says }]) => `| \`${name}\` | ${value} | ${says} |`)
  return `# The local workspace

Written by \`npm run docs\` from the declarations, the handlers and the tests.

The local workspace is the service's own contract, served by mcpdeck on one machine: ${operations} operations, of which ${refused} are
refused because one machine cannot offer them. Those below \`/local/\` are its own beside the contract, announced by \`getCapabilities\`. It is no mock. Servers are real MCP servers, runs are executed and graded, requests are
checked as strictly as the contract says, and everything is kept in one SQLite file that several processes may share. The dashboard
uses it without a port; \`mcpdeck serve\` puts it on loopback.

## Another client

\`\`\`
mcpdeck serve --port 4747 --json
\`\`\`

prints one line: \`{"baseUrl","keyFile","pid"}\`. Take \`baseUrl\` (it ends in \`${API_PREFIX}\`) as the base address and send the text in \`keyFile\`
as \`Authorization: Bearer …\`. Every request carries a key but
those for what is public: ${publicPaths}. \`mcpdeck api --list\` names every operation;
\`docs/api.md\` has their inputs.

## Keys

A key belongs to the workspace's organization and has a role in every project, or in single ones: ${PROJECT_ROLES.join(', ')}.
\`mcpdeck serve key create <name> --role member\` (or \`--grant <project>=editor\`) writes one to a file that only you can read; the service keeps its hash.
\`serve key list\`, \`serve key revoke <id>\` and \`serve key orphan <id>\` do the rest. The column "lowest role" below is what the project asks for; "any key" means
that no project is in the path, and what the operation reaches is checked by its handler.

## Limits

\`mcpdeck serve limits\` lists them, \`serve limits set <name>=<value>\` changes them for every running process. In the dashboard's own use the request rate is off. Polls
of a connection request count in a budget of that request, with the same two numbers.

| limit | default | counts |
|---|---|---|
${limits.join('\n')}

${Object.values(GATES).join(' and ')} can be switched off with \`mcpdeck serve gate\`: gated writes then answer 403 and gated lists are empty (column "gate").

## Samples

A workspace that the dashboard or a command makes, but for \`serve\`, gets samples beside its Sandbox suite, part by
part while something works on it for more than a moment: findings of every status, a scenario with visitors, three weeks of nightly runs, a server graded for both directories. They are recorded input that went through
the engines of live input; every one is called "Sample: …", and the graded server has an address that nobody can have.
Connections have no list in the contract, so there is no sample of one. \`mcpdeck serve sample remove\` removes them with
all that belongs to them, but for what something of your own names; \`serve sample add\` and \`serve --sample\` add them
where there are none, \`serve sample status\` lists them.

## Faults

\`mcpdeck serve --fault <kind>=<rate> --seed <number>\` adds troubles at a rate, the same ones for the same seed: ${FAULT_KINDS.map(kind => `\`${kind}\``).join(', ')}
(\`latency=MS:RATE\`).

## What differs from a hosted service

- Consent in a browser: a server connection that waits in \`awaiting_authorization\` names the route on which to import tokens, and goes on by itself once they
  were imported; one that waits in \`awaiting_project\` goes on when the same create is sent with \`projectId\`. A new server that waits for tokens is saved already and stays if the
  request is cancelled. \`authorizing\` does not occur, and there is no \`handoffUrl\`.
- Directory readiness: what a server says of itself is measured; what is handed in with a form, or known to the directory alone, is listed as not evaluated. So no run here
  ends \`ready\` as a whole.
- \`GET /models\` lists the configured endpoint's models, \`GET /host-catalog\` the clients that can be made here. Nothing hosted is in either.
- A launch that names no client runs under the first client that the project had; the servers stay those of the suite.
- Deprecated paths (\`/hosts\` and all of scenarios) answer \`Deprecation: true\`. Their \`Link\` names the successor as a template; of the
  successors, those of clients alone are served here.
- Eval vocabulary 2: \`assertions\` of a case are its \`checks\` (a list replaces the suite's), those of an inline case are steps behind its others;
  \`defaultAssertions\` in the settings of a suite are its \`checks\`; \`legacyIterations\` counts where \`iterations\` is missing. Answers have
  \`assertions\`, \`defaultAssertions\` and \`iterations\`.

## Shapes

The tests check each answer of the service, success and refusal, against the declared shapes and against the published OpenAPI file. Where the
two documents of the contract differ, the service document decides; \`mcpdeck serve --shape published\` answers for clients that were made from the
file. What answers have beside the file, none of it a wrong type:

| operations | difference from the file | reason |
|---|---|---|
${answerDeviations.map(deviationRow).join('\n')}

Reads ignore options that they do not know; writes refuse them. Every GET list takes \`cursor\` and \`limit\`.

## Operations

Tests go by their name in \`test/service\`, others by their path. They are the files that use the operation's declaration against this service.
`
}
