import { profileOf } from '../../tui/router/place.ts'
import { isWebAddress, placeAtAddress } from '../../tui/router/web-address.ts'
import { readConfig } from '../config/file.ts'
import { chooseProfile, UNNAMED } from '../config/profiles.ts'
import type { CommonOptions } from '../config/settings.ts'
import { UsageError } from '../arguments/usage-error.ts'

/**
 * Opens a complete locator in its profile, and a page of a hosted UI in the profile whose addresses match. The name
 * of a service that was given only by its address selects no profile.
 * @throws UsageError if a page matches several profiles and nothing chooses one, or the config file is invalid
 */
export async function atProfileOf(
  placeText: string | undefined,
  options: CommonOptions,
  env: NodeJS.ProcessEnv,
): Promise<CommonOptions> {
  const isChosen = options.local || options.profile !== undefined || options.baseUrl !== undefined
  if (placeText === undefined || isChosen) return options
  if (isWebAddress(placeText)) return await atPage(placeText, options, env)
  const profile = profileOf(placeText)
  return profile === undefined || profile === UNNAMED ? options : { ...options, profile }
}

async function atPage(address: string, options: CommonOptions, env: NodeJS.ProcessEnv): Promise<CommonOptions> {
  const config = await readConfig(env)
  const fitting = Object.entries(config.profiles).flatMap(([name, { web }]) =>
    web && placeAtAddress(web, address) ? [name] : [],
  )
  if (fitting.length === 0) return options
  const usual = chooseProfile(options, env, config)
  if (usual.kind === 'service' && fitting.includes(usual.name)) return options
  if (fitting.length > 1)
    throw new UsageError(
      `${address} can be a page of the profiles ${fitting.join(', ')}; say which one with --profile.`,
    )
  return { ...options, profile: fitting[0]! }
}
