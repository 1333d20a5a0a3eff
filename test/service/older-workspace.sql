-- A workspace as mcpdeck left it at schema 14, dumped by sqlite3: one project, a server with a sealed variable, a suite
-- and its run. It is read as it was written; nothing in it is to be changed.
-- secret.key: WPQwst14qMstrdPdhBBzi9k25V9Xe40Vff1vEkR6tog=
CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO setting VALUES('cursorSecret','iKUTLg3YI6hvkAEhfDZzxLdt7jg9LhtM_-LC4GgcPjs');
INSERT INTO setting VALUES('localAccountId','acc_01m85aj7xz00018mck8354mwe6');
INSERT INTO setting VALUES('localOrganizationId','org_01m85aj7xz0000xxg20ndmywtn');
INSERT INTO setting VALUES('sealingKeyCheck','0cKgUdA-7yfli0Jok8f0mPLn8jzR0IbC02hxtHTEejA');
CREATE TABLE organization (
  id TEXT PRIMARY KEY, name TEXT NOT NULL, createdAt INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO organization VALUES('org_01m85aj7xz0000xxg20ndmywtn','Local workspace',1795475185599);
CREATE TABLE account (
  id TEXT PRIMARY KEY, name TEXT NOT NULL, createdAt INTEGER NOT NULL, updatedAt INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO account VALUES('acc_01m85aj7xz00018mck8354mwe6','Local account',1795475185599,1795475185599);
CREATE TABLE project (
  id TEXT PRIMARY KEY,
  organizationId TEXT NOT NULL REFERENCES organization ON DELETE CASCADE,
  name TEXT NOT NULL, description TEXT, icon TEXT, visibility TEXT NOT NULL,
  createdAt INTEGER NOT NULL, updatedAt INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO project VALUES('prj_01m85aj7y30000qkz51vra549b','org_01m85aj7xz0000xxg20ndmywtn','Kept',NULL,NULL,'private',1795475185603,1795475185603);
CREATE TABLE apiKey (
  id TEXT PRIMARY KEY,
  lookup TEXT NOT NULL UNIQUE,
  hash BLOB NOT NULL,
  name TEXT NOT NULL,
  accountId TEXT NOT NULL REFERENCES account ON DELETE CASCADE,
  organizationId TEXT REFERENCES organization ON DELETE SET NULL,
  role TEXT, createdAt INTEGER NOT NULL, revokedAt INTEGER
) STRICT, WITHOUT ROWID;
INSERT INTO apiKey VALUES('key_01m85aj7xz0002dcqrh7vcqv51','e68fe3e9e650',X'2c5a382609873b9bb3767f84a43d2561f261792c7d0dcb4e7db293c017d5a16f','local','acc_01m85aj7xz00018mck8354mwe6','org_01m85aj7xz0000xxg20ndmywtn','admin',1795475185600,NULL);
CREATE TABLE apiKeyGrant (
  keyId TEXT NOT NULL REFERENCES apiKey ON DELETE CASCADE,
  projectId TEXT NOT NULL REFERENCES project ON DELETE CASCADE,
  role TEXT NOT NULL,
  PRIMARY KEY (keyId, projectId)
) STRICT, WITHOUT ROWID;
CREATE TABLE server (
  id TEXT PRIMARY KEY,
  projectId TEXT NOT NULL REFERENCES project ON DELETE CASCADE,
  name TEXT NOT NULL, enabled INTEGER NOT NULL, transportType TEXT NOT NULL,
  url TEXT, timeoutMs REAL, useOAuth INTEGER NOT NULL,
  options TEXT NOT NULL,
  secrets BLOB NOT NULL, tokens BLOB,
  createdAt INTEGER NOT NULL, updatedAt INTEGER NOT NULL,
  UNIQUE (projectId, name)
) STRICT, WITHOUT ROWID;
INSERT INTO server VALUES('srv_01m85aj8010000ty7zyxhwg0ve','prj_01m85aj7y30000qkz51vra549b','everything',1,'stdio',NULL,NULL,0,'{}',X'6e03cfd542cd991fe1d0109c99d3fe6a4c5e73cac7dfd22ee2e6ee93c93c0f9bd8168e2fed16fbc2430de4957276dd370414e822e9d5e5a248a3597cc11571ff3873a407dbaa80e7bf98c1deacb6319f871542e6667461163c9d00c3d693e0b06e14f480167c4b371b81b21bd2c207cb1e4e60165220b332a4f9d77573c88a8b897d32680e8eeb3abe956b23e55a45ffbb4141b90e19310338940241df120353b62bd73d2d59dad368226e6b76d0c9084e22ce3c64d34bc82046e88b982d5088f979c50db89f19040cb1a74eae8026ddbd1d3468e691',NULL,1795475185665,1795475185665);
CREATE TABLE suite (
  id TEXT PRIMARY KEY,
  projectId TEXT NOT NULL REFERENCES project ON DELETE CASCADE,
  name TEXT NOT NULL, description TEXT,
  settings TEXT NOT NULL,
  createdBy TEXT NOT NULL, createdAt INTEGER NOT NULL, updatedAt INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO suite VALUES('ste_01m85aj8070000v19dhr1h6kfr','prj_01m85aj7y30000qkz51vra549b','Smoke',NULL,'{"serverIds":["srv_01m85aj8010000ty7zyxhwg0ve"],"executionConfig":{"model":"none"}}','key_01m85aj7xz0002dcqrh7vcqv51',1795475185670,1795475185670);
CREATE TABLE suiteCase (
  id TEXT PRIMARY KEY,
  suiteId TEXT NOT NULL REFERENCES suite ON DELETE CASCADE,
  declaredId TEXT NOT NULL, title TEXT NOT NULL,
  definition TEXT NOT NULL, contentDigest TEXT NOT NULL,
  overrideReason TEXT,
  idempotencyKey TEXT, idempotencyIndex INTEGER, requestDigest TEXT,
  createdAt INTEGER NOT NULL, updatedAt INTEGER NOT NULL,
  UNIQUE (suiteId, declaredId)
) STRICT, WITHOUT ROWID;
INSERT INTO suiteCase VALUES('cas_01m85aj8080000k3d0z3nk5en1','ste_01m85aj8070000v19dhr1h6kfr','cas_01m85aj8080000k3d0z3nk5en1','Says yes','{"steps":[{"id":"call","kind":"toolCall","serverName":"everything","toolName":"echo","arguments":{"message":"yes"}},{"id":"check","kind":"assert","assertion":{"type":"responseContains","needle":"yes"}}],"iterations":1,"isNegative":false,"models":[]}','3b648836b7110fb14edc576916ca5d50b3b0efe5ddacae07c4dff9d6e9937665',NULL,NULL,NULL,NULL,1795475185672,1795475185672);
INSERT INTO suiteCase VALUES('cas_01m85aj8090000knzsemv1wwr7','ste_01m85aj8070000v19dhr1h6kfr','cas_01m85aj8090000knzsemv1wwr7','Says no','{"steps":[{"id":"call","kind":"toolCall","serverName":"everything","toolName":"echo","arguments":{"message":"yes"}},{"id":"check","kind":"assert","assertion":{"type":"responseContains","needle":"no such word"}}],"iterations":1,"isNegative":false,"models":[]}','c600de7e803250c467009ef94e06c0e3fe29f19c40c422b07c48a7c9cd86ffd4',NULL,NULL,NULL,NULL,1795475185673,1795475185673);
CREATE TABLE run (
  id TEXT PRIMARY KEY,
  projectId TEXT NOT NULL REFERENCES project ON DELETE CASCADE,
  organizationId TEXT NOT NULL,
  suiteId TEXT NOT NULL, suiteName TEXT NOT NULL, number INTEGER NOT NULL,
  status TEXT NOT NULL, result TEXT, source TEXT NOT NULL, notes TEXT, modelSource TEXT,
  plan TEXT NOT NULL, summary TEXT, decisionSummary TEXT,
  rerunOf TEXT, groupId TEXT,
  createdAt INTEGER NOT NULL, startedAt INTEGER, completedAt INTEGER,
  leaseToken TEXT, leaseHost TEXT, leasePid INTEGER, leaseExpiresAt INTEGER
, scoreIntegrity TEXT) STRICT, WITHOUT ROWID;
INSERT INTO run VALUES('run_01m85aj80e0000xbr4fjb6ke4x','prj_01m85aj7y30000qkz51vra549b','org_01m85aj7xz0000xxg20ndmywtn','ste_01m85aj8070000v19dhr1h6kfr','Smoke',1,'completed','failed','api',NULL,'case','{"servers":[{"id":"srv_01m85aj8010000ty7zyxhwg0ve","name":"everything"}],"threshold":null,"selection":{"selectedCaseCount":2,"totalCaseCount":2}}','{"total":2,"passed":1,"failed":1,"passRate":0.5}','{"version":1,"measurementUnit":"case_executions","counts":{"total":2,"passed":1,"failed":1,"undecided":0,"trials":{"total":2,"passed":1,"failed":1}},"decision":"failed","verdict":"failed","diagnostics":{"complete":true,"scannedIterations":2,"nextCursor":null,"failures":[{"iterationId":"itr_01m85aj80f0001pejt276x56b3","caseId":"cas_01m85aj8090000knzsemv1wwr7","title":"Says no","iterationNumber":1,"class":"failed","reason":"expected final text containing \"no such word\"; actual: \"Echo: yes\""}]},"evidence":{"tracePath":"/projects/prj_01m85aj7y30000qkz51vra549b/eval-runs/run_01m85aj80e0000xbr4fjb6ke4x/iterations/itr_01m85aj80f0001pejt276x56b3/trace"}}',NULL,NULL,1795475185678,1795475185679,1795475186284,'75bb1ecb-256a-46e2-aef9-9ee98ad4b332','vm',23207,1795475200678,'valid');
CREATE TABLE runCase (
  runId TEXT NOT NULL REFERENCES run ON DELETE CASCADE,
  position INTEGER NOT NULL,
  snapshot TEXT NOT NULL,
  PRIMARY KEY (runId, position)
) STRICT, WITHOUT ROWID;
INSERT INTO runCase VALUES('run_01m85aj80e0000xbr4fjb6ke4x',0,'{"caseId":"cas_01m85aj8080000k3d0z3nk5en1","caseKey":"cas_01m85aj8080000k3d0z3nk5en1","title":"Says yes","steps":[{"id":"call","kind":"toolCall","serverName":"everything","toolName":"echo","arguments":{"message":"yes"}},{"id":"check","kind":"assert","assertion":{"type":"responseContains","needle":"yes"}}],"iterations":1,"isNegative":false,"checks":[],"model":"none"}');
INSERT INTO runCase VALUES('run_01m85aj80e0000xbr4fjb6ke4x',1,'{"caseId":"cas_01m85aj8090000knzsemv1wwr7","caseKey":"cas_01m85aj8090000knzsemv1wwr7","title":"Says no","steps":[{"id":"call","kind":"toolCall","serverName":"everything","toolName":"echo","arguments":{"message":"yes"}},{"id":"check","kind":"assert","assertion":{"type":"responseContains","needle":"no such word"}}],"iterations":1,"isNegative":false,"checks":[],"model":"none"}');
CREATE TABLE trial (
  id TEXT PRIMARY KEY,
  runId TEXT NOT NULL REFERENCES run ON DELETE CASCADE,
  position INTEGER NOT NULL, casePosition INTEGER NOT NULL, iterationNumber INTEGER NOT NULL,
  caseId TEXT NOT NULL, title TEXT NOT NULL,
  status TEXT NOT NULL, class TEXT NOT NULL, result TEXT, error TEXT,
  startedAt INTEGER, durationMs REAL, tokensUsed INTEGER, scoreIntegrity TEXT,
  UNIQUE (runId, position)
) STRICT;
INSERT INTO trial VALUES('itr_01m85aj80f00009dkjzmxdrnt0','run_01m85aj80e0000xbr4fjb6ke4x',0,0,1,'cas_01m85aj8080000k3d0z3nk5en1','Says yes','completed','passed','passed',NULL,1795475185902,373.0,NULL,'valid');
INSERT INTO trial VALUES('itr_01m85aj80f0001pejt276x56b3','run_01m85aj80e0000xbr4fjb6ke4x',1,1,1,'cas_01m85aj8090000knzsemv1wwr7','Says no','completed','failed','failed','expected final text containing "no such word"; actual: "Echo: yes"',1795475185994,281.0,NULL,'valid');
CREATE TABLE trialOutcome (
  trialId TEXT PRIMARY KEY REFERENCES trial ON DELETE CASCADE,
  outcome TEXT NOT NULL
) STRICT;
INSERT INTO trialOutcome VALUES('itr_01m85aj80f00009dkjzmxdrnt0','{"class":"passed","status":"completed","result":"passed","scoreIntegrity":"valid","steps":[{"stepId":"call","stepIndex":0,"kind":"toolCall","status":"ok","startedAt":1795475185903,"durationMs":369},{"stepId":"check","stepIndex":1,"kind":"assert","status":"ok","reason":"expected final text containing \"yes\"; actual: \"Echo: yes\"","evidence":{"expected":"yes","actual":"Echo: yes"},"startedAt":1795475186272,"durationMs":1}],"checks":[],"expectedToolCalls":[],"transcript":{"messages":[{"role":"tool","stepId":"call","content":{"serverName":"everything","toolName":"echo","arguments":{"message":"yes"},"result":{"content":[{"type":"text","text":"Echo: yes"}]}}}],"toolCalls":[{"stepId":"call","serverName":"everything","toolName":"echo","arguments":{"message":"yes"},"startedAt":1795475185903,"durationMs":11,"result":{"content":[{"type":"text","text":"Echo: yes"}]}}],"finalText":"Echo: yes","userTurns":0},"startedAt":1795475185902,"durationMs":373}');
INSERT INTO trialOutcome VALUES('itr_01m85aj80f0001pejt276x56b3','{"class":"failed","status":"completed","result":"failed","error":"expected final text containing \"no such word\"; actual: \"Echo: yes\"","scoreIntegrity":"valid","steps":[{"stepId":"call","stepIndex":0,"kind":"toolCall","status":"ok","startedAt":1795475185994,"durationMs":279},{"stepId":"check","stepIndex":1,"kind":"assert","status":"fail","reason":"expected final text containing \"no such word\"; actual: \"Echo: yes\"","evidence":{"expected":"no such word","actual":"Echo: yes"},"startedAt":1795475186273,"durationMs":0}],"checks":[],"expectedToolCalls":[],"transcript":{"messages":[{"role":"tool","stepId":"call","content":{"serverName":"everything","toolName":"echo","arguments":{"message":"yes"},"result":{"content":[{"type":"text","text":"Echo: yes"}]}}}],"toolCalls":[{"stepId":"call","serverName":"everything","toolName":"echo","arguments":{"message":"yes"},"startedAt":1795475185994,"durationMs":9,"result":{"content":[{"type":"text","text":"Echo: yes"}]}}],"finalText":"Echo: yes","userTurns":0},"startedAt":1795475185994,"durationMs":281}');
CREATE TABLE idempotency (
  scope TEXT NOT NULL, key TEXT NOT NULL, digest TEXT NOT NULL, reply TEXT NOT NULL,
  createdAt INTEGER NOT NULL,
  PRIMARY KEY (scope, key)
) STRICT, WITHOUT ROWID;
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
CREATE TABLE job (
  kind TEXT NOT NULL, subjectId TEXT NOT NULL,
  token TEXT NOT NULL, host TEXT NOT NULL, pid INTEGER NOT NULL, expiresAt INTEGER NOT NULL,
  PRIMARY KEY (kind, subjectId)
) STRICT, WITHOUT ROWID;
CREATE TABLE persona (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  projectId TEXT NOT NULL REFERENCES project ON DELETE CASCADE,
  slug TEXT NOT NULL, name TEXT NOT NULL, role TEXT NOT NULL, notes TEXT,
  avatarShape INTEGER, avatarPalette INTEGER,
  createdAt INTEGER NOT NULL, updatedAt INTEGER NOT NULL,
  UNIQUE (projectId, slug)
) STRICT;
CREATE TABLE swarm (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  projectId TEXT NOT NULL REFERENCES project ON DELETE CASCADE,
  name TEXT NOT NULL, description TEXT,
  environmentIds TEXT NOT NULL,
  sessionsPerTarget INTEGER NOT NULL, maxTurns INTEGER NOT NULL,
  archivedAt INTEGER, createdAt INTEGER NOT NULL, updatedAt INTEGER NOT NULL
) STRICT;
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
CREATE TABLE journeyRun (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  projectId TEXT NOT NULL REFERENCES project ON DELETE CASCADE,
  journeyId TEXT NOT NULL, waveId TEXT NOT NULL,
  status TEXT NOT NULL, marker TEXT, error TEXT,
  plan TEXT NOT NULL,
  createdAt INTEGER NOT NULL, lastHeartbeatAt INTEGER NOT NULL, endedAt INTEGER
) STRICT;
CREATE TABLE journeyAttempt (
  runId TEXT NOT NULL REFERENCES journeyRun (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  targetPosition INTEGER NOT NULL, sessionIndex INTEGER NOT NULL,
  status TEXT NOT NULL, errorCode TEXT, errorMessage TEXT,
  startedAt INTEGER, endedAt INTEGER,
  PRIMARY KEY (runId, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE journeySession (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  chatSessionId TEXT NOT NULL UNIQUE,
  projectId TEXT NOT NULL REFERENCES project ON DELETE CASCADE,
  runId TEXT NOT NULL REFERENCES journeyRun (id) ON DELETE CASCADE,
  attemptPosition INTEGER NOT NULL,
  preview TEXT,
  messageCount INTEGER NOT NULL, userMessageCount INTEGER NOT NULL, toolCallCount INTEGER NOT NULL,
  inputTokens INTEGER NOT NULL, outputTokens INTEGER NOT NULL,
  grading TEXT, grades TEXT, gradingError TEXT,
  startedAt INTEGER NOT NULL, lastActivityAt INTEGER NOT NULL,
  UNIQUE (runId, attemptPosition)
) STRICT;
CREATE TABLE journeyMessage (
  sessionId TEXT NOT NULL REFERENCES journeySession (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  role TEXT NOT NULL, text TEXT NOT NULL, toolCalls TEXT NOT NULL,
  inputTokens INTEGER NOT NULL, outputTokens INTEGER NOT NULL, totalTokens INTEGER NOT NULL,
  durationMs REAL NOT NULL, createdAt INTEGER NOT NULL,
  PRIMARY KEY (sessionId, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE finding (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  projectId TEXT NOT NULL REFERENCES project ON DELETE CASCADE,
  scope TEXT NOT NULL,
  fingerprint TEXT NOT NULL, dimension TEXT NOT NULL, title TEXT NOT NULL,
  subjectKind TEXT NOT NULL, subjectId TEXT NOT NULL, subjectLabel TEXT NOT NULL,
  status TEXT NOT NULL, occurrenceCount INTEGER NOT NULL,
  firstSeenAt INTEGER NOT NULL, lastSeenAt INTEGER NOT NULL, lastSeenWaveId TEXT NOT NULL,
  resolvedAt INTEGER, dismissedAt INTEGER, updatedAt INTEGER NOT NULL,
  UNIQUE (projectId, scope, fingerprint)
) STRICT;
CREATE TABLE findingWave (
  findingId TEXT NOT NULL REFERENCES finding (id) ON DELETE CASCADE,
  waveId TEXT NOT NULL,
  seen INTEGER NOT NULL, firstAt INTEGER NOT NULL, at INTEGER NOT NULL,
  state TEXT,
  PRIMARY KEY (findingId, waveId)
) STRICT, WITHOUT ROWID;
CREATE TABLE findingEvidence (
  id INTEGER PRIMARY KEY,
  findingId TEXT NOT NULL, waveId TEXT NOT NULL,
  evidence TEXT NOT NULL,
  UNIQUE (findingId, waveId, evidence),
  FOREIGN KEY (findingId, waveId) REFERENCES findingWave ON DELETE CASCADE
) STRICT;
CREATE TABLE insights (
  id TEXT PRIMARY KEY,
  projectId TEXT NOT NULL REFERENCES project ON DELETE CASCADE,
  scope TEXT NOT NULL, waveId TEXT NOT NULL,
  status TEXT NOT NULL, document TEXT, generatedAt INTEGER,
  errorCode TEXT, errorMessage TEXT, retryable INTEGER NOT NULL,
  updatedAt INTEGER NOT NULL,
  UNIQUE (projectId, scope, waveId)
) STRICT, WITHOUT ROWID;
CREATE TABLE scenario (
  id TEXT PRIMARY KEY,
  projectId TEXT NOT NULL REFERENCES project ON DELETE CASCADE,
  environmentId TEXT NOT NULL REFERENCES environment ON DELETE CASCADE,
  name TEXT NOT NULL, description TEXT, mode TEXT NOT NULL,
  accessVersion INTEGER NOT NULL,
  linkLookup TEXT NOT NULL UNIQUE, linkHash BLOB NOT NULL,
  guestExecution TEXT,
  createdAt INTEGER NOT NULL, updatedAt INTEGER NOT NULL, unpublishedAt INTEGER
) STRICT, WITHOUT ROWID;
CREATE TABLE scenarioMember (
  id TEXT PRIMARY KEY,
  scenarioId TEXT NOT NULL REFERENCES scenario ON DELETE CASCADE,
  email TEXT NOT NULL,
  invitation BLOB NOT NULL,
  createdAt INTEGER NOT NULL,
  UNIQUE (scenarioId, email)
) STRICT, WITHOUT ROWID;
CREATE TABLE visitorSession (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  scenarioId TEXT NOT NULL REFERENCES scenario ON DELETE CASCADE,
  tokenLookup TEXT NOT NULL UNIQUE, tokenHash BLOB NOT NULL,
  accessVersion INTEGER NOT NULL,
  authType TEXT NOT NULL, memberId TEXT, keyId TEXT,
  displayName TEXT, recency TEXT, deviceKind TEXT, language TEXT,
  modelId TEXT, authInterrupted INTEGER NOT NULL,
  rating INTEGER, comment TEXT, feedbackCount INTEGER NOT NULL,
  startedAt INTEGER NOT NULL, lastActivityAt INTEGER NOT NULL,
  endedAt INTEGER, endedBy TEXT,
  leaseToken TEXT, leaseHost TEXT, leasePid INTEGER, leaseExpiresAt INTEGER
) STRICT;
CREATE TABLE visitorMessage (
  sessionId TEXT NOT NULL REFERENCES visitorSession (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  role TEXT NOT NULL, text TEXT NOT NULL,
  toolName TEXT, serverId TEXT, serverName TEXT, isError INTEGER NOT NULL, errorCode TEXT,
  durationMs REAL, tokens INTEGER,
  createdAt INTEGER NOT NULL,
  PRIMARY KEY (sessionId, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE scenarioWindow (
  id TEXT PRIMARY KEY,
  scenarioId TEXT NOT NULL REFERENCES scenario ON DELETE CASCADE,
  startAt INTEGER NOT NULL, endAt INTEGER NOT NULL,
  minedAt INTEGER NOT NULL, signals TEXT NOT NULL,
  UNIQUE (scenarioId, startAt)
) STRICT, WITHOUT ROWID;
CREATE TABLE suiteSchedule (
  suiteId TEXT PRIMARY KEY REFERENCES suite ON DELETE CASCADE,
  enabled INTEGER NOT NULL,
  intervalMinutes INTEGER, environmentId TEXT,
  setBy TEXT NOT NULL, startsAt INTEGER NOT NULL,
  nextAt INTEGER,
  lastRunId TEXT, refusedAt INTEGER, refusal TEXT
) STRICT, WITHOUT ROWID;
CREATE TABLE runAnalysis (
  runId TEXT NOT NULL REFERENCES run ON DELETE CASCADE,
  kind TEXT NOT NULL,
  status TEXT NOT NULL, document TEXT NOT NULL,
  PRIMARY KEY (runId, kind)
) STRICT, WITHOUT ROWID;
CREATE TABLE suiteOwnership (
  suiteId TEXT PRIMARY KEY REFERENCES suite ON DELETE CASCADE,
  projectId TEXT NOT NULL REFERENCES project ON DELETE CASCADE,
  declaredId TEXT,
  createdAt INTEGER NOT NULL,
  UNIQUE (projectId, declaredId)
) STRICT, WITHOUT ROWID;
CREATE TABLE ingestRun (
  runId TEXT PRIMARY KEY REFERENCES run ON DELETE CASCADE,
  projectId TEXT NOT NULL REFERENCES project ON DELETE CASCADE,
  externalRunId TEXT,
  writesCases INTEGER NOT NULL,
  heardAt INTEGER NOT NULL,
  UNIQUE (projectId, externalRunId)
) STRICT, WITHOUT ROWID;
CREATE TABLE ingestIteration (
  runId TEXT NOT NULL REFERENCES ingestRun ON DELETE CASCADE,
  externalId TEXT NOT NULL,
  PRIMARY KEY (runId, externalId)
) STRICT, WITHOUT ROWID;
CREATE TABLE conformanceRun (
  id TEXT PRIMARY KEY,
  projectId TEXT NOT NULL REFERENCES project ON DELETE CASCADE,
  externalRunId TEXT,
  requestedSuites TEXT NOT NULL, origin TEXT NOT NULL,
  status TEXT NOT NULL, outcome TEXT, counts TEXT,
  startedAt INTEGER NOT NULL, heardAt INTEGER NOT NULL, endedAt INTEGER,
  UNIQUE (projectId, externalRunId)
) STRICT, WITHOUT ROWID;
CREATE TABLE conformanceReport (
  runId TEXT NOT NULL REFERENCES conformanceRun ON DELETE CASCADE,
  suiteKind TEXT NOT NULL,
  contentHash TEXT NOT NULL, counts TEXT NOT NULL, report TEXT NOT NULL,
  createdAt INTEGER NOT NULL,
  PRIMARY KEY (runId, suiteKind)
) STRICT;
CREATE TABLE serverConnection (
  id TEXT PRIMARY KEY,
  accountId TEXT NOT NULL REFERENCES account ON DELETE CASCADE,
  organizationId TEXT NOT NULL REFERENCES organization ON DELETE CASCADE,
  projectId TEXT REFERENCES project ON DELETE CASCADE,
  serverId TEXT,
  url TEXT NOT NULL, name TEXT, reauthorize INTEGER NOT NULL,
  status TEXT NOT NULL, error TEXT,
  attempts INTEGER NOT NULL, dueAt INTEGER, tokensSeen TEXT,
  pollsOwed INTEGER NOT NULL, polledAt INTEGER NOT NULL,
  createdAt INTEGER NOT NULL, expiresAt INTEGER NOT NULL, endedAt INTEGER
) STRICT, WITHOUT ROWID;
CREATE TABLE readinessRun (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  projectId TEXT NOT NULL REFERENCES project ON DELETE CASCADE,
  serverId TEXT NOT NULL, serverUrl TEXT NOT NULL,
  kind TEXT NOT NULL, submissionMode TEXT,
  idempotencyKey TEXT,
  includeObservations INTEGER NOT NULL,
  authMode TEXT NOT NULL,
  status TEXT NOT NULL,
  observations TEXT NOT NULL,
  verdict TEXT, terminalReason TEXT, errorMessage TEXT,
  createdAt INTEGER NOT NULL, updatedAt INTEGER NOT NULL
) STRICT;
CREATE TABLE readinessReport (
  runId TEXT PRIMARY KEY REFERENCES readinessRun (id) ON DELETE CASCADE,
  report TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE rateBucket (
  keyId TEXT PRIMARY KEY REFERENCES apiKey ON DELETE CASCADE,
  owed INTEGER NOT NULL, at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE sample (
  kind TEXT NOT NULL, recordId TEXT NOT NULL,
  projectId TEXT NOT NULL REFERENCES project ON DELETE CASCADE,
  PRIMARY KEY (kind, recordId)
) STRICT, WITHOUT ROWID;
CREATE TABLE sampleDue (position INTEGER PRIMARY KEY, step TEXT NOT NULL) STRICT;
CREATE TABLE runTools (
  runId TEXT NOT NULL REFERENCES run ON DELETE CASCADE,
  serverName TEXT NOT NULL, seenAt INTEGER NOT NULL,
  hash TEXT NOT NULL, tools TEXT NOT NULL,
  PRIMARY KEY (runId, serverName, seenAt)
) STRICT, WITHOUT ROWID;
CREATE INDEX projectByOrganization ON project (organizationId, id);
CREATE INDEX suiteByProject ON suite (projectId, id);
CREATE INDEX suiteCaseBySuite ON suiteCase (suiteId, id);
CREATE INDEX suiteCaseByContent ON suiteCase (suiteId, contentDigest);
CREATE UNIQUE INDEX suiteCaseByRequest ON suiteCase (suiteId, idempotencyKey, idempotencyIndex)
  WHERE idempotencyKey IS NOT NULL;
CREATE UNIQUE INDEX runBySuite ON run (suiteId, number);
CREATE INDEX runByProject ON run (projectId, id);
CREATE INDEX runInFlight ON run (organizationId) WHERE status IN ('pending', 'running');
CREATE INDEX environmentByProject ON environment (projectId, id);
CREATE UNIQUE INDEX environmentByName ON environment (projectId, name)
  WHERE name IS NOT NULL AND archivedAt IS NULL;
CREATE UNIQUE INDEX environmentByContent ON environment (projectId, contentDigest)
  WHERE contentDigest IS NOT NULL AND archivedAt IS NULL;
CREATE INDEX quotaUseByTime ON quotaUse (organizationId, kind, at);
CREATE INDEX personaByProject ON persona (projectId, position);
CREATE INDEX swarmByProject ON swarm (projectId, position) WHERE archivedAt IS NULL;
CREATE INDEX journeyByProject ON journey (projectId, position) WHERE archivedAt IS NULL;
CREATE INDEX journeyByPersona ON journey (projectId, personaId) WHERE archivedAt IS NULL;
CREATE INDEX journeyRunByJourney ON journeyRun (journeyId, position);
CREATE INDEX journeyRunByProject ON journeyRun (projectId, position);
CREATE INDEX journeyRunByWave ON journeyRun (projectId, waveId);
CREATE INDEX journeySessionByActivity ON journeySession (projectId, lastActivityAt, id);
CREATE INDEX findingByScope ON finding (projectId, scope, position);
CREATE INDEX findingWaveByTime ON findingWave (findingId, at, waveId);
CREATE INDEX scenarioByProject ON scenario (projectId, id);
CREATE INDEX scenarioByEnvironment ON scenario (environmentId);
CREATE UNIQUE INDEX scenarioPublished ON scenario (environmentId) WHERE unpublishedAt IS NULL;
CREATE INDEX visitorSessionByScenario ON visitorSession (scenarioId, number);
CREATE INDEX visitorSessionByStart ON visitorSession (scenarioId, startedAt);
CREATE INDEX suiteScheduleDue ON suiteSchedule (nextAt) WHERE nextAt IS NOT NULL;
CREATE INDEX ingestRunByTime ON ingestRun (heardAt);
CREATE INDEX conformanceRunOpen ON conformanceRun (heardAt) WHERE status = 'running';
CREATE INDEX trialByActivity
  ON trial (CAST(startedAt + COALESCE(durationMs, 0) AS INTEGER), id) WHERE startedAt IS NOT NULL;
CREATE INDEX serverConnectionOpen ON serverConnection (accountId, id) WHERE endedAt IS NULL;
CREATE INDEX readinessRunByProject ON readinessRun (projectId, position);
CREATE UNIQUE INDEX readinessRunByKey ON readinessRun (projectId, serverId, kind, idempotencyKey)
  WHERE idempotencyKey IS NOT NULL;
CREATE INDEX idempotencyByAge ON idempotency (createdAt);
CREATE INDEX quotaUseByAge ON quotaUse (at);
