/**
 * Clients and environments. An environment outlives its client, so that it can say what is missing; a name or a
 * content belongs to one live environment only.
 */
export const clientsAndEnvironments = `
CREATE TABLE client (
  id TEXT PRIMARY KEY,
  projectId TEXT NOT NULL REFERENCES project ON DELETE CASCADE,
  name TEXT NOT NULL,
  configId TEXT NOT NULL, config TEXT NOT NULL,
  createdAt INTEGER NOT NULL, updatedAt INTEGER NOT NULL,
  UNIQUE (projectId, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE environment (
  id TEXT PRIMARY KEY,
  projectId TEXT NOT NULL REFERENCES project ON DELETE CASCADE,
  name TEXT, description TEXT,
  clientId TEXT NOT NULL, modelId TEXT,
  contentDigest TEXT,
  revision INTEGER NOT NULL,
  archivedAt INTEGER, createdAt INTEGER NOT NULL, updatedAt INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX environmentByProject ON environment (projectId, id);
CREATE UNIQUE INDEX environmentByName ON environment (projectId, name)
  WHERE name IS NOT NULL AND archivedAt IS NULL;
CREATE UNIQUE INDEX environmentByContent ON environment (projectId, contentDigest)
  WHERE contentDigest IS NOT NULL AND archivedAt IS NULL;
`
