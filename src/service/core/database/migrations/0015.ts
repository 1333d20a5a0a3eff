/** The folders that a server gets as its roots. */
export const serverRoots = `
ALTER TABLE server ADD COLUMN roots TEXT;
`
