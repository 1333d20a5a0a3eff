/** Turns of the agent with what they did, and what they proposed until somebody decides. They go with their project. */
export const agentTurns = `
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
