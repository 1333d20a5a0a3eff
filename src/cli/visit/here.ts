import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createService } from '../../service/workspace/service.ts'
import { localSettings, type CommonOptions } from '../config/settings.ts'
import { modelSettings } from '../config/model-settings.ts'
import type { Door } from './visit.ts'

/** Opens the local workspace for visitors, in this process; returns undefined if there is no workspace yet. */
export async function openHere(common: CommonOptions): Promise<Door | undefined> {
  const { dataDir } = localSettings(common, process.env)
  if (!existsSync(join(dataDir, 'mcpdeck.sqlite'))) return undefined
  return await createService({ dataDir, models: modelSettings(process.env), schedulePollMs: 0 })
}
