/**
 * Suites that other programs made, and the runs and conformance reports that they send. Times are epoch milliseconds.
 */
export const ingest = `
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
