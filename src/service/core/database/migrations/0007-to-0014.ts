/**
 * Published environments with their visitors. A scenario that was taken down stays as a row that nothing reads but its
 * sessions, so that they can say why they ended; an environment has one published scenario at most.
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
 * Suites that other programs made, and the runs and conformance reports that they send. Times are epoch milliseconds.
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
 * Requests to connect a server and directory readiness. A request outlives its server, so that it can say what became
 * of it; `dueAt` is when its next attempt begins, NULL = one is under way or nothing is to be tried. `position` is the
 * order in which readiness runs were started, for their list.
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

/** Request rates shared by processes, and an order by age for what is forgotten. */
const limits = `
CREATE TABLE rateBucket (
  keyId TEXT PRIMARY KEY REFERENCES apiKey ON DELETE CASCADE,
  owed INTEGER NOT NULL, at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotencyByAge ON idempotency (createdAt);
CREATE INDEX quotaUseByAge ON quotaUse (at);
`

/**
 * Which records are samples; what belongs to such a record, as its runs and sessions, is a sample with it. And what of
 * the samples is still to be inserted, in that order.
 */
const samples = `
CREATE TABLE sample (
  kind TEXT NOT NULL, recordId TEXT NOT NULL,
  projectId TEXT NOT NULL REFERENCES project ON DELETE CASCADE,
  PRIMARY KEY (kind, recordId)
) STRICT, WITHOUT ROWID;

CREATE TABLE sampleDue (position INTEGER PRIMARY KEY, step TEXT NOT NULL) STRICT;
`

/** The tools of a run's servers as its trials saw them: one row for each listing that differed from the one before. */
const runTools = `
CREATE TABLE runTools (
  runId TEXT NOT NULL REFERENCES run ON DELETE CASCADE,
  serverName TEXT NOT NULL, seenAt INTEGER NOT NULL,
  hash TEXT NOT NULL, tools TEXT NOT NULL,
  PRIMARY KEY (runId, serverName, seenAt)
) STRICT, WITHOUT ROWID;
`

/** Whether the scores of a trial, and of its run, agree with their definitions; what ended before has no word on it. */
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
