/** Organizations, keys, projects, servers, suites, cases, runs and trials. Times are epoch milliseconds. */
export const initial = `
CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE organization (
  id TEXT PRIMARY KEY, name TEXT NOT NULL, createdAt INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE account (
  id TEXT PRIMARY KEY, name TEXT NOT NULL, createdAt INTEGER NOT NULL, updatedAt INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE project (
  id TEXT PRIMARY KEY,
  organizationId TEXT NOT NULL REFERENCES organization ON DELETE CASCADE,
  name TEXT NOT NULL, description TEXT, icon TEXT, visibility TEXT NOT NULL,
  createdAt INTEGER NOT NULL, updatedAt INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX projectByOrganization ON project (organizationId, id);

CREATE TABLE apiKey (
  id TEXT PRIMARY KEY,
  lookup TEXT NOT NULL UNIQUE,
  hash BLOB NOT NULL,
  name TEXT NOT NULL,
  accountId TEXT NOT NULL REFERENCES account ON DELETE CASCADE,
  organizationId TEXT REFERENCES organization ON DELETE SET NULL,
  role TEXT, createdAt INTEGER NOT NULL, revokedAt INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE apiKeyGrant (
  keyId TEXT NOT NULL REFERENCES apiKey ON DELETE CASCADE,
  projectId TEXT NOT NULL REFERENCES project ON DELETE CASCADE,
  role TEXT NOT NULL,
  PRIMARY KEY (keyId, projectId)
) STRICT, WITHOUT ROWID;

CREATE TABLE server (
  id TEXT PRIMARY KEY,
  projectId TEXT NOT NULL REFERENCES project ON DELETE CASCADE,
  name TEXT NOT NULL, enabled INTEGER NOT NULL, transportType TEXT NOT NULL,
  url TEXT, timeoutMs REAL, useOAuth INTEGER NOT NULL,
  options TEXT NOT NULL,
  secrets BLOB NOT NULL, tokens BLOB,
  createdAt INTEGER NOT NULL, updatedAt INTEGER NOT NULL,
  UNIQUE (projectId, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE suite (
  id TEXT PRIMARY KEY,
  projectId TEXT NOT NULL REFERENCES project ON DELETE CASCADE,
  name TEXT NOT NULL, description TEXT,
  settings TEXT NOT NULL,
  createdBy TEXT NOT NULL, createdAt INTEGER NOT NULL, updatedAt INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX suiteByProject ON suite (projectId, id);

CREATE TABLE suiteCase (
  id TEXT PRIMARY KEY,
  suiteId TEXT NOT NULL REFERENCES suite ON DELETE CASCADE,
  declaredId TEXT NOT NULL, title TEXT NOT NULL,
  definition TEXT NOT NULL, contentDigest TEXT NOT NULL,
  overrideReason TEXT,
  idempotencyKey TEXT, idempotencyIndex INTEGER, requestDigest TEXT,
  createdAt INTEGER NOT NULL, updatedAt INTEGER NOT NULL,
  UNIQUE (suiteId, declaredId)
) STRICT, WITHOUT ROWID;
CREATE INDEX suiteCaseBySuite ON suiteCase (suiteId, id);
CREATE INDEX suiteCaseByContent ON suiteCase (suiteId, contentDigest);
CREATE UNIQUE INDEX suiteCaseByRequest ON suiteCase (suiteId, idempotencyKey, idempotencyIndex)
  WHERE idempotencyKey IS NOT NULL;

CREATE TABLE run (
  id TEXT PRIMARY KEY,
  projectId TEXT NOT NULL REFERENCES project ON DELETE CASCADE,
  organizationId TEXT NOT NULL,
  suiteId TEXT NOT NULL, suiteName TEXT NOT NULL, number INTEGER NOT NULL,
  status TEXT NOT NULL, result TEXT, source TEXT NOT NULL, notes TEXT, modelSource TEXT,
  plan TEXT NOT NULL, summary TEXT, decisionSummary TEXT,
  rerunOf TEXT, groupId TEXT,
  createdAt INTEGER NOT NULL, startedAt INTEGER, completedAt INTEGER,
  leaseToken TEXT, leaseHost TEXT, leasePid INTEGER, leaseExpiresAt INTEGER
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX runBySuite ON run (suiteId, number);
CREATE INDEX runByProject ON run (projectId, id);
CREATE INDEX runInFlight ON run (organizationId) WHERE status IN ('pending', 'running');

CREATE TABLE runCase (
  runId TEXT NOT NULL REFERENCES run ON DELETE CASCADE,
  position INTEGER NOT NULL,
  snapshot TEXT NOT NULL,
  PRIMARY KEY (runId, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE trial (
  id TEXT PRIMARY KEY,
  runId TEXT NOT NULL REFERENCES run ON DELETE CASCADE,
  position INTEGER NOT NULL, casePosition INTEGER NOT NULL, iterationNumber INTEGER NOT NULL,
  caseId TEXT NOT NULL, title TEXT NOT NULL,
  status TEXT NOT NULL, class TEXT NOT NULL, result TEXT, error TEXT,
  startedAt INTEGER, durationMs REAL, tokensUsed INTEGER,
  UNIQUE (runId, position)
) STRICT;

CREATE TABLE trialOutcome (
  trialId TEXT PRIMARY KEY REFERENCES trial ON DELETE CASCADE,
  outcome TEXT NOT NULL
) STRICT;

CREATE TABLE idempotency (
  scope TEXT NOT NULL, key TEXT NOT NULL, digest TEXT NOT NULL, reply TEXT NOT NULL,
  createdAt INTEGER NOT NULL,
  PRIMARY KEY (scope, key)
) STRICT, WITHOUT ROWID;
`

/**
 * Clients and environments. An environment outlives its client, so that it can report what is missing. Names and
 * contents are unique among existing environments only.
 */
const clientsAndEnvironments = `
CREATE TABLE client (
  id TEXT PRIMARY KEY,
  projectId TEXT NOT NULL REFERENCES project ON DELETE CASCADE,
  name TEXT NOT NULL,
  configId TEXT NOT NULL, config TEXT NOT NULL,
  createdAt INTEGER NOT NULL, updatedAt INTEGER NOT NULL,
  UNIQUE (projectId, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE environment (
  id TEXT PRIMARY KEY,
  projectId TEXT NOT NULL REFERENCES project ON DELETE CASCADE,
  name TEXT, description TEXT,
  clientId TEXT NOT NULL, modelId TEXT,
  contentDigest TEXT,
  revision INTEGER NOT NULL,
  archivedAt INTEGER, createdAt INTEGER NOT NULL, updatedAt INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX environmentByProject ON environment (projectId, id);
CREATE UNIQUE INDEX environmentByName ON environment (projectId, name)
  WHERE name IS NOT NULL AND archivedAt IS NULL;
CREATE UNIQUE INDEX environmentByContent ON environment (projectId, contentDigest)
  WHERE contentDigest IS NOT NULL AND archivedAt IS NULL;
`

/** Limits of an organization, their use today, and work in progress with the process that does it. */
const organizationSettingsAndJobs = `
CREATE TABLE organizationSetting (
  organizationId TEXT NOT NULL REFERENCES organization ON DELETE CASCADE,
  name TEXT NOT NULL, value TEXT NOT NULL,
  PRIMARY KEY (organizationId, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE quotaUse (
  id INTEGER PRIMARY KEY,
  organizationId TEXT NOT NULL REFERENCES organization ON DELETE CASCADE,
  kind TEXT NOT NULL, at INTEGER NOT NULL
) STRICT;
CREATE INDEX quotaUseByTime ON quotaUse (organizationId, kind, at);

CREATE TABLE job (
  kind TEXT NOT NULL, subjectId TEXT NOT NULL,
  token TEXT NOT NULL, host TEXT NOT NULL, pid INTEGER NOT NULL, expiresAt INTEGER NOT NULL,
  PRIMARY KEY (kind, subjectId)
) STRICT, WITHOUT ROWID;
`

/**
 * Personas, journeys and swarms. `position` is the order of creation, for lists. A journey may name records that no
 * longer exist: a persona can be deleted once its journeys are archived, and environments and clients are looked up at
 * launch.
 */
const swarms = `
CREATE TABLE persona (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  projectId TEXT NOT NULL REFERENCES project ON DELETE CASCADE,
  slug TEXT NOT NULL, name TEXT NOT NULL, role TEXT NOT NULL, notes TEXT,
  avatarShape INTEGER, avatarPalette INTEGER,
  createdAt INTEGER NOT NULL, updatedAt INTEGER NOT NULL,
  UNIQUE (projectId, slug)
) STRICT;
CREATE INDEX personaByProject ON persona (projectId, position);

CREATE TABLE swarm (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  projectId TEXT NOT NULL REFERENCES project ON DELETE CASCADE,
  name TEXT NOT NULL, description TEXT,
  environmentIds TEXT NOT NULL,
  sessionsPerTarget INTEGER NOT NULL, maxTurns INTEGER NOT NULL,
  archivedAt INTEGER, createdAt INTEGER NOT NULL, updatedAt INTEGER NOT NULL
) STRICT;
CREATE INDEX swarmByProject ON swarm (projectId, position) WHERE archivedAt IS NULL;

CREATE TABLE journey (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  projectId TEXT NOT NULL REFERENCES project ON DELETE CASCADE,
  name TEXT NOT NULL, goal TEXT NOT NULL,
  personaId TEXT NOT NULL, swarmId TEXT,
  environmentIds TEXT NOT NULL, clientIds TEXT NOT NULL,
  sessionsPerTarget INTEGER NOT NULL, maxTurns INTEGER NOT NULL,
  archivedAt INTEGER, createdAt INTEGER NOT NULL, updatedAt INTEGER NOT NULL
) STRICT;
CREATE INDEX journeyByProject ON journey (projectId, position) WHERE archivedAt IS NULL;
CREATE INDEX journeyByPersona ON journey (projectId, personaId) WHERE archivedAt IS NULL;
`

/**
 * Journey runs with their sessions. `position` is the order in which runs and sessions began, for lists. A run outlives
 * its journey, personas and environments, since its plan contains copies of them.
 */
const journeyRuns = `
CREATE TABLE journeyRun (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  projectId TEXT NOT NULL REFERENCES project ON DELETE CASCADE,
  journeyId TEXT NOT NULL, waveId TEXT NOT NULL,
  status TEXT NOT NULL, marker TEXT, error TEXT,
  plan TEXT NOT NULL,
  createdAt INTEGER NOT NULL, lastHeartbeatAt INTEGER NOT NULL, endedAt INTEGER
) STRICT;
CREATE INDEX journeyRunByJourney ON journeyRun (journeyId, position);
CREATE INDEX journeyRunByProject ON journeyRun (projectId, position);
CREATE INDEX journeyRunByWave ON journeyRun (projectId, waveId);

CREATE TABLE journeyAttempt (
  runId TEXT NOT NULL REFERENCES journeyRun (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  targetPosition INTEGER NOT NULL, sessionIndex INTEGER NOT NULL,
  status TEXT NOT NULL, errorCode TEXT, errorMessage TEXT,
  startedAt INTEGER, endedAt INTEGER,
  PRIMARY KEY (runId, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE journeySession (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  chatSessionId TEXT NOT NULL UNIQUE,
  projectId TEXT NOT NULL REFERENCES project ON DELETE CASCADE,
  runId TEXT NOT NULL REFERENCES journeyRun (id) ON DELETE CASCADE,
  attemptPosition INTEGER NOT NULL,
  preview TEXT,
  messageCount INTEGER NOT NULL, userMessageCount INTEGER NOT NULL, toolCallCount INTEGER NOT NULL,
  inputTokens INTEGER NOT NULL, outputTokens INTEGER NOT NULL,
  grading TEXT, grades TEXT, gradingError TEXT,
  startedAt INTEGER NOT NULL, lastActivityAt INTEGER NOT NULL,
  UNIQUE (runId, attemptPosition)
) STRICT;
CREATE INDEX journeySessionByActivity ON journeySession (projectId, lastActivityAt, id);

CREATE TABLE journeyMessage (
  sessionId TEXT NOT NULL REFERENCES journeySession (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  role TEXT NOT NULL, text TEXT NOT NULL, toolCalls TEXT NOT NULL,
  inputTokens INTEGER NOT NULL, outputTokens INTEGER NOT NULL, totalTokens INTEGER NOT NULL,
  durationMs REAL NOT NULL, createdAt INTEGER NOT NULL,
  PRIMARY KEY (sessionId, position)
) STRICT, WITHOUT ROWID;
`

/**
 * Findings over waves and windows, with generated insights. A scope is 'swarm' or the id of a scenario. Each finding
 * has a row for each wave with its state after that wave, so that later waves can be replayed if an earlier one arrives
 * late.
 */
const findings = `
CREATE TABLE finding (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  projectId TEXT NOT NULL REFERENCES project ON DELETE CASCADE,
  scope TEXT NOT NULL,
  fingerprint TEXT NOT NULL, dimension TEXT NOT NULL, title TEXT NOT NULL,
  subjectKind TEXT NOT NULL, subjectId TEXT NOT NULL, subjectLabel TEXT NOT NULL,
  status TEXT NOT NULL, occurrenceCount INTEGER NOT NULL,
  firstSeenAt INTEGER NOT NULL, lastSeenAt INTEGER NOT NULL, lastSeenWaveId TEXT NOT NULL,
  resolvedAt INTEGER, dismissedAt INTEGER, updatedAt INTEGER NOT NULL,
  UNIQUE (projectId, scope, fingerprint)
) STRICT;
CREATE INDEX findingByScope ON finding (projectId, scope, position);

CREATE TABLE findingWave (
  findingId TEXT NOT NULL REFERENCES finding (id) ON DELETE CASCADE,
  waveId TEXT NOT NULL,
  seen INTEGER NOT NULL, firstAt INTEGER NOT NULL, at INTEGER NOT NULL,
  state TEXT,
  PRIMARY KEY (findingId, waveId)
) STRICT, WITHOUT ROWID;
CREATE INDEX findingWaveByTime ON findingWave (findingId, at, waveId);

CREATE TABLE findingEvidence (
  id INTEGER PRIMARY KEY,
  findingId TEXT NOT NULL, waveId TEXT NOT NULL,
  evidence TEXT NOT NULL,
  UNIQUE (findingId, waveId, evidence),
  FOREIGN KEY (findingId, waveId) REFERENCES findingWave ON DELETE CASCADE
) STRICT;

CREATE TABLE insights (
  id TEXT PRIMARY KEY,
  projectId TEXT NOT NULL REFERENCES project ON DELETE CASCADE,
  scope TEXT NOT NULL, waveId TEXT NOT NULL,
  status TEXT NOT NULL, document TEXT, generatedAt INTEGER,
  errorCode TEXT, errorMessage TEXT, retryable INTEGER NOT NULL,
  updatedAt INTEGER NOT NULL,
  UNIQUE (projectId, scope, waveId)
) STRICT, WITHOUT ROWID;
`

export const FIRST_TO_SIXTH: readonly string[] = [
  initial,
  clientsAndEnvironments,
  organizationSettingsAndJobs,
  swarms,
  journeyRuns,
  findings,
]

/**
 * Published environments with their visitors. The row of a scenario that was taken down is kept, because it tells why
 * its sessions ended. An environment has at most one published scenario.
 */
const scenarios = `
CREATE TABLE scenario (
  id TEXT PRIMARY KEY,
  projectId TEXT NOT NULL REFERENCES project ON DELETE CASCADE,
  environmentId TEXT NOT NULL REFERENCES environment ON DELETE CASCADE,
  name TEXT NOT NULL, description TEXT, mode TEXT NOT NULL,
  accessVersion INTEGER NOT NULL,
  linkLookup TEXT NOT NULL UNIQUE, linkHash BLOB NOT NULL,
  guestExecution TEXT,
  createdAt INTEGER NOT NULL, updatedAt INTEGER NOT NULL, unpublishedAt INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX scenarioByProject ON scenario (projectId, id);
CREATE INDEX scenarioByEnvironment ON scenario (environmentId);
CREATE UNIQUE INDEX scenarioPublished ON scenario (environmentId) WHERE unpublishedAt IS NULL;

CREATE TABLE scenarioMember (
  id TEXT PRIMARY KEY,
  scenarioId TEXT NOT NULL REFERENCES scenario ON DELETE CASCADE,
  email TEXT NOT NULL,
  invitation BLOB NOT NULL,
  createdAt INTEGER NOT NULL,
  UNIQUE (scenarioId, email)
) STRICT, WITHOUT ROWID;

CREATE TABLE visitorSession (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  scenarioId TEXT NOT NULL REFERENCES scenario ON DELETE CASCADE,
  tokenLookup TEXT NOT NULL UNIQUE, tokenHash BLOB NOT NULL,
  accessVersion INTEGER NOT NULL,
  authType TEXT NOT NULL, memberId TEXT, keyId TEXT,
  displayName TEXT, recency TEXT, deviceKind TEXT, language TEXT,
  modelId TEXT, authInterrupted INTEGER NOT NULL,
  rating INTEGER, comment TEXT, feedbackCount INTEGER NOT NULL,
  startedAt INTEGER NOT NULL, lastActivityAt INTEGER NOT NULL,
  endedAt INTEGER, endedBy TEXT,
  leaseToken TEXT, leaseHost TEXT, leasePid INTEGER, leaseExpiresAt INTEGER
) STRICT;
CREATE INDEX visitorSessionByScenario ON visitorSession (scenarioId, number);
CREATE INDEX visitorSessionByStart ON visitorSession (scenarioId, startedAt);

CREATE TABLE visitorMessage (
  sessionId TEXT NOT NULL REFERENCES visitorSession (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  role TEXT NOT NULL, text TEXT NOT NULL,
  toolName TEXT, serverId TEXT, serverName TEXT, isError INTEGER NOT NULL, errorCode TEXT,
  durationMs REAL, tokens INTEGER,
  createdAt INTEGER NOT NULL,
  PRIMARY KEY (sessionId, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE scenarioWindow (
  id TEXT PRIMARY KEY,
  scenarioId TEXT NOT NULL REFERENCES scenario ON DELETE CASCADE,
  startAt INTEGER NOT NULL, endAt INTEGER NOT NULL,
  minedAt INTEGER NOT NULL, signals TEXT NOT NULL,
  UNIQUE (scenarioId, startAt)
) STRICT, WITHOUT ROWID;
`

/** Schedules of suites, judge verdicts and insights of runs. */
const schedulesAndJudging = `
CREATE TABLE suiteSchedule (
  suiteId TEXT PRIMARY KEY REFERENCES suite ON DELETE CASCADE,
  enabled INTEGER NOT NULL,
  intervalMinutes INTEGER, environmentId TEXT,
  setBy TEXT NOT NULL, startsAt INTEGER NOT NULL,
  nextAt INTEGER,
  lastRunId TEXT, refusedAt INTEGER, refusal TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX suiteScheduleDue ON suiteSchedule (nextAt) WHERE nextAt IS NOT NULL;

CREATE TABLE runAnalysis (
  runId TEXT NOT NULL REFERENCES run ON DELETE CASCADE,
  kind TEXT NOT NULL,
  status TEXT NOT NULL, document TEXT NOT NULL,
  PRIMARY KEY (runId, kind)
) STRICT, WITHOUT ROWID;
`

/**
 * Suites that other programs created, and the runs and conformance reports that they send. Times are epoch
 * milliseconds.
 */
const ingest = `
CREATE TABLE suiteOwnership (
  suiteId TEXT PRIMARY KEY REFERENCES suite ON DELETE CASCADE,
  projectId TEXT NOT NULL REFERENCES project ON DELETE CASCADE,
  declaredId TEXT,
  createdAt INTEGER NOT NULL,
  UNIQUE (projectId, declaredId)
) STRICT, WITHOUT ROWID;

CREATE TABLE ingestRun (
  runId TEXT PRIMARY KEY REFERENCES run ON DELETE CASCADE,
  projectId TEXT NOT NULL REFERENCES project ON DELETE CASCADE,
  externalRunId TEXT,
  writesCases INTEGER NOT NULL,
  heardAt INTEGER NOT NULL,
  UNIQUE (projectId, externalRunId)
) STRICT, WITHOUT ROWID;
CREATE INDEX ingestRunByTime ON ingestRun (heardAt);

CREATE TABLE ingestIteration (
  runId TEXT NOT NULL REFERENCES ingestRun ON DELETE CASCADE,
  externalId TEXT NOT NULL,
  PRIMARY KEY (runId, externalId)
) STRICT, WITHOUT ROWID;

CREATE TABLE conformanceRun (
  id TEXT PRIMARY KEY,
  projectId TEXT NOT NULL REFERENCES project ON DELETE CASCADE,
  externalRunId TEXT,
  requestedSuites TEXT NOT NULL, origin TEXT NOT NULL,
  status TEXT NOT NULL, outcome TEXT, counts TEXT,
  startedAt INTEGER NOT NULL, heardAt INTEGER NOT NULL, endedAt INTEGER,
  UNIQUE (projectId, externalRunId)
) STRICT, WITHOUT ROWID;
CREATE INDEX conformanceRunOpen ON conformanceRun (heardAt) WHERE status = 'running';

CREATE TABLE conformanceReport (
  runId TEXT NOT NULL REFERENCES conformanceRun ON DELETE CASCADE,
  suiteKind TEXT NOT NULL,
  contentHash TEXT NOT NULL, counts TEXT NOT NULL, report TEXT NOT NULL,
  createdAt INTEGER NOT NULL,
  PRIMARY KEY (runId, suiteKind)
) STRICT;

CREATE INDEX trialByActivity
  ON trial (CAST(startedAt + COALESCE(durationMs, 0) AS INTEGER), id) WHERE startedAt IS NOT NULL;
`

/**
 * Requests to connect a server, and directory readiness. A request outlives its server, so that it can report the
 * outcome. `dueAt` is the time of its next attempt; NULL if an attempt is in progress or none is planned. `position` is
 * the order in which readiness runs were started, for their list.
 */
const connectionsAndReadiness = `
CREATE TABLE serverConnection (
  id TEXT PRIMARY KEY,
  accountId TEXT NOT NULL REFERENCES account ON DELETE CASCADE,
  organizationId TEXT NOT NULL REFERENCES organization ON DELETE CASCADE,
  projectId TEXT REFERENCES project ON DELETE CASCADE,
  serverId TEXT,
  url TEXT NOT NULL, name TEXT, reauthorize INTEGER NOT NULL,
  status TEXT NOT NULL, error TEXT,
  attempts INTEGER NOT NULL, dueAt INTEGER, tokensSeen TEXT,
  pollsOwed INTEGER NOT NULL, polledAt INTEGER NOT NULL,
  createdAt INTEGER NOT NULL, expiresAt INTEGER NOT NULL, endedAt INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX serverConnectionOpen ON serverConnection (accountId, id) WHERE endedAt IS NULL;

CREATE TABLE readinessRun (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  projectId TEXT NOT NULL REFERENCES project ON DELETE CASCADE,
  serverId TEXT NOT NULL, serverUrl TEXT NOT NULL,
  kind TEXT NOT NULL, submissionMode TEXT,
  idempotencyKey TEXT,
  includeObservations INTEGER NOT NULL,
  authMode TEXT NOT NULL,
  status TEXT NOT NULL,
  observations TEXT NOT NULL,
  verdict TEXT, terminalReason TEXT, errorMessage TEXT,
  createdAt INTEGER NOT NULL, updatedAt INTEGER NOT NULL
) STRICT;
CREATE INDEX readinessRunByProject ON readinessRun (projectId, position);
CREATE UNIQUE INDEX readinessRunByKey ON readinessRun (projectId, serverId, kind, idempotencyKey)
  WHERE idempotencyKey IS NOT NULL;

CREATE TABLE readinessReport (
  runId TEXT PRIMARY KEY REFERENCES readinessRun (id) ON DELETE CASCADE,
  report TEXT NOT NULL
) STRICT, WITHOUT ROWID;
`

/** Request rates, which all processes share, and an index by age of records that expire. */
const limits = `
CREATE TABLE rateBucket (
  keyId TEXT PRIMARY KEY REFERENCES apiKey ON DELETE CASCADE,
  owed INTEGER NOT NULL, at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotencyByAge ON idempotency (createdAt);
CREATE INDEX quotaUseByAge ON quotaUse (at);
`

/**
 * Marks records as samples. Records that belong to a sample, such as its runs and sessions, are samples too. `position`
 * is the order in which pending samples are inserted.
 */
const samples = `
CREATE TABLE sample (
  kind TEXT NOT NULL, recordId TEXT NOT NULL,
  projectId TEXT NOT NULL REFERENCES project ON DELETE CASCADE,
  PRIMARY KEY (kind, recordId)
) STRICT, WITHOUT ROWID;

CREATE TABLE sampleDue (position INTEGER PRIMARY KEY, step TEXT NOT NULL) STRICT;
`

/**
 * The tools of a run's servers as its trials saw them, with one row for each listing that differed from the previous
 * one.
 */
const runTools = `
CREATE TABLE runTools (
  runId TEXT NOT NULL REFERENCES run ON DELETE CASCADE,
  serverName TEXT NOT NULL, seenAt INTEGER NOT NULL,
  hash TEXT NOT NULL, tools TEXT NOT NULL,
  PRIMARY KEY (runId, serverName, seenAt)
) STRICT, WITHOUT ROWID;
`

/** Whether the scores of a trial and its run match their definitions. NULL for older trials. */
const scoreIntegrity = `
ALTER TABLE trial ADD COLUMN scoreIntegrity TEXT;
ALTER TABLE run ADD COLUMN scoreIntegrity TEXT;
`

export const SEVENTH_TO_FOURTEENTH: readonly string[] = [
  scenarios,
  schedulesAndJudging,
  ingest,
  connectionsAndReadiness,
  limits,
  samples,
  runTools,
  scoreIntegrity,
]
