import type { Database } from '../../../../lib/sqlite.ts'
import { FIRST_TO_SIXTH, SEVENTH_TO_FOURTEENTH } from './0001-to-0014.ts'
/** Folders that a server gets as its roots. */
const serverRoots = `
ALTER TABLE server ADD COLUMN roots TEXT;
`

/** Manual calls with their results as JSON text; `status` is NULL until one has ended. Deleted with their server. */
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

/** Turns of the agent with what they did, and their proposals until somebody decides. Deleted with their project. */
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

/** Whether a turn read what others wrote; unknown for earlier turns. */
const agentTurnOrigins = 'ALTER TABLE agentTurn ADD COLUMN hasOutside INTEGER NOT NULL DEFAULT 1'

/** Chats of members with the servers of an environment or a client. Deleted with their project. */
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

/** What a run started of its servers; unknown for earlier runs. */
const startedServers = 'ALTER TABLE run ADD COLUMN startedServers TEXT'

const SINCE_FIFTEENTH: readonly string[] = [
  serverRoots,
  serverCalls,
  agentTurns,
  agentTurnOrigins,
  chats,
  startedServers,
]

/** In order; the position of the last applied one is the database's `user_version`. */
const MIGRATIONS: readonly string[] = [...FIRST_TO_SIXTH, ...SEVENTH_TO_FOURTEENTH, ...SINCE_FIFTEENTH]

/** The schema of this version; a workspace with a later one is refused. */
export const SCHEMA = MIGRATIONS.length

/** The schema of a database: the number of applied migrations; 0 before the first. */
export function schemaOf(database: Database): number {
  return database.get<{ user_version: number }>('PRAGMA user_version')?.user_version ?? 0
}

/** Migrates a database to the current schema. The caller holds the write lock, unless it is already current. */
export function migrate(database: Database): void {
  const schema = schemaOf(database)
  if (schema >= SCHEMA) return
  for (const migration of MIGRATIONS.slice(schema)) database.exec(migration)
  database.exec(`PRAGMA user_version = ${SCHEMA}`)
}
