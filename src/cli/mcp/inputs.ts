import * as z from 'zod'

/** Arguments that several tools have. */
export const PROJECT = z
  .string()
  .optional()
  .describe('Id or name of the project. Without it: the project of the profile, or the only one.')
export const CURSOR = z.string().optional().describe('nextCursor of the answer before, to read what follows it.')
export const PATH = z
  .string()
  .default('')
  .describe('JSON pointer of the part to read, such as /cases/3/prompt: one that an answer names as cut.')
export const RUN = z.string().describe('Id of an eval run, or its mcpdeck:// locator.')
export const SERVER = z.string().describe('Id or name of a saved server.')

/** A record with fields of the service and of mcpdeck. */
export const RECORD = z.record(z.string(), z.unknown())
