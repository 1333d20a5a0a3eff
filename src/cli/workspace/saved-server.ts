import { startEarly, type EarlyStart } from '../../service/connections/early-start.ts'
import { storedCommand } from '../../service/servers/stored-command.ts'
import { resolveSettings, type CommonOptions, type Settings } from '../config/settings.ts'

/**
 * Starts the program of a server that is saved on this machine before anything else is loaded; nothing where it is not
 * certain which one is meant.
 * @throws UsageError for settings that are none
 */
export async function beginSaved(
  common: CommonOptions,
  server: string | undefined,
): Promise<{ settings: Settings; early: EarlyStart | undefined }> {
  const settings = await resolveSettings(common, process.env)
  const isLocal = settings.target.kind === 'local' && server !== undefined
  const stored = isLocal ? storedCommand(settings.dataDir, server, settings.project) : undefined
  return { settings, early: stored && startEarly(stored.command, stored.name, 'guardian') }
}
