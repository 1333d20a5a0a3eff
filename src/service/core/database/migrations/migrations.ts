import type { Database } from '../../../../lib/sqlite.ts'
import { FIRST_TO_SIXTH, SEVENTH_TO_FOURTEENTH } from './0001-to-0014.ts'
/** Folders that a server gets as its roots. */
const serverRoots = `
ALTER TABLE server ADD COLUMN roots TEXT;
`

/**
 * Manual calls, with their results as JSON text. `status` is NULL until a call has ended. They are deleted with their
 * server.
 */
const serverCalls = `
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

/**
 * The agent's turns with their actions. Proposals are kept until a person decides. Both are deleted with their project.
 */
const agentTurns = `
CREATE TABLE agentTurn (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  projectId TEXT NOT NULL REFERENCES project ON DELETE CASCADE,
  conversationId TEXT,
  startedAt INTEGER NOT NULL, endedAt INTEGER,
  question TEXT NOT NULL, reply TEXT, error TEXT,
  calls TEXT NOT NULL, created TEXT NOT NULL, proposed TEXT NOT NULL,
  inputTokens INTEGER NOT NULL, outputTokens INTEGER NOT NULL,
  lease TEXT NOT NULL
) STRICT;
CREATE INDEX agentTurnByProject ON agentTurn (projectId, position);
CREATE TABLE agentProposal (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  projectId TEXT NOT NULL REFERENCES project ON DELETE CASCADE,
  turnId TEXT NOT NULL REFERENCES agentTurn (id) ON DELETE CASCADE,
  proposal TEXT NOT NULL
) STRICT;
CREATE INDEX agentProposalByTurn ON agentProposal (turnId);
CREATE INDEX agentProposalByProject ON agentProposal (projectId);
`

/** Whether a turn read text from outside the project. Older turns, of which this is unknown, count as such. */
const agentTurnOrigins = 'ALTER TABLE agentTurn ADD COLUMN hasOutside INTEGER NOT NULL DEFAULT 1'

/** Chats of members with the servers of an environment or a client. They are deleted with their project. */
const chats = `
CREATE TABLE chat (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  projectId TEXT NOT NULL REFERENCES project ON DELETE CASCADE,
  environmentId TEXT, clientId TEXT,
  title TEXT NOT NULL, modelId TEXT, preview TEXT,
  messageCount INTEGER NOT NULL, userMessageCount INTEGER NOT NULL, toolCallCount INTEGER NOT NULL,
  inputTokens INTEGER NOT NULL, outputTokens INTEGER NOT NULL,
  startedAt INTEGER NOT NULL, lastActivityAt INTEGER NOT NULL,
  lease TEXT, pending TEXT NOT NULL
) STRICT;
CREATE INDEX chatByActivity ON chat (projectId, lastActivityAt, id);
CREATE TABLE chatMessage (
  sessionId TEXT NOT NULL REFERENCES chat (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  role TEXT NOT NULL, text TEXT NOT NULL, toolCalls TEXT NOT NULL,
  inputTokens INTEGER NOT NULL, outputTokens INTEGER NOT NULL, totalTokens INTEGER NOT NULL,
  durationMs REAL NOT NULL, createdAt INTEGER NOT NULL,
  PRIMARY KEY (sessionId, position)
) STRICT, WITHOUT ROWID;
`

/** The programs and addresses of the servers that a run started. NULL for older runs. */
const startedServers = 'ALTER TABLE run ADD COLUMN startedServers TEXT'

const SINCE_FIFTEENTH: readonly string[] = [
  serverRoots,
  serverCalls,
  agentTurns,
  agentTurnOrigins,
  chats,
  startedServers,
]

/** Migrations in order. The number of applied ones is the `user_version` of the database. */
const MIGRATIONS: readonly string[] = [...FIRST_TO_SIXTH, ...SEVENTH_TO_FOURTEENTH, ...SINCE_FIFTEENTH]

/** Number of the schema that this version writes. A workspace with a later schema is refused. */
export const SCHEMA = MIGRATIONS.length

/** Returns the schema of a database, which is the number of migrations that were applied. */
export function schemaOf(database: Database): number {
  return database.get<{ user_version: number }>('PRAGMA user_version')?.user_version ?? 0
}

/** Migrates an older database to the current schema. The caller holds the write lock unless the schema is current. */
export function migrate(database: Database): void {
  const schema = schemaOf(database)
  if (schema >= SCHEMA) return
  for (const migration of MIGRATIONS.slice(schema)) database.exec(migration)
  database.exec(`PRAGMA user_version = ${SCHEMA}`)
}
