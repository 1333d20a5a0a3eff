/** Chats of members with the servers of an environment or a client, as they were said. They go with their project. */
export const chats = `
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
