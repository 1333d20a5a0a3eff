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
 * Clients and environments. An environment outlives its client, so that it can say what is missing; a name or a
 * content belongs to one live environment only.
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

/**
 * What an organization is allowed, what it used today, and which work in the background is under way in which process.
 */
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
 * Personas, journeys and swarms. `position` is the order in which they were made, for lists. What a journey names may
 * be gone: a retired journey does not keep its persona, and environments and clients are looked up at launch.
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
 * what it was made of, since its plan holds all of it.
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
 * Findings over waves and windows, with generated insights. A scope is 'swarm' or the id of a scenario. A wave's row of
 * a finding keeps the finding's state after that wave, so that a wave which arrives late is replayed from where it
 * belongs.
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
