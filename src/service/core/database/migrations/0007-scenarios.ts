/**
 * Published environments with their visitors. A scenario that was taken down stays as a row that nothing reads but its
 * sessions, so that they can say why they ended; an environment has one published scenario at most.
 */
export const scenarios = `
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
