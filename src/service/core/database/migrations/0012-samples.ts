/**
 * Which records are samples; what belongs to such a record, as its runs and sessions, is a sample with it. And what of
 * the samples is still to be inserted, in that order.
 */
export const samples = `
CREATE TABLE sample (
  kind TEXT NOT NULL, recordId TEXT NOT NULL,
  projectId TEXT NOT NULL REFERENCES project ON DELETE CASCADE,
  PRIMARY KEY (kind, recordId)
) STRICT, WITHOUT ROWID;

CREATE TABLE sampleDue (position INTEGER PRIMARY KEY, step TEXT NOT NULL) STRICT;
`
