/** Schedules of suites, judge verdicts and insights of runs. */
export const schedulesAndJudging = `
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
