/**
 * Personas, journeys and swarms. `position` is the order in which they were made, for lists. What a journey names may
 * be gone: a retired journey does not keep its persona, and environments and clients are looked up at launch.
 */
export const swarms = `
CREATE TABLE persona (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  projectId TEXT NOT NULL REFERENCES project ON DELETE CASCADE,
  slug TEXT NOT NULL, name TEXT NOT NULL, role TEXT NOT NULL, notes TEXT,
  avatarShape INTEGER, avatarPalette INTEGER,
  createdAt INTEGER NOT NULL, updatedAt INTEGER NOT NULL,
  UNIQUE (projectId, slug)
) STRICT;
CREATE INDEX personaByProject ON persona (projectId, position);

CREATE TABLE swarm (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  projectId TEXT NOT NULL REFERENCES project ON DELETE CASCADE,
  name TEXT NOT NULL, description TEXT,
  environmentIds TEXT NOT NULL,
  sessionsPerTarget INTEGER NOT NULL, maxTurns INTEGER NOT NULL,
  archivedAt INTEGER, createdAt INTEGER NOT NULL, updatedAt INTEGER NOT NULL
) STRICT;
CREATE INDEX swarmByProject ON swarm (projectId, position) WHERE archivedAt IS NULL;

CREATE TABLE journey (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  projectId TEXT NOT NULL REFERENCES project ON DELETE CASCADE,
  name TEXT NOT NULL, goal TEXT NOT NULL,
  personaId TEXT NOT NULL, swarmId TEXT,
  environmentIds TEXT NOT NULL, clientIds TEXT NOT NULL,
  sessionsPerTarget INTEGER NOT NULL, maxTurns INTEGER NOT NULL,
  archivedAt INTEGER, createdAt INTEGER NOT NULL, updatedAt INTEGER NOT NULL
) STRICT;
CREATE INDEX journeyByProject ON journey (projectId, position) WHERE archivedAt IS NULL;
CREATE INDEX journeyByPersona ON journey (projectId, personaId) WHERE archivedAt IS NULL;
`
