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
