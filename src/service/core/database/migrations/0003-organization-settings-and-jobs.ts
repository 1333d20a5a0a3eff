/**
 * What an organization is allowed, what it used today, and which work in the background is under way in which process.
 */
export const organizationSettingsAndJobs = `
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
