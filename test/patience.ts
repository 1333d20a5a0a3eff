/** How long a test waits for what must come, on a slow and busy machine too; milliseconds, as Vitest takes them. */
export const PATIENCE = { timeout: 45_000 }
