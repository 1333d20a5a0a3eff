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

/**
 * Returns docs/service.md: a description of the local workspace, and the code that serves and tests each operation of
 * the contract.
 */
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

/** Returns the file that creates each resource's handlers, according to `handlers.ts`. */
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

/** @throws Error naming every operation that is neither served nor refused, or that no test uses */
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
      someOf((tests.get(nameOf(endpoint)) ?? []).map(shortName)),
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

const MOST_TESTS = 3

/** Lists the first tests, and the number of the others. */
function someOf(tests: readonly string[]): string {
  const more = tests.length - MOST_TESTS
  return tests.slice(0, MOST_TESTS).join(', ') + (more > 0 ? ` and ${more} more` : '')
}

/** Tests in `test/service` are listed by name, others by path. */
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

Generated by \`npm run docs\` from the declarations, the handlers and the tests.

The local workspace implements the service's contract on one machine: ${operations} operations, of which it refuses ${refused} that one machine
cannot offer. \`getCapabilities\` lists additional operations below \`/local/\`. It connects to real MCP servers, executes and grades
runs, validates requests as the contract says, and stores everything in one SQLite file that several processes may share. The
dashboard uses it without a port; \`mcpdeck serve\` serves it on loopback.

## Another client

\`\`\`
mcpdeck serve --port 4747 --json
\`\`\`

prints one line: \`{"baseUrl","keyFile","pid"}\`. Use \`baseUrl\` (it ends in \`${API_PREFIX}\`) as base address and send the content of
\`keyFile\` as \`Authorization: Bearer …\` with every request except ${publicPaths}. \`mcpdeck api --list\` lists the operations;
[api.md](api.md) has their inputs.

## Keys

A key has a role in every project or in some: ${PROJECT_ROLES.join(', ')}.
\`mcpdeck serve key create <name> --role member\` (or \`--grant <project>=editor\`) writes a key to a private file; the service stores its hash.
\`serve key list\`, \`serve key revoke <id>\` and \`serve key orphan <id>\` manage keys. The column "lowest role" below is the role that the
project requires; "any key" means that the path has no project and the handler checks access.

## Limits

\`mcpdeck serve limits\` lists them, \`serve limits set <name>=<value>\` changes them for every running process. The dashboard itself has no
request rate. Polls of a connection request use a separate budget of the same size.

| limit | default | |
|---|---|---|
${limits.join('\n')}

${Object.values(GATES).join(' and ')} can be switched off with \`mcpdeck serve gate\`: writes then answer 403 and lists are empty (column "gate").

## Samples

The dashboard and commands other than \`serve\` add samples to a new workspace in the background: findings of every status, a
scenario with visitors, three weeks of nightly runs, and a server graded for both directories. They are recorded input, processed
by the same code as live input, and named "Sample: …". \`mcpdeck serve sample remove\` deletes them except what your own records
name; \`serve sample add\` and \`serve --sample\` add missing ones, \`serve sample status\` lists them.

## Faults

\`mcpdeck serve --fault <kind>=<rate> --seed <number>\` adds faults at a rate, the same ones for the same seed: ${FAULT_KINDS.map(kind => `\`${kind}\``).join(', ')}
(\`latency=MS:RATE\`).

## What differs from a hosted service

- Consent in a browser: a server connection in \`awaiting_authorization\` names the route for importing tokens and continues after the
  import; one in \`awaiting_project\` continues when the same create is sent with \`projectId\`. A new server that waits for tokens is
  already saved and stays if the request is cancelled. There is neither \`authorizing\` nor \`handoffUrl\`.
- Directory readiness: only what a server reports itself is measured. What a form or only the directory knows is listed as not
  evaluated, so no run ends \`ready\` as a whole.
- \`GET /models\` lists the configured endpoint's models, \`GET /host-catalog\` the clients that can be created here; neither lists hosted ones.
- A launch without a client uses the project's first client with the suite's servers.
- Deprecated paths (\`/hosts\` and all of scenarios) answer \`Deprecation: true\`, with the successor's template in \`Link\`; only the
  successors of \`/hosts\` are served here.
- Eval vocabulary 2: \`assertions\` of a case are its \`checks\` (a list replaces the suite's), those of an inline case are appended as
  steps; \`defaultAssertions\` of a suite are its \`checks\`; \`legacyIterations\` applies if \`iterations\` is missing. Answers have
  \`assertions\`, \`defaultAssertions\` and \`iterations\`.

## Shapes

Tests check each answer, also refusals, against the declared shapes and the published OpenAPI file. If the two documents of the
contract differ, the service document decides; \`mcpdeck serve --shape published\` answers as the file says, for clients generated from
it. These answers differ from the file, never by a wrong type:

| operations | difference from the file | reason |
|---|---|---|
${answerDeviations.map(deviationRow).join('\n')}

Reads ignore unknown options; writes refuse them. Every GET list takes \`cursor\` and \`limit\`.

## Operations

The column "tests" names tests that use the operation's declaration, by name in \`test/service\`, otherwise by path.
`
}
