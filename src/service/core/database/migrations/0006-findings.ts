/**
 * Findings over waves and windows, with generated insights. A scope is 'swarm' or the id of a scenario. A wave's row of
 * a finding keeps the finding's state after that wave, so that a wave which arrives late is replayed from where it
 * belongs.
 */
export const findings = `
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
