/**
 * Journey runs with their sessions. `position` is the order in which runs and sessions began, for lists. A run outlives
 * what it was made of, since its plan holds all of it.
 */
export const journeyRuns = `
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
