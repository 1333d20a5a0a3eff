/**
 * Calls that somebody made by hand, with their results as JSON text; `status` is NULL until one has ended. They go with
 * their server.
 */
export const serverCalls = `
CREATE TABLE serverCall (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  serverId TEXT NOT NULL REFERENCES server ON DELETE CASCADE,
  kind TEXT NOT NULL, target TEXT NOT NULL,
  input TEXT, incomplete TEXT,
  startedAt INTEGER NOT NULL, durationMs REAL,
  status TEXT, error TEXT,
  result TEXT, resultBytes INTEGER,
  lease TEXT NOT NULL
) STRICT;
CREATE INDEX serverCallByServer ON serverCall (serverId, position);
`
