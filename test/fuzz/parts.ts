import { commands } from './commands.ts'
import { dashboard } from './dashboard.ts'
import { environments } from './environments.ts'
import { imports } from './imports.ts'
import { outputs } from './outputs.ts'
import type { Part } from './part.ts'
import { proposals } from './proposals.ts'
import { texts } from './texts.ts'
import { schemas, servers } from './servers.ts'

/** All attacks, in the order in which their rounds alternate. */
export const PARTS: readonly Part[] = [
  dashboard,
  commands,
  environments,
  servers,
  schemas,
  outputs,
  proposals,
  imports,
  texts,
]
