/** Whether the scores of a trial, and of its run, agree with their definitions; what ended before has no word on it. */
export const scoreIntegrity = `
ALTER TABLE trial ADD COLUMN scoreIntegrity TEXT;
ALTER TABLE run ADD COLUMN scoreIntegrity TEXT;
`
