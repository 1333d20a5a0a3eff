/** The tools of a run's servers as its trials saw them: one row for each listing that differed from the one before. */
export const runTools = `
CREATE TABLE runTools (
  runId TEXT NOT NULL REFERENCES run ON DELETE CASCADE,
  serverName TEXT NOT NULL, seenAt INTEGER NOT NULL,
  hash TEXT NOT NULL, tools TEXT NOT NULL,
  PRIMARY KEY (runId, serverName, seenAt)
) STRICT, WITHOUT ROWID;
`
