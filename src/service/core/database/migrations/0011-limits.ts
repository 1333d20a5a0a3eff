/** Request rates shared by processes, and an order by age for what is forgotten. */
export const limits = `
CREATE TABLE rateBucket (
  keyId TEXT PRIMARY KEY REFERENCES apiKey ON DELETE CASCADE,
  owed INTEGER NOT NULL, at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotencyByAge ON idempotency (createdAt);
CREATE INDEX quotaUseByAge ON quotaUse (at);
`
