/** A place where our declarations intentionally differ from the OpenAPI file. */
export type Deviation = {
  /** Name of the operation. */
  operation: string
  /** The difference as the comparison words it. */
  what: string
  /** The document that decides, and the place in it. */
  reason: string
}

/** The message of the comparison for an operation that only the prose document has. */
export const PROSE_ONLY = 'not in the OpenAPI file'

/** Each combination of operations and differences, with one reason. */
function because(reason: string, operations: readonly string[], whats: readonly string[]): Deviation[] {
  return operations.flatMap(operation => whats.map(what => ({ operation, what, reason })))
}

const proseOnly: Deviation[] = [
  ...because(
    'differences row 1: clients replace hosts, under paths that nothing prints',
    ['listClients', 'createClient', 'getClient', 'updateClient', 'deleteClient', 'duplicateClient'],
    [PROSE_ONLY],
  ),
  ...because('differences row 8: the deployment announces itself', ['getCapabilities'], [PROSE_ONLY]),
  ...because('differences section 2: rerun of failed cases', ['previewEvalRunRerun', 'rerunEvalRun'], [PROSE_ONLY]),
  ...because('differences section 2: chat turn', ['sendChatSessionMessage'], [PROSE_ONLY]),
  ...because(
    'newer section 1: server skills',
    ['listServerSkills', 'getServerSkill', 'readServerSkillFile'],
    [PROSE_ONLY],
  ),
]

const lists: Deviation[] = [
  ...because(
    'service-api "General conventions": every collection may answer a cursor',
    [
      'listOrganizations',
      'listProjects',
      'listProjectServers',
      'listEvalSuites',
      'listEvalSuiteRuns',
      'listHarnessBuiltinTools',
      'listHosts',
      'listEnvironments',
      'listProjectPlugins',
      'listScenarios',
    ],
    ['response.nextCursor: not documented'],
  ),
  ...because(
    'service-api "General conventions": reads take cursor and limit as query parameters',
    [
      'listOrganizations',
      'listProjects',
      'listProjectServers',
      'listEvalSuites',
      'listEvalCases',
      'getEvalRunSteps',
      'listHosts',
      'listEnvironments',
      'listProjectPlugins',
      'listHarnessBuiltinTools',
      'listSandboxImages',
      'listSandboxImageBuilds',
      'listEvalCheckRepos',
      'listScenarios',
      'listUserTestingFindings',
    ],
    ['query.cursor: only declared', 'query.limit: only declared'],
  ),
  ...because(
    'service-api "General conventions": reads take cursor and limit as query parameters',
    ['listEvalSuiteRuns', 'listChatSessions', 'listReadinessRuns'],
    ['query.cursor: only declared'],
  ),
  ...because(
    'differences row 12: a GET takes its cursor as a query parameter',
    [
      'listPersonas',
      'listJourneys',
      'listSwarms',
      'listJourneyRuns',
      'listJourneyRunSessions',
      'listSwarmFindings',
      'listUserTestingSessions',
      'getUserTestingSession',
    ],
    ['query.cursor: only declared', 'query.limit: only declared', 'body: only documented'],
  ),
]

const evals: Deviation[] = [
  ...because(
    'differences section 2: additions to EvalRun; the name of the decision summary is not shown',
    ['getEvalRun', 'cancelEvalRun'],
    [
      'response.client: not documented',
      'response.modelSource: not documented',
      'response.decisionSummary: not documented',
    ],
  ),
  ...because(
    'differences section 2: additions to EvalRun; the name of the decision summary is not shown',
    ['listEvalSuiteRuns'],
    [
      'response.items[].client: not documented',
      'response.items[].modelSource: not documented',
      'response.items[].decisionSummary: not documented',
    ],
  ),
  ...because(
    'an addition of the local workspace, which starts the servers of a run itself: what it started',
    ['getEvalRun', 'cancelEvalRun'],
    ['response.startedServers: not documented'],
  ),
  ...because(
    'an addition of the local workspace, which starts the servers of a run itself: what it started',
    ['listEvalSuiteRuns'],
    ['response.items[].startedServers: not documented'],
  ),
  ...because(
    'service-api "General conventions": a GET takes the cursor that its answer gave, here that of the diagnostics',
    ['getEvalRun'],
    ['query.cursor: only declared'],
  ),
  ...because(
    'differences row 5: inputs of a run create',
    ['createEvalRun'],
    ['body.hosts: only declared', 'body.model: only declared'],
  ),
  ...because(
    'differences section 6: the header is described in the text of a field',
    ['createEvalRun', 'createEvalRunGroup', 'generateEvalCases'],
    ['header idempotency-key: only declared'],
  ),
  ...because(
    'differences section 6: the text says "same vocabulary as POST /eval-runs"',
    ['createEvalRunGroup'],
    ['body.matchOptionsOverride: fields declared, documented as open'],
  ),
  ...because(
    'differences row 22: ownership of a batch is told in the query, and accepted in the body',
    ['createEvalCases'],
    ['query.declaredSuiteId: only declared', 'body.declaredSuiteId: only declared'],
  ),
  ...because(
    'service-api "Eval case batch create": each entry and an unknown policy are judged by the service',
    ['createEvalCases'],
    [
      'body.cases[]: takes undeclared fields, documented as strict',
      'body.cases[]: declared as open, fields documented',
      'body.duplicatePolicy: values block, warn, create_anyway only documented',
    ],
  ),
]

const notEmpty: Deviation[] = [
  ...because(
    'limits-and-errors section 4: persona name and role have 1 to 120 characters',
    ['createPersona', 'updatePersona'],
    ['body.name: minLength 1, documented as unbounded', 'body.role: minLength 1, documented as unbounded'],
  ),
  ...because(
    'limits-and-errors section 4: a journey goal has 1 to 4000 characters',
    ['createJourney', 'updateJourney'],
    ['body.goal: minLength 1, documented as unbounded'],
  ),
  ...(
    [
      ['callTool', 'body.toolName'],
      ['getPrompt', 'body.promptName'],
      ['readResource', 'body.uri'],
      ['importOAuthTokens', 'body.serverUrl'],
      ['importOAuthTokens', 'body.tokens.access_token'],
      ['createEvalRun', 'body.tests[].title'],
    ] as const
  ).map(([operation, field]) => ({
    operation,
    what: `${field}: minLength 1, documented as unbounded`,
    reason: 'no document: an empty text names nothing, so it is refused before it is sent',
  })),
]

const clientsAndEnvironments: Deviation[] = [
  ...because(
    'differences row 2: where a config id is read',
    ['listHosts'],
    ['response.items[].configId: not documented'],
  ),
  ...because(
    'differences row 2: where a config id is read',
    ['createHost', 'getHost', 'updateHost', 'setHostServers', 'duplicateHost'],
    ['response.configId: not documented', 'response.hostConfigId: not documented'],
  ),
  ...because(
    'differences row 7: the prose document adds a capability',
    ['getEnvironmentCapabilities'],
    ['response.secretGrants: not documented'],
  ),
  ...because(
    'limits-and-errors section 9: a revision is never negative',
    ['nameEnvironment'],
    ['body.expectedRevision: minimum 0, documented as unbounded'],
  ),
  ...because(
    'schemas "AdhocEnvironment": named and nameless environments are read by one shape',
    ['listEnvironments'],
    ['response.items[].adhoc: not documented'],
  ),
  ...because(
    'schemas "AdhocEnvironment": named and nameless environments are read by one shape',
    [
      'createEnvironment',
      'getEnvironment',
      'updateEnvironment',
      'nameEnvironment',
      'archiveEnvironment',
      'restoreEnvironment',
    ],
    ['response.adhoc: not documented'],
  ),
  ...because(
    'no document: path parameters are plain text, and the service refuses an unknown harness',
    ['listHarnessBuiltinTools'],
    ['path harnessId: any text, documented as claude-code'],
  ),
]

const swarms: Deviation[] = [
  ...because('differences row 15: swarm record', ['listSwarms'], ['response.items[].setupWrites: not documented']),
  ...because(
    'differences row 15: swarm record',
    ['createSwarm', 'getSwarm', 'updateSwarm'],
    ['response.setupWrites: not documented'],
  ),
  ...['deduped', 'hostId', 'targetId', 'sessionsGraded', 'failCount', 'failedGradingCount'].flatMap(field => [
    ...because(
      'differences row 26: journey-run fields',
      ['listJourneyRuns'],
      [`response.items[].${field}: not documented`],
    ),
    ...because('differences row 26: journey-run fields', ['getJourneyRun'], [`response.${field}: not documented`]),
  ]),
]

const userTesting: Deviation[] = [
  ...because('differences row 4: published with POST first', ['publishScenario'], ['method: POST, documented as PUT']),
  ...because('differences row 4: PUT repeats what POST was refused for', ['publishScenarioPut'], [PROSE_ONLY]),
  ...because(
    'differences row 34: two shapes of a link',
    ['publishScenario', 'rebindScenario', 'rotateScenarioLink'],
    ['response.link.path: not documented', 'response.link.url: not documented, yet required'],
  ),
  ...because(
    'limits-and-errors section 11: usage rates need `scan.truncated`',
    ['getUserTestingUsage'],
    ['response.scan: not documented'],
  ),
  ...because(
    'endpoints "User testing": the open document carries the window of its insights',
    ['getUserTestingSignals'],
    ['response.windowId: not documented'],
  ),
]

/** Values that the file gives in a description, or on another record of the same kind. */
const statedElsewhere: Deviation[] = [
  {
    operation: 'listChatSessions',
    what: 'response.items[].status: values active, archived only declared',
    reason: 'limits-and-errors section 10: chat session filter',
  },
  {
    operation: 'listChatSessions',
    what: 'response.items[].visibility: values private, project only declared',
    reason: 'limits-and-errors section 10: chat session visibility',
  },
  {
    operation: 'getSwarmOverview',
    what: 'response.runs[].status: values running, completed, partial, failed, rate_limited only declared',
    reason: 'limits-and-errors section 10: journey run status',
  },
  {
    operation: 'getUserTestingScenario',
    what: 'response.mode: values project_members, invited_only, anyone_with_link only declared',
    reason: 'limits-and-errors section 10: scenario mode',
  },
  {
    operation: 'cancelReadinessRun',
    what: 'response.status: values pending, running, completed, failed only declared',
    reason: 'limits-and-errors section 10: readiness run',
  },
]

/** `callTool` returns the result with its duration. */
const toolCall = because('differences row 16: tool call reply', ['callTool'], ['response.durationMs: not documented'])

const snapshot = because(
  'a local workspace takes what a server lists, says what it could not, and has its instructions',
  ['exportServer'],
  ['response.unread: not documented', 'response.instructions: not documented'],
)

export const deviations: readonly Deviation[] = [
  ...proseOnly,
  ...lists,
  ...evals,
  ...notEmpty,
  ...clientsAndEnvironments,
  ...swarms,
  ...userTesting,
  ...statedElsewhere,
  ...toolCall,
  ...snapshot,
]
