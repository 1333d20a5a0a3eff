/** The folders that a server is told of. */
export const serverRoots = `
ALTER TABLE server ADD COLUMN roots TEXT;
`
