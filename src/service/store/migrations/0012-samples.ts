/** Which records are samples. What belongs to such a record, as its runs and sessions, is a sample with it. */
export const samples = `
CREATE TABLE sample (
  kind TEXT NOT NULL, recordId TEXT NOT NULL,
  projectId TEXT NOT NULL REFERENCES project ON DELETE CASCADE,
  PRIMARY KEY (kind, recordId)
) STRICT, WITHOUT ROWID;
`
