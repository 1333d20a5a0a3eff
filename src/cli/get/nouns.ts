import type { Noun, NounColumn, NounParent } from './noun.ts'

const column = (title: string, path = title.toLowerCase()): NounColumn => ({ title, path })
const time = (title: string, path: string): NounColumn => ({ title, path, as: 'time' })
const count = (title: string, path: string): NounColumn => ({ title, path, as: 'count' })

const [ID, NAME, STATUS, STATE] = [column('ID'), column('NAME'), column('STATUS'), column('STATE')]
const CREATED = time('CREATED', 'createdAt')

const suite: NounParent = { option: 'suite', parameter: 'suiteId', of: 'suites' }
const run: NounParent = { option: 'run', parameter: 'runId' }
const server: NounParent = { option: 'server', parameter: 'serverId', of: 'servers' }
const scenario: NounParent = { option: 'scenario', parameter: 'scenarioId', of: 'scenarios' }

/** Everything that `mcpdeck get` lists, in the order of its help. */
export const NOUNS: readonly Noun[] = [
  {
    name: 'projects',
    help: 'projects that the key sees',
    one: 'project',
    list: 'projects.list',
    calledBy: 'name',
    columns: [ID, NAME, column('ROLE'), column('VISIBILITY'), CREATED],
  },
  {
    name: 'organizations',
    help: 'organizations that the key sees',
    one: 'organization',
    list: 'account.organizations',
    calledBy: 'name',
    columns: [ID, NAME, column('PLAN'), column('ROLE', 'myRole')],
  },
  {
    name: 'servers',
    help: 'saved servers',
    one: 'server',
    list: 'servers.list',
    read: { operation: 'servers.get', parameter: 'serverId' },
    calledBy: 'name',
    columns: [ID, NAME, column('TRANSPORT', 'transportType'), column('ENABLED'), column('URL')],
  },
  {
    name: 'tools',
    help: 'tools of a server',
    one: 'tool',
    list: 'servers.tools',
    parents: [server],
    calledBy: 'name',
    columns: [NAME, column('DESCRIPTION')],
  },
  {
    name: 'prompts',
    help: 'prompts of a server',
    one: 'prompt',
    list: 'servers.prompts',
    parents: [server],
    calledBy: 'name',
    columns: [NAME, column('DESCRIPTION')],
  },
  {
    name: 'resources',
    help: 'resources of a server',
    one: 'resource',
    list: 'servers.resources',
    parents: [server],
    calledBy: 'uri',
    columns: [column('URI'), NAME, column('TYPE', 'mimeType')],
  },
  {
    name: 'suites',
    help: 'eval suites, each by its last run over everything',
    one: 'suite',
    state: 'suite',
    list: 'suites.list',
    read: { operation: 'suites.get', parameter: 'suiteId' },
    calledBy: 'name',
    columns: [
      ID,
      NAME,
      STATE,
      column('COVERED', 'coverage.says'),
      column('LAST RUN', 'lastRun.says'),
      count('PASSED', 'latestRun.passed'),
      count('FAILED', 'latestRun.failed'),
      count('RUNS', 'totals.runs'),
    ],
  },
  {
    name: 'cases',
    help: 'cases of a suite',
    one: 'case',
    list: 'cases.list',
    read: { operation: 'cases.get', parameter: 'caseId' },
    parents: [suite],
    calledBy: 'title',
    columns: [ID, column('TITLE'), count('ITERATIONS', 'iterations'), column('NEGATIVE', 'isNegative')],
  },
  {
    name: 'runs',
    help: 'eval runs of a suite, or of all suites',
    one: 'run',
    state: 'run',
    list: 'runs.list',
    earlier: 'runs.older',
    read: { operation: 'runs.get', parameter: 'runId' },
    parents: [{ ...suite, optional: true }],
    columns: [
      ID,
      count('NO', 'runNumber'),
      STATE,
      column('COVERED', 'coverage.says'),
      count('PASSED', 'summary.passed'),
      count('TOTAL', 'summary.total'),
      CREATED,
      time('ENDED', 'completedAt'),
      column('ENVIRONMENT', 'environment.name'),
    ],
  },
  {
    name: 'trials',
    help: 'trials (iterations) of a run',
    one: 'trial',
    state: 'trial',
    list: 'iterations.list',
    parents: [run],
    columns: [
      ID,
      STATE,
      count('NO', 'iterationNumber'),
      column('TITLE'),
      count('MS', 'durationMs'),
      count('TOKENS', 'tokensUsed'),
      column('ERROR'),
    ],
  },
  {
    name: 'steps',
    help: 'verdicts of the steps of a trial',
    one: 'step',
    list: 'iterations.steps',
    parents: [run, { option: 'trial', parameter: 'iterationId' }],
    columns: [column('STEP', 'stepId'), column('KIND'), STATUS, column('REASON')],
  },
  {
    name: 'environments',
    help: 'environments',
    one: 'environment',
    list: 'environments.list',
    read: { operation: 'environments.get', parameter: 'environmentId' },
    calledBy: 'name',
    columns: [ID, NAME, count('REVISION', 'revision'), column('CLIENT', 'hostId'), column('ARCHIVED')],
  },
  {
    name: 'clients',
    help: 'clients',
    one: 'client',
    list: 'clients.list',
    read: { operation: 'clients.get', parameter: 'clientId' },
    older: { list: 'hosts.list', read: { operation: 'hosts.get', parameter: 'hostId' } },
    calledBy: 'name',
    columns: [ID, NAME, column('MODEL', 'modelId'), count('SERVERS', 'serverCount')],
  },
  {
    name: 'findings',
    help: 'findings of swarms and of scenarios; "source" distinguishes them',
    one: 'finding',
    list: 'journeyFindings.list',
    source: 'swarm',
    further: { list: 'userTestingFindings.list', parent: scenario, source: 'scenario' },
    columns: [
      column('SOURCE'),
      ID,
      STATUS,
      column('DIMENSION'),
      column('SUBJECT', 'subject.label'),
      count('SEEN', 'occurrenceCount'),
      time('LAST SEEN', 'lastSeenAt'),
      time('DISMISSED', 'dismissedAt'),
    ],
  },
  {
    name: 'scenarios',
    help: 'published scenarios',
    one: 'scenario',
    list: 'scenarios.list',
    read: { operation: 'scenarios.get', parameter: 'scenarioId' },
    calledBy: 'name',
    columns: [ID, NAME, column('ACCESS', 'mode'), column('CLIENT', 'hostName'), count('SERVERS', 'serverCount')],
  },
  {
    name: 'visits',
    help: 'sessions of the visitors of a scenario',
    one: 'visit',
    list: 'userTestingSessions.list',
    read: { operation: 'userTestingSessions.get', parameter: 'sessionId' },
    parents: [scenario],
    columns: [
      ID,
      column('VISITOR', 'visitor.displayName'),
      count('MESSAGES', 'messageCount'),
      column('MODEL', 'modelId'),
      time('STARTED', 'startedAt'),
      column('PREVIEW'),
    ],
  },
  {
    name: 'personas',
    help: 'personas of swarms',
    one: 'persona',
    list: 'personas.list',
    read: { operation: 'personas.get', parameter: 'personaId' },
    calledBy: 'name',
    columns: [ID, NAME, column('ROLE'), column('SOURCE')],
  },
  {
    name: 'journeys',
    help: 'journeys of swarms',
    one: 'journey',
    list: 'journeys.list',
    read: { operation: 'journeys.get', parameter: 'journeyId' },
    calledBy: 'name',
    columns: [ID, NAME, column('PERSONA', 'personaId'), column('SWARM', 'swarmId'), column('GOAL')],
  },
  {
    name: 'swarms',
    help: 'swarms',
    one: 'swarm',
    list: 'swarms.list',
    read: { operation: 'swarms.get', parameter: 'swarmId' },
    calledBy: 'name',
    columns: [ID, NAME, count('SESSIONS', 'sessionsPerTarget'), count('TURNS', 'maxTurns'), CREATED],
  },
  {
    name: 'waves',
    help: 'runs of a journey, or of all journeys',
    one: 'wave',
    state: 'wave',
    list: 'journeyRuns.list',
    read: { operation: 'journeyRuns.get', parameter: 'runId' },
    parents: [{ option: 'journey', parameter: 'journeyId', of: 'journeys', optional: true }],
    columns: [
      ID,
      STATE,
      count('SUCCEEDED', 'summary.succeeded'),
      count('TOTAL', 'summary.total'),
      CREATED,
      column('WAVE', 'waveId'),
    ],
  },
  {
    name: 'wave-sessions',
    help: 'sessions of a wave',
    one: 'session',
    list: 'journeyRuns.sessions',
    parents: [{ option: 'wave', parameter: 'runId' }],
    columns: [
      ID,
      column('OUTCOME'),
      column('PERSONA', 'personaLabel'),
      count('MESSAGES', 'messageCount'),
      column('PREVIEW'),
    ],
  },
  {
    name: 'sessions',
    help: 'sessions of all sources',
    one: 'session',
    list: 'sessions.list',
    columns: [
      ID,
      column('SOURCE', 'sourceType'),
      STATUS,
      count('MESSAGES', 'messageCount'),
      time('ACTIVE', 'lastActivityAt'),
      column('TITLE'),
    ],
  },
  {
    name: 'chat-sessions',
    help: 'chat sessions',
    one: 'session',
    list: 'chatSessions.list',
    columns: [ID, STATUS, column('VISIBILITY'), time('ACTIVE', 'lastActivityAt'), column('TITLE')],
  },
  {
    name: 'readiness-runs',
    help: 'directory readiness runs',
    one: 'readiness run',
    list: 'readiness.list',
    read: { operation: 'readiness.get', parameter: 'runId' },
    columns: [ID, STATUS, column('KIND', 'readinessKind'), column('SERVER', 'serverId'), CREATED],
  },
  {
    name: 'images',
    help: 'sandbox images',
    one: 'image',
    list: 'images.list',
    read: { operation: 'images.get', parameter: 'imageId' },
    calledBy: 'name',
    columns: [ID, NAME, column('SHARING'), column('BUILD', 'currentBuild.status')],
  },
  {
    name: 'builds',
    help: 'builds of an image',
    one: 'build',
    list: 'images.builds',
    parents: [{ option: 'image', parameter: 'imageId', of: 'images' }],
    columns: [ID, STATUS, CREATED, column('ERROR')],
  },
  {
    name: 'plugins',
    help: 'installed plugins',
    one: 'plugin',
    list: 'plugins.list',
    calledBy: 'name',
    columns: [ID, NAME, column('ENABLED'), column('DESCRIPTION')],
  },
  {
    name: 'check-repos',
    help: 'repositories whose pull requests run a suite',
    one: 'repository',
    list: 'checkRepos.list',
    parents: [{ option: 'organization', parameter: 'organizationId', of: 'organizations' }],
    calledBy: 'repo',
    columns: [ID, column('REPO'), column('ENABLED'), column('SUITE', 'suiteId')],
  },
]

/** Other words that a noun is known by: its singular, and what the contract calls it. */
const ALIASES: Readonly<Record<string, string>> = {
  iterations: 'trials',
  'journey-runs': 'waves',
  'eval-runs': 'runs',
  'eval-suites': 'suites',
  hosts: 'clients',
}

/** The noun of this name, in the singular or plural, or by an alias. */
export function nounOf(word: string): Noun | undefined {
  const [wanted, plural] = [ALIASES[word] ?? word, `${word}s`]
  return NOUNS.find(({ name }) => name === wanted) ?? NOUNS.find(({ name }) => name === (ALIASES[plural] ?? plural))
}

/** All that a listing can be narrowed to by an option of its own. */
export function parentsOf({ parents = [], further }: Noun): readonly NounParent[] {
  return further ? [...parents, { ...further.parent, optional: true }] : parents
}

/** Every option that names a parent of some noun. */
export const PARENT_OPTIONS: readonly NounParent['option'][] = [
  ...new Set(NOUNS.flatMap(parentsOf).map(({ option }) => option)),
]

/** The list of nouns as the command's help shows it. */
export function nounsHelp(): string {
  const width = Math.max(...NOUNS.map(({ name }) => name.length))
  const lines = NOUNS.map(noun => {
    const { name, help: says } = noun
    const needs = parentsOf(noun)
      .map(({ option, optional }) => (optional ? `[--${option}]` : `--${option}`))
      .join(' ')
    return `  ${name.padEnd(width)}  ${says}${needs ? ` (${needs})` : ''}`
  })
  return `\nWhat can be listed:\n${lines.join('\n')}`
}
