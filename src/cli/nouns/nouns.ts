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

const noun = (name: string, one: string, help: string, more: Omit<Noun, 'name' | 'one' | 'help'>): Noun => ({
  name,
  one,
  help,
  ...more,
})

/** All nouns of `mcpdeck get`, in the order of its help. */
export const NOUNS: readonly Noun[] = [
  noun('projects', 'project', 'projects that the key can access', {
    list: 'projects.list',
    calledBy: 'name',
    columns: [ID, NAME, column('ROLE'), column('VISIBILITY'), CREATED],
  }),
  noun('organizations', 'organization', 'organizations that the key can access', {
    list: 'account.organizations',
    calledBy: 'name',
    columns: [ID, NAME, column('PLAN'), column('ROLE', 'myRole')],
  }),
  noun('servers', 'server', 'saved servers', {
    list: 'servers.list',
    read: { operation: 'servers.get', parameter: 'serverId' },
    calledBy: 'name',
    columns: [ID, NAME, column('TRANSPORT', 'transportType'), column('ENABLED'), column('URL')],
  }),
  noun('tools', 'tool', 'tools of a server', {
    list: 'servers.tools',
    parents: [server],
    calledBy: 'name',
    columns: [NAME, column('DESCRIPTION')],
  }),
  noun('prompts', 'prompt', 'prompts of a server', {
    list: 'servers.prompts',
    parents: [server],
    calledBy: 'name',
    columns: [NAME, column('DESCRIPTION')],
  }),
  noun('resources', 'resource', 'resources of a server', {
    list: 'servers.resources',
    parents: [server],
    calledBy: 'uri',
    columns: [column('URI'), NAME, column('TYPE', 'mimeType')],
  }),
  noun('suites', 'suite', 'eval suites, each with the state of its last complete run', {
    list: 'suites.list',
    state: 'suite',
    read: { operation: 'suites.get', parameter: 'suiteId' },
    onlyListed: ['latestRun', 'totals'],
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
  }),
  noun('cases', 'case', 'cases of a suite', {
    list: 'cases.list',
    read: { operation: 'cases.get', parameter: 'caseId' },
    parents: [suite],
    calledBy: 'title',
    columns: [ID, column('TITLE'), count('ITERATIONS', 'iterations'), column('NEGATIVE', 'isNegative')],
  }),
  noun('runs', 'run', 'eval runs of a suite, or of all suites', {
    list: 'runs.list',
    state: 'run',
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
  }),
  noun('trials', 'trial', 'trials (iterations) of a run', {
    list: 'iterations.list',
    state: 'trial',
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
  }),
  noun('steps', 'step', 'verdicts of the steps of a trial', {
    list: 'iterations.steps',
    parents: [run, { option: 'trial', parameter: 'iterationId' }],
    columns: [column('STEP', 'stepId'), column('KIND'), STATUS, column('REASON')],
  }),
  noun('environments', 'environment', 'environments', {
    list: 'environments.list',
    read: { operation: 'environments.get', parameter: 'environmentId' },
    calledBy: 'name',
    columns: [ID, NAME, count('REVISION', 'revision'), column('CLIENT', 'hostId'), column('ARCHIVED')],
  }),
  noun('clients', 'client', 'clients', {
    list: 'clients.list',
    read: { operation: 'clients.get', parameter: 'clientId' },
    older: { list: 'hosts.list', read: { operation: 'hosts.get', parameter: 'hostId' } },
    calledBy: 'name',
    columns: [ID, NAME, column('MODEL', 'modelId'), count('SERVERS', 'serverCount')],
  }),
  noun('findings', 'finding', 'findings of swarms and of scenarios; "source" distinguishes them', {
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
  }),
  noun('scenarios', 'scenario', 'published scenarios', {
    list: 'scenarios.list',
    read: { operation: 'scenarios.get', parameter: 'scenarioId' },
    calledBy: 'name',
    columns: [ID, NAME, column('ACCESS', 'mode'), column('CLIENT', 'hostName'), count('SERVERS', 'serverCount')],
  }),
  noun('visits', 'visit', 'sessions of the visitors of a scenario', {
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
  }),
  noun('personas', 'persona', 'personas of swarms', {
    list: 'personas.list',
    read: { operation: 'personas.get', parameter: 'personaId' },
    calledBy: 'name',
    columns: [ID, NAME, column('ROLE'), column('SOURCE')],
  }),
  noun('journeys', 'journey', 'journeys of swarms', {
    list: 'journeys.list',
    read: { operation: 'journeys.get', parameter: 'journeyId' },
    calledBy: 'name',
    columns: [ID, NAME, column('PERSONA', 'personaId'), column('SWARM', 'swarmId'), column('GOAL')],
  }),
  noun('swarms', 'swarm', 'swarms', {
    list: 'swarms.list',
    read: { operation: 'swarms.get', parameter: 'swarmId' },
    calledBy: 'name',
    columns: [ID, NAME, count('SESSIONS', 'sessionsPerTarget'), count('TURNS', 'maxTurns'), CREATED],
  }),
  noun('waves', 'wave', 'runs of a journey, or of all journeys', {
    list: 'journeyRuns.list',
    state: 'wave',
    read: { operation: 'journeyRuns.get', parameter: 'runId' },
    parents: [{ option: 'journey', parameter: 'journeyId', of: 'journeys', optional: true }],
    columns: [
      ID,
      STATE,
      count('SUCCEEDED', 'summary.succeeded'),
      count('TOTAL', 'summary.total'),
      // A session that succeeded only ran to its end; its grade says whether it reached the goal.
      count('GRADED', 'sessionsGraded'),
      count('MISSED', 'failCount'),
      count('GRADER BROKE', 'failedGradingCount'),
      CREATED,
      column('WAVE', 'waveId'),
    ],
  }),
  noun('wave-sessions', 'session', 'sessions of a wave', {
    list: 'journeyRuns.sessions',
    parents: [{ option: 'wave', parameter: 'runId' }],
    columns: [
      ID,
      column('OUTCOME'),
      column('PERSONA', 'personaLabel'),
      count('MESSAGES', 'messageCount'),
      column('PREVIEW'),
    ],
  }),
  noun('sessions', 'session', 'sessions of all sources', {
    list: 'sessions.list',
    columns: [
      ID,
      column('SOURCE', 'sourceType'),
      STATUS,
      count('MESSAGES', 'messageCount'),
      time('ACTIVE', 'lastActivityAt'),
      column('TITLE'),
    ],
  }),
  noun('chat-sessions', 'session', 'chat sessions', {
    list: 'chatSessions.list',
    columns: [ID, STATUS, column('VISIBILITY'), time('ACTIVE', 'lastActivityAt'), column('TITLE')],
  }),
  noun('readiness-runs', 'readiness run', 'directory readiness runs', {
    list: 'readiness.list',
    read: { operation: 'readiness.get', parameter: 'runId' },
    columns: [ID, STATUS, column('KIND', 'readinessKind'), column('SERVER', 'serverId'), CREATED],
  }),
  noun('images', 'image', 'sandbox images', {
    list: 'images.list',
    read: { operation: 'images.get', parameter: 'imageId' },
    calledBy: 'name',
    columns: [ID, NAME, column('SHARING'), column('BUILD', 'currentBuild.status')],
  }),
  noun('builds', 'build', 'builds of an image', {
    list: 'images.builds',
    parents: [{ option: 'image', parameter: 'imageId', of: 'images' }],
    columns: [ID, STATUS, CREATED, column('ERROR')],
  }),
  noun('plugins', 'plugin', 'installed plugins', {
    list: 'plugins.list',
    calledBy: 'name',
    columns: [ID, NAME, column('ENABLED'), column('DESCRIPTION')],
  }),
  noun('check-repos', 'repository', 'repositories whose pull requests run a suite', {
    list: 'checkRepos.list',
    parents: [{ option: 'organization', parameter: 'organizationId', of: 'organizations' }],
    calledBy: 'repo',
    columns: [ID, column('REPO'), column('ENABLED'), column('SUITE', 'suiteId')],
  }),
]

/** Names of nouns in the contract, if they differ. */
const ALIASES: Readonly<Record<string, string>> = {
  iterations: 'trials',
  'journey-runs': 'waves',
  'eval-runs': 'runs',
  'eval-suites': 'suites',
  hosts: 'clients',
}

/** Returns the noun with this name, in the singular or plural, or with this alias. */
export function nounOf(word: string): Noun | undefined {
  const [wanted, plural] = [ALIASES[word] ?? word, `${word}s`]
  return NOUNS.find(({ name }) => name === wanted) ?? NOUNS.find(({ name }) => name === (ALIASES[plural] ?? plural))
}

/** Returns all parents by which a list can be filtered with an option. */
export function parentsOf({ parents = [], further }: Noun): readonly NounParent[] {
  return further ? [...parents, { ...further.parent, optional: true }] : parents
}

/** All options that name a parent of a noun. */
export const PARENT_OPTIONS: readonly NounParent['option'][] = [
  ...new Set(NOUNS.flatMap(parentsOf).map(({ option }) => option)),
]

/** Returns the list of nouns for the command's help. */
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
