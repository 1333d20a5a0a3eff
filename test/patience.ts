/**
 * Milliseconds that a test waits for something that must happen, even on a slow and busy machine; as Vitest takes them.
 */
export const PATIENCE = { timeout: 45_000 }
