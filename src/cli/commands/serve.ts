import { Option } from 'commander'
import { PROJECT_ROLES } from '../../api/contract/endpoint.ts'
import { LIMITS, MAX_LIMIT, type LimitName, GATE_NAMES, LIMIT_NAMES } from '../../service/core/limits.ts'
import { DEFAULT_PORT } from '../../service/core/urls.ts'
import { FAULT_FORM } from '../../service/faults/kinds.ts'
import { ANSWER_SHAPES, type AnswerShape } from '../../service/workspace/answer-shapes.ts'
import { collect, whole } from '../arguments/option-values.ts'
import type { KeyOptions } from '../serve/serve-command.ts'
import { command, type CommandDeclaration, type DeclaredFlag } from './declare.ts'

type ServeOptions = {
  port: number
  host: string
  allowRemote?: boolean
  allowHost: string[]
  rateLimit?: number
  burst?: number
  maxRuns?: number
  sample?: boolean
  fault: string[]
  seed?: number
  requestLog?: string | true
  shape?: AnswerShape
  json?: boolean
}
type Json = { json?: boolean }

const ITEMS: DeclaredFlag = ['--json', 'print {"items": [...]}']
const serving = () => import('../serve/serve-command.ts')
const settings = () => import('../serve/serve-settings.ts')
const samples = () => import('../serve/serve-settings.ts')

/** Returns the flag for a number that overrides a stored limit in this process. */
function limitFlag(flags: string, name: LimitName): DeclaredFlag {
  const { says, min } = LIMITS[name]
  return [flags, `${says} Default: the stored limit.`, whole(min, MAX_LIMIT)]
}

/** Declares `mcpdeck serve`, and the settings of the local workspace below it. */
export const serve: readonly CommandDeclaration[] = [
  command<ServeOptions>({
    name: 'serve',
    says: 'Serve the local workspace over HTTP on loopback, for other clients.',
    flags: [
      ['--port <port>', `port; 0 picks a free one (MCPDECK_PORT, else ${DEFAULT_PORT})`, whole(0, 65_535)],
      new Option('--host <address>', 'address to listen on').default('127.0.0.1'),
      ['--allow-remote', 'allow an address that other machines can reach'],
      ['--allow-host <name>', 'host name of a proxy in front of a loopback address; others are refused', collect, []],
      limitFlag('--rate-limit <count>', 'requestsPerMinute'),
      limitFlag('--burst <count>', 'burst'),
      limitFlag('--max-runs <count>', 'concurrentRuns'),
      ['--sample', 'add samples if the workspace has none'],
      ['--fault <kind=value>', `add a fault: ${FAULT_FORM}`, collect, []],
      ['--seed <number>', 'make the faults repeatable', whole(0, Number.MAX_SAFE_INTEGER)],
      new Option('--shape <name>', 'shape of answers: that of the service document or of the published file')
        .choices(ANSWER_SHAPES)
        .default('document'),
      ['--request-log [file]', 'log each request to a file or to standard output'],
      ['--json', 'print one line {"baseUrl","keyFile","pid"} when it listens, and log requests as JSON'],
    ],
    run: async ({ own, common }) => (await serving()).runServe(common, own),
  }),
  { name: 'serve key', says: 'Create, list and revoke keys of the local workspace.' },
  command<KeyOptions>({
    name: 'serve key create',
    says: 'Create a key and write it to a private file; it is not shown again.',
    words: [['<name>', '']],
    flags: [
      ['--role <role>', `${PROJECT_ROLES.join(', ')}: in every project (default: admin, unless granted)`],
      ['--grant <project=role>', 'role in one project, by its id', collect, []],
      ['--json', 'print the record of the key with its file'],
    ],
    run: async ({ words: [name = ''], own, common }) => (await serving()).createKey(common, name, own),
  }),
  command<Json>({
    name: 'serve key list',
    says: 'List keys with their organization and rights, without their text.',
    flags: [ITEMS],
    run: async ({ own, common }) => (await serving()).listKeys(common, own.json),
  }),
  command({
    name: 'serve key revoke',
    says: 'Revoke a key at once.',
    words: [['<id>', '']],
    run: async ({ words: [id = ''], common }) => (await serving()).revokeKey(common, id),
  }),
  command({
    name: 'serve key orphan',
    says: 'Remove a key’s organization, so that it is refused with ORPHANED_KEY.',
    words: [['<id>', '']],
    run: async ({ words: [id = ''], common }) => (await serving()).orphanKey(common, id),
  }),
  command<Json>({
    name: 'serve limits',
    says: 'List or change the limits of the local workspace; running processes use them at once.',
    flags: [ITEMS],
    run: async ({ own, common }) => (await settings()).showLimits(common, own.json),
  }),
  command<Json>({
    name: 'serve limits set',
    says: `Set limits: ${LIMIT_NAMES.join(', ')}.`,
    words: [['<name=value...>', '']],
    run: async ({ words: set, own, common }) => (await settings()).changeLimits(common, { set }, own.json),
  }),
  command<Json>({
    name: 'serve limits unset',
    says: 'Reset limits to their defaults.',
    words: [['<name...>', '']],
    run: async ({ words: unset, own, common }) => (await settings()).changeLimits(common, { unset }, own.json),
  }),
  command<Json>({
    name: 'serve gate',
    says: 'List or switch the features that can be off; running processes use the change at once.',
    words: [
      ['[name]', GATE_NAMES.join(' or ')],
      ['[state]', 'on or off'],
    ],
    flags: [ITEMS],
    run: async ({ words: [name, state], own, common }) => (await settings()).gates(common, [name, state], own.json),
  }),
  {
    name: 'serve sample',
    says: 'Add samples of findings, scenarios and runs to the local workspace, or remove them in one step.',
  },
  command<Json>({
    name: 'serve sample add',
    says: 'Add missing samples and list them.',
    flags: [ITEMS],
    run: async ({ own, common }) => (await samples()).addSamples(common, own.json),
  }),
  command<Json>({
    name: 'serve sample remove',
    says: 'Remove the samples, with all runs and sessions that belong to them.',
    flags: [['--json', 'print {"removed": [...], "kept": [...]}']],
    run: async ({ own, common }) => (await samples()).dropSamples(common, own.json),
  }),
  command<Json>({
    name: 'serve sample status',
    says: 'List the samples.',
    flags: [ITEMS],
    run: async ({ own, common }) => (await samples()).showSamples(common, own.json),
  }),
  command<Json>({
    name: 'serve status',
    says: 'Show the running work of the local workspace and the use of its limits.',
    flags: [['--json', 'print one object']],
    run: async ({ own, common }) => (await settings()).showStatus(common, own.json),
  }),
  // This command is started by other commands.
  command({
    name: 'serve worker',
    says: 'Execute what commands hand over, until nothing is left of it.',
    hidden: true,
    async run({ common }) {
      const { runWorker } = await import('../worker/worker.ts')
      await runWorker(common)
      return undefined
    },
  }),
]
