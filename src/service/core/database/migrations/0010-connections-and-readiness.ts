/**
 * Requests to connect a server and directory readiness. A request outlives its server, so that it can say what became
 * of it; `dueAt` is when its next attempt begins, NULL = one is under way or nothing is to be tried. `position` is the
 * order in which readiness runs were started, for their list.
 */
export const connectionsAndReadiness = `
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
